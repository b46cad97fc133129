/** Stores the computed warm paths, and finds warm paths that must be computed. */

import { type ExpressionBuilder, sql } from 'kysely';
import { z } from 'zod';
import { isListed } from '../../contacts/listed.ts';
import { RECEIVES_NOTHING } from '../../contacts/receives-nothing.ts';
import type { QueryCharge } from '../../credits/statements/queries.ts';
import type { RunTransaction } from '../../database/leases.ts';
import { preparedRead, type Slots } from '../../database/prepared.ts';
import type { Reader } from '../../database/reader.ts';
import { inFilledBatches } from '../../database/rows.ts';
import type { Tables } from '../../database/tables/tables.ts';
import { isProfileUndone } from '../../fields/statements/value-states.ts';
import { type ComputedPath, recordPaths } from './computed-paths.ts';
import { ERASED_INTRODUCER, findOnlyDonor } from './forget-introducer.ts';
import { markStale, type PathScope } from './stale-paths.ts';

/** A contact whose warm path may have changed. */
export interface StaleContact {
  crmId: string;
  donorId: string;
  computedAt: number;
  /** The fingerprint of the values in the CRM. If null, the CRM record must always be compared. */
  inCrm: string | null;
  /** JSON that maps each field to the fingerprint of the value that donor-sync wrote last. */
  ownedValues: string;
  /** True if the CRM may still name an erased person. */
  isIntroducerErased?: boolean;
}

/** A contact whose CRM fields name an introducer. */
export type IntroducedContact = Pick<StaleContact, 'crmId' | 'ownedValues'>;

/** The position from which `listStale` continues. */
export type StalePlace = Pick<StaleContact, 'computedAt' | 'donorId' | 'crmId'>;

/** A contact's last computed best connection, by IDs. */
export interface KnownPath {
  crmId: string;
  donorId: string;
  /** The strength, from 0 to 1. */
  strength: number;
  /** The number of network members who are connected to the contact. */
  people: number;
  introducerId: string;
  networkId: string;
  /** The donor IDs of the members whom the service has named. */
  connecting: readonly string[];
}

const MILLIONTHS = 1_000_000;

function knownPath(row: {
  crm_id: string;
  donor_id: string;
  strength_millionths: number | null;
  people: number;
  introducer_id: string | null;
  network_id: string | null;
  connecting: string | null;
}): KnownPath {
  return {
    crmId: row.crm_id,
    donorId: row.donor_id,
    strength: Number(row.strength_millionths ?? 0) / MILLIONTHS,
    people: row.people,
    introducerId: row.introducer_id ?? '',
    networkId: row.network_id ?? '',
    connecting: row.connecting === null ? [] : idsSchema.parse(JSON.parse(row.connecting)),
  };
}

const idsSchema = z.array(z.string());

/**
 * Marks paths as stale if they may have changed since the last time. If the settings changed or a member joined, all
 * paths are stale. If nothing has changed, only old paths and paths of newly enhanced contacts are stale. If a member
 * left, the member's own paths and all paths through the member are also stale. Adds contacts without a path. Checks
 * only contacts that a run has processed since then, so a run without changes is fast.
 */
export async function markStalePaths(trx: RunTransaction, scope: PathScope): Promise<void> {
  await markStale(trx, trx.lease, scope);
}

/**
 * Returns contacts whose path must be computed. Contacts without a computed path come first, then the oldest paths.
 * Contacts with the same donor come one after the other. Excludes contacts that have left the CRM, have opted out, have
 * died or want no contact.
 */
export async function listStalePaths(
  reader: Reader,
  integrationId: string,
  {
    after,
    limit,
    only,
  }: { after: StalePlace | null; limit: number; only: readonly string[] | null },
): Promise<StaleContact[]> {
  const rows = await staleContacts(reader, integrationId, only)
    .select([
      'warm_paths.crm_id',
      'warm_paths.donor_id',
      'warm_paths.computed_at',
      'warm_paths.told',
      'warm_paths.introducer_id',
      'contacts.owned_values',
    ])
    .$if(after !== null, (query) =>
      query.where(({ eb, refTuple, tuple }) =>
        eb(
          refTuple('warm_paths.computed_at', 'warm_paths.donor_id', 'warm_paths.crm_id'),
          '>',
          tuple(after?.computedAt ?? 0, after?.donorId ?? '', after?.crmId ?? ''),
        ),
      ),
    )
    .orderBy('warm_paths.computed_at')
    .orderBy('warm_paths.donor_id')
    .orderBy('warm_paths.crm_id')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    crmId: row.crm_id,
    donorId: row.donor_id,
    computedAt: row.computed_at,
    inCrm: row.told,
    ownedValues: row.owned_values,
    isIntroducerErased: row.introducer_id === ERASED_INTRODUCER,
  }));
}

/**
 * Returns other contacts whose best path starts with this contact's donor. Returns an empty list if a different contact
 * is the same donor.
 */
export async function listIntroducedContacts(
  reader: Reader,
  integrationId: string,
  crmIds: readonly string[],
): Promise<IntroducedContact[]> {
  const donorId = await findOnlyDonor(reader, integrationId, crmIds);
  if (donorId === null) return [];
  const rows = await reader
    .selectFrom('warm_paths')
    .innerJoin('contacts', (join) =>
      join
        .onRef('contacts.integration_id', '=', 'warm_paths.integration_id')
        .onRef('contacts.crm_id', '=', 'warm_paths.crm_id'),
    )
    .select(['contacts.crm_id', 'contacts.owned_values'])
    .where('warm_paths.integration_id', '=', integrationId)
    .where('warm_paths.introducer_id', '=', donorId)
    .where('warm_paths.crm_id', 'not in', [...crmIds])
    .orderBy('warm_paths.crm_id')
    .execute();
  return rows.map((row) => ({ crmId: row.crm_id, ownedValues: row.owned_values }));
}

/** Marks contacts whose CRM fields no longer name an introducer. The paths of these contacts are computed again. */
export async function dropIntroducers(
  trx: RunTransaction,
  crmIds: readonly string[],
): Promise<void> {
  for (const batch of inFilledBatches(crmIds)) {
    await trx
      .updateTable('warm_paths')
      .set({ introducer_id: ERASED_INTRODUCER, stale: 1, told: null })
      .where('integration_id', '=', trx.lease.integrationId)
      .where('crm_id', 'in', batch)
      .execute();
  }
}

/** Returns the cost of a run's queries, or null if they were free. */
export async function findPathCost(reader: Reader, runId: string): Promise<QueryCharge | null> {
  const row = await reader
    .selectFrom('warm_path_costs')
    .select(['bucket', 'credits'])
    .where('run_id', '=', runId)
    .executeTakeFirst();
  return row === undefined ? null : { bucket: row.bucket, credits: Number(row.credits) };
}

/** Returns an integration's strongest paths to contacts whose research is allowed. */
export function listStrongestPaths(
  reader: Reader,
  integrationId: string,
  limit: number,
): Promise<KnownPath[]> {
  return known(reader, integrationId)
    .orderBy('warm_paths.strength_millionths', 'desc')
    .orderBy('warm_paths.crm_id', 'desc')
    .limit(limit)
    .execute()
    .then((rows) => rows.map(knownPath));
}

/**
 * A path for the ranking, with the encrypted key and record of the contact's profile. The key and the record are empty
 * if the contact has no profile.
 */
export interface PathWithGiving {
  crmId: string;
  introducerId: string;
  networkId: string;
  /** The strength, from 0 to 1. */
  strength: number;
  key: string;
  /** True if an undo has taken the profile's values out of the CRM. */
  isUndone: boolean;
}

/**
 * Returns a part of the paths, sorted by ID and starting after the given ID. Includes only contacts whose research is
 * allowed and that do not wait for a decision.
 */
export async function listPathsWithGiving(
  reader: Reader,
  integrationId: string,
  { after, limit }: { after: string; limit: number },
): Promise<PathWithGiving[]> {
  const { rows } = await pathsWithGiving(reader, { integrationId, after, limit });
  return rows.map((row) => ({
    crmId: row.crm_id,
    introducerId: row.introducer_id ?? '',
    networkId: row.network_id ?? '',
    strength: Number(row.strength_millionths ?? 0) / MILLIONTHS,
    key: row.key ?? '',
    isUndone: Number(row.is_undone) === 1,
  }));
}

const pathsWithGiving = preparedRead(
  (
    db,
    { integrationId, after, limit }: Slots<{ integrationId: string; after: string; limit: number }>,
  ) =>
    db
      .selectFrom('warm_paths')
      .innerJoin('contacts', (join) =>
        join
          .onRef('contacts.integration_id', '=', 'warm_paths.integration_id')
          .onRef('contacts.crm_id', '=', 'warm_paths.crm_id'),
      )
      .leftJoin('kept_profiles', (join) =>
        join
          .onRef('kept_profiles.integration_id', '=', 'warm_paths.integration_id')
          .onRef('kept_profiles.crm_id', '=', 'warm_paths.crm_id')
          .on('kept_profiles.is_delivered', '=', sql.lit(1)),
      )
      .select([
        'warm_paths.crm_id',
        'warm_paths.introducer_id',
        'warm_paths.network_id',
        'warm_paths.strength_millionths',
        'kept_profiles.key',
      ])
      .select((eb) => eb.case().when(isProfileUndone(eb)).then(1).else(0).end().as('is_undone'))
      .where('warm_paths.integration_id', '=', integrationId)
      .where('warm_paths.crm_id', '>', after)
      .where('warm_paths.introducer_id', 'is not', null)
      .where('warm_paths.introducer_id', '<>', ERASED_INTRODUCER)
      .where(mayBeResearched)
      .where('contacts.state', '<>', 'held')
      .orderBy('warm_paths.crm_id')
      .limit(limit)
      .compile(),
);

/** Returns the path to one contact, or null if there is none. */
export async function findPath(
  reader: Reader,
  integrationId: string,
  crmId: string,
): Promise<KnownPath | null> {
  const [path] = await findPaths(reader, integrationId, [crmId]);
  return path ?? null;
}

/** Returns the paths to the contacts. Leaves out contacts without a path. */
export async function findPaths(
  reader: Reader,
  integrationId: string,
  crmIds: readonly string[],
): Promise<KnownPath[]> {
  const rows = await known(reader, integrationId)
    .where('warm_paths.crm_id', 'in', crmIds)
    .execute();
  return rows.map(knownPath);
}

/**
 * Returns the number of contacts whose first path was found at or after `from` and before `until` (epoch ms). Counts
 * only contacts whose research is still allowed.
 */
export async function countPathsFound(
  reader: Reader,
  integrationId: string,
  { from, until }: { from: number; until: number },
): Promise<number> {
  const row = await known(reader, integrationId)
    .clearSelect()
    .select((eb) => eb.fn.countAll().as('count'))
    .where('warm_paths.found_at', '>=', from)
    .where('warm_paths.found_at', '<', until)
    .executeTakeFirst();
  return Number(row?.count ?? 0);
}

/** True if an integration has a contact with a path. */
export async function hasPaths(reader: Reader, integrationId: string): Promise<boolean> {
  const { rows } = await anyPath(reader, { integrationId });
  return rows.length > 0;
}

/** True if the paths were last compared with the settings that have this fingerprint. */
export async function hasPathScope(
  reader: Reader,
  integrationId: string,
  settings: string,
): Promise<boolean> {
  const row = await reader
    .selectFrom('warm_path_scopes')
    .select('settings')
    .where('integration_id', '=', integrationId)
    .executeTakeFirst();
  return row?.settings === settings;
}

/**
 * Returns the number of contacts that may have a path, because they have a donor. Counts all contacts, or only the
 * contacts with these CRM IDs.
 */
export async function countPossiblePaths(
  reader: Reader,
  integrationId: string,
  only: readonly string[] | null,
): Promise<number> {
  const row = await reader
    .selectFrom('contacts')
    .select((eb) => eb.fn.countAll().as('count'))
    .where('integration_id', '=', integrationId)
    .where('donor_id', 'is not', null)
    .where(mayBeResearched)
    .$if(only !== null, (query) => query.where('crm_id', 'in', only ?? []))
    .executeTakeFirst();
  return Number(row?.count ?? 0);
}

/** Returns the number of contacts whose path has not been computed yet. */
export async function countStalePaths(
  reader: Reader,
  integrationId: string,
  only: readonly string[] | null,
): Promise<number> {
  const row = await staleContacts(reader, integrationId, only)
    .select((eb) => eb.fn.countAll().as('count'))
    .executeTakeFirst();
  return Number(row?.count ?? 0);
}

/** Records paths, the values that are in the CRM, and the outcomes of contacts that the paths have changed. */
export async function recordComputedPaths(
  trx: RunTransaction,
  runId: string,
  computed: readonly ComputedPath[],
): Promise<void> {
  await recordPaths(trx, trx.lease.integrationId, { id: runId, now: trx.clock.now() }, computed);
}

function known(reader: Reader, integrationId: string) {
  return reader
    .selectFrom('warm_paths')
    .innerJoin('contacts', (join) =>
      join
        .onRef('contacts.integration_id', '=', 'warm_paths.integration_id')
        .onRef('contacts.crm_id', '=', 'warm_paths.crm_id'),
    )
    .select([
      'warm_paths.crm_id',
      'warm_paths.donor_id',
      'warm_paths.strength_millionths',
      'warm_paths.people',
      'warm_paths.introducer_id',
      'warm_paths.network_id',
      'warm_paths.connecting',
    ])
    .where('warm_paths.integration_id', '=', integrationId)
    .where('warm_paths.introducer_id', 'is not', null)
    .where('warm_paths.introducer_id', '<>', ERASED_INTRODUCER)
    .where(mayBeResearched);
}

function staleContacts(reader: Reader, integrationId: string, only: readonly string[] | null) {
  return reader
    .selectFrom('warm_paths')
    .innerJoin('contacts', (join) =>
      join
        .onRef('contacts.integration_id', '=', 'warm_paths.integration_id')
        .onRef('contacts.crm_id', '=', 'warm_paths.crm_id'),
    )
    .where('warm_paths.integration_id', '=', integrationId)
    .where('warm_paths.stale', '=', 1)
    .where(mayBeResearched)
    .where(isListed('contacts'))
    .$if(only !== null, (query) => query.where('warm_paths.crm_id', 'in', only ?? []));
}

/** Selects contacts that are in the CRM, have not opted out, and have no other mark that forbids writing to them. */
function mayBeResearched(eb: ExpressionBuilder<Pick<Tables, 'contacts'>, 'contacts'>) {
  return eb.and([
    eb('contacts.state', '<>', 'removed'),
    eb('contacts.has_opted_out', '=', 0),
    eb.or([
      eb('contacts.eligible', '=', 1),
      eb('contacts.outcome_reason', 'not in', RECEIVES_NOTHING),
    ]),
  ]);
}

const anyPath = preparedRead((db, { integrationId }: Slots<{ integrationId: string }>) =>
  db
    .selectFrom('warm_paths')
    .select('crm_id')
    .where('integration_id', '=', integrationId)
    .where('introducer_id', 'is not', null)
    .limit(1)
    .compile(),
);
