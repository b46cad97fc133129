import { z } from 'zod';
import { distinctDonors, type LeftOut, leftOut } from '../donor-batch.ts';
import { parseReply } from '../reply.ts';
import { type Operation, withSlashes } from '../routes.ts';
import type { Send } from '../send.ts';
import { bareOrUnder, listUnder } from '../wire.ts';
import { withDonorId } from './donor-reference.ts';
import { type DonorSummary, donorSummaryShape, toDonorSummary } from './donor-summary.ts';

/** What is free to know of a donor (service document, section 4.4). */
export interface DonorMetadata extends DonorSummary {
  /** What the profile would bring; null where the service does not say. */
  profile: {
    hasAge: boolean | null;
    hasNetWorth: boolean | null;
    hasCapacity: boolean | null;
    /** How many entries of each. */
    work: number | null;
    education: number | null;
    boards: number | null;
    donations: number | null;
  };
}

/** The metadata of those who were found, by donor id. */
export interface MetadataBatch extends LeftOut {
  metadata: ReadonlyMap<string, DonorMetadata>;
}

const COMMON = { lane: 'queries', charges: null, reads: 'json', namesThings: true } as const;

export const METADATA: Operation = {
  ...COMMON,
  name: 'metadata of a donor',
  routes: withSlashes([{ method: 'GET', path: '/donors/{id}/metadata' }]),
};

export const METADATA_OF_MANY: Operation = {
  ...COMMON,
  name: 'metadata of donors',
  routes: withSlashes([{ method: 'POST', path: '/donors/metadata/batch', listName: 'donor_ids' }]),
};

/** The metadata of one donor. Free. */
export async function readMetadata(
  send: Send,
  donorId: string,
  signal?: AbortSignal,
): Promise<DonorMetadata> {
  const reply = await send(METADATA, { id: donorId }, signal);
  return parseReply(bareOrUnder('donor', metadataSchema), reply);
}

/** The metadata of 1 to 100 donors. Free. */
export async function readMetadataOfMany(
  send: Send,
  donorIds: readonly string[],
  signal?: AbortSignal,
): Promise<MetadataBatch> {
  const list = distinctDonors(donorIds);
  const reply = await send(METADATA_OF_MANY, { list }, signal);
  const found = parseReply(listUnder('donors', metadataSchema), reply);
  const metadata = new Map(found.map((one) => [one.donorId, one]));
  return { metadata, ...leftOut(reply, list, metadata.keys()) };
}

const flagSchema = z.boolean().nullish().catch(null);
const countSchema = z.int().nonnegative().nullish().catch(null);

const profileSchema = z.object({
  has_age: flagSchema,
  has_net_worth: flagSchema,
  has_capacity: flagSchema,
  work: countSchema,
  education: countSchema,
  boards: countSchema,
  donations: countSchema,
});

const metadataSchema = withDonorId(
  z.object({ ...donorSummaryShape, profile: profileSchema.nullish().catch(null) }),
).transform(
  (wire): DonorMetadata => ({
    ...toDonorSummary(wire),
    profile: {
      hasAge: wire.profile?.has_age ?? null,
      hasNetWorth: wire.profile?.has_net_worth ?? null,
      hasCapacity: wire.profile?.has_capacity ?? null,
      work: wire.profile?.work ?? null,
      education: wire.profile?.education ?? null,
      boards: wire.profile?.boards ?? null,
      donations: wire.profile?.donations ?? null,
    },
  }),
);
