import { z } from 'zod';
import { idSchema, withIdAs } from '../wire.ts';

/** A donor as another record mentions it: who it is, and nothing that has to be paid. */
export interface DonorReference {
  donorId: string;
  /** The full name; personal, so never for a log. Null where the service sends the id alone. */
  name: string | null;
  /** The donor's page in the service's web application. */
  profileUrl: string | null;
}

const nameSchema = z.union([
  z.string(),
  z
    .object({
      first: z.string().nullish(),
      middle: z.string().nullish(),
      last: z.string().nullish(),
    })
    .transform(({ first, middle, last }) => [first, middle, last].filter(Boolean).join(' ')),
]);

/** What all records of a donor have in common, as fields of an object. */
export const donorReferenceShape = {
  id: idSchema,
  name: nameSchema.nullish(),
  service_url: z.string().nullish(),
};

/** A donor as an object or as a bare id, which may stand under `donor_id` (section 2.2). */
export const donorReferenceSchema = withDonorId(z.object(donorReferenceShape)).transform(
  toDonorReference,
);

/** The reference in our words. */
export function toDonorReference(wire: {
  id: string;
  name?: string | null | undefined;
  service_url?: string | null | undefined;
}): DonorReference {
  return {
    donorId: wire.id,
    name: wire.name?.trim() || null,
    profileUrl: wire.service_url?.trim() || null,
  };
}

/** A record of a donor whose id may be called either way. */
export function withDonorId<Donor extends z.ZodType>(donor: Donor) {
  return withIdAs('id', 'donor_id', donor);
}
