import { z } from 'zod';
import type { Profile } from '../core/profile.ts';
import { distinctDonors, type LeftOut, leftOut } from './donor-batch.ts';
import { profileSchema, toProfile } from './profile.ts';
import { parseReply, type Reply } from './reply.ts';
import { operation } from './routes.ts';
import { type Send, sendFor } from './send.ts';
import { bareOrUnder, idSchema, listUnder, withIdAs } from './wire.ts';

/** Reads donors from the service (service document, section 4.4). The document does not describe the payloads. */
export interface Donors {
  /**
   * Reads a donor's profile. Costs one credit from the donors bucket. Throws `PartnerNotFound` for an unknown donor,
   * for whom the service refunds the credit. After `AnswerLost`, the credit may have been spent.
   */
  read(donorId: string, signal?: AbortSignal): Promise<Profile>;
  /**
   * Reads the profiles of 1 to 100 donors. Each profile costs a credit from the donors bucket. If the balance is too
   * low, the service processes only the first donors.
   */
  readMany(donorIds: readonly string[], signal?: AbortSignal): Promise<ProfileBatch>;
  /**
   * Reads a donor's identity, and the list of parts in the donor's profile. Free. Throws `PartnerNotFound` for an
   * unknown donor.
   */
  readMetadata(donorId: string, signal?: AbortSignal): Promise<DonorMetadata>;
  /** Reads the metadata of 1 to 100 donors. Costs no credits. */
  readMetadataOfMany(donorIds: readonly string[], signal?: AbortSignal): Promise<MetadataBatch>;
}

/** A donor to which another record refers. The reference contains the donor's identity, but no paid data. */
export interface DonorReference {
  donorId: string;
  /**
   * The donor's name, or null if the service sends only the ID. The name is personal data, so it must never be logged.
   */
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

/** The fields that all records of a donor contain. */
const donorReferenceShape = {
  id: idSchema,
  name: nameSchema.nullish(),
  service_url: z.string().nullish(),
};

/** A donor, as an object or as a bare ID. The donor may be under `donor_id` (section 2.2). */
export const donorReferenceSchema = withDonorId(z.object(donorReferenceShape)).transform(
  toDonorReference,
);

/** Converts a donor reference into donor-sync's own form. */
function toDonorReference(wire: {
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

/** Returns the schema of a donor's record, in which the ID may have either of two names. */
export function withDonorId<Donor extends z.ZodType>(donor: Donor) {
  return withIdAs('id', 'donor_id', donor);
}

/** A donor in a list or a search result. */
export interface DonorSummary extends DonorReference {
  /** The city and state of the current address, or null if the service does not report them. */
  location: { city: string | null; state: string | null } | null;
}

/** The fields that all donor summaries contain. */
export const donorSummaryShape = {
  ...donorReferenceShape,
  location: z
    .object({ city: z.string().nullish(), state: z.string().nullish() })
    .nullish()
    .catch(null),
};

const wireSchema = z.object(donorSummaryShape);

/** A donor summary, or a bare ID if the service sends only the ID. */
export const donorSummarySchema = withDonorId(wireSchema).transform(toDonorSummary);

/** Converts a donor summary into donor-sync's own form. */
export function toDonorSummary(wire: z.output<typeof wireSchema>): DonorSummary {
  const { location } = wire;
  return {
    ...toDonorReference(wire),
    location: location ? { city: location.city ?? null, state: location.state ?? null } : null,
  };
}

/** The free data about a donor (service document, section 4.4). */
export interface DonorMetadata extends DonorSummary {
  /** The parts of the donor's profile, or null if the service does not list them. */
  profile: {
    hasAge: boolean | null;
    hasNetWorth: boolean | null;
    hasCapacity: boolean | null;
    /** The number of entries in each part of the profile. */
    work: number | null;
    education: number | null;
    boards: number | null;
    donations: number | null;
  };
}

/** The metadata of the donors that were found, by donor ID. */
export interface MetadataBatch extends LeftOut {
  metadata: ReadonlyMap<string, DonorMetadata>;
}

export const METADATA = operation('metadata of a donor', { charges: null }, [
  { method: 'GET', path: '/donors/{id}/metadata' },
]);

export const METADATA_OF_MANY = operation('metadata of donors', { charges: null }, [
  { method: 'POST', path: '/donors/metadata/batch', listName: 'donor_ids' },
]);

const flagSchema = z.boolean().nullish().catch(null);
const countSchema = z.int().nonnegative().nullish().catch(null);

const knownSchema = z.object({
  has_age: flagSchema,
  has_net_worth: flagSchema,
  has_capacity: flagSchema,
  work: countSchema,
  education: countSchema,
  boards: countSchema,
  donations: countSchema,
});

const metadataSchema = withDonorId(
  z.object({ ...donorSummaryShape, profile: knownSchema.nullish().catch(null) }),
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

/** The profiles of the donors that were found, by donor ID. */
export interface ProfileBatch extends LeftOut {
  profiles: ReadonlyMap<string, Profile>;
}

/** Reads profiles. Each profile costs a credit from the donors bucket. */
export const DONOR = operation('profile of a donor', { charges: 'donors' }, [
  { method: 'GET', path: '/donors/{id}' },
]);

export const DONORS = operation('profiles of donors', { charges: 'donors' }, [
  { method: 'POST', path: '/donors/batch', listName: 'donor_ids' },
]);

export function createDonors(send: Send): Donors {
  return {
    async read(donorId, signal) {
      const reply = await send(DONOR, { id: donorId }, signal);
      return toProfile(parseReply(bareOrUnder('donor', profileSchema), reply));
    },
    async readMany(donorIds, signal) {
      const list = distinctDonors(donorIds);
      const reply = await send(DONORS, { list }, signal);
      const found = parseReply(listUnder('donors', profileSchema), reply).map(toProfile);
      const profiles = new Map(found.map((profile) => [profile.donorId, profile]));
      return { profiles, ...leftOut(reply, list, profiles.keys()) };
    },
    async readMetadata(donorId, signal) {
      const read = (reply: Reply) => parseReply(bareOrUnder('donor', metadataSchema), reply);
      return sendFor(send, METADATA, { id: donorId }, read, signal);
    },
    async readMetadataOfMany(donorIds, signal) {
      const list = distinctDonors(donorIds);
      const read = (reply: Reply) => {
        const found = parseReply(listUnder('donors', metadataSchema), reply);
        const metadata = new Map(found.map((one) => [one.donorId, one]));
        return { metadata, ...leftOut(reply, list, metadata.keys()) };
      };
      return sendFor(send, METADATA_OF_MANY, { list }, read, signal);
    },
  };
}
