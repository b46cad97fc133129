import { z } from 'zod';
import {
  type DonorReference,
  donorReferenceShape,
  toDonorReference,
  withDonorId,
} from './donor-reference.ts';

/** A donor in a list or a search result. */
export interface DonorSummary extends DonorReference {
  /** Of the present address; null where it is not known or not told. */
  location: { city: string | null; state: string | null } | null;
}

/** What all summaries have in common, as fields of an object. */
export const donorSummaryShape = {
  ...donorReferenceShape,
  location: z
    .object({ city: z.string().nullish(), state: z.string().nullish() })
    .nullish()
    .catch(null),
};

const wireSchema = z.object(donorSummaryShape);

/** A summary, or a bare id where the service lists no more. */
export const donorSummarySchema = withDonorId(wireSchema).transform(toDonorSummary);

/** The summary in our words. */
export function toDonorSummary(wire: z.output<typeof wireSchema>): DonorSummary {
  const { location } = wire;
  return {
    ...toDonorReference(wire),
    location: location ? { city: location.city ?? null, state: location.state ?? null } : null,
  };
}
