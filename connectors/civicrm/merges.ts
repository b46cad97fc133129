/**
 * Finds merges. When users merge two contacts, CiviCRM moves one contact to the trash and records the merge in two
 * activities.
 */

import { z } from 'zod';
import { splitIntoBatches } from '../../src/core/parallel.ts';
import type { RemovedContact } from '../contract.ts';
import { throwIfStopped } from '../requests/stopped.ts';
import type { CivicrmSession } from './session.ts';

type Deps = Pick<CivicrmSession, 'api' | 'signal' | 'clock'>;

/** The number of days to look back. Merges that are older than this were already found by earlier runs or look-ups. */
const LOOK_BACK_DAYS = 90;

const DAY_MS = 86_400_000;

/** The number of activities in one request, and the maximum number of requests. */
const PER_REQUEST = 500;
const MAX_REQUESTS = 200;

const deletionSchema = z.object({
  id: z.coerce.number(),
  contact_id: z.coerce.number(),
  'activity_id.parent_id': z.coerce.number(),
});
const targetSchema = z.object({
  activity_id: z.coerce.number(),
  contact_id: z.coerce.number(),
});

/**
 * Yields the contacts that were recently merged into other contacts. Without the permission "view all activities",
 * donor-sync cannot see merges. Without the permission, donor-sync treats merged contacts as missing.
 */
export async function* readMerges({
  api,
  signal,
  clock,
}: Deps): AsyncGenerator<readonly RemovedContact[]> {
  const since = new Date(clock.now() - LOOK_BACK_DAYS * DAY_MS).toISOString().slice(0, 10);
  let afterId = 0;
  for (let request = 0; request < MAX_REQUESTS; request += 1) {
    throwIfStopped(signal);
    const { values } = await api.get('ActivityContact', {
      select: ['contact_id', 'activity_id.parent_id'],
      where: [
        ['activity_id.activity_type_id:name', '=', 'Contact Deleted by Merge'],
        ['record_type_id:name', '=', 'Activity Targets'],
        ['activity_id.activity_date_time', '>=', since],
        ['id', '>', afterId],
      ],
      orderBy: { id: 'ASC' },
      limit: PER_REQUEST,
    });
    const deletions = values.flatMap((row) => deletionSchema.safeParse(row).data ?? []);
    const removed = await findWinners({ api, signal, clock }, deletions);
    if (removed.length > 0) yield removed;
    const lastId = Number(values.at(-1)?.['id'] ?? 0);
    if (values.length < PER_REQUEST || lastId <= afterId) return;
    afterId = lastId;
  }
}

async function findWinners(
  { api, signal }: Deps,
  deletions: readonly z.output<typeof deletionSchema>[],
): Promise<RemovedContact[]> {
  if (deletions.length === 0) return [];
  throwIfStopped(signal);
  const { values } = await api.get('ActivityContact', {
    select: ['activity_id', 'contact_id'],
    where: [
      ['activity_id', 'IN', deletions.map((each) => each['activity_id.parent_id'])],
      ['record_type_id:name', '=', 'Activity Targets'],
    ],
  });
  const winners = new Map(
    values.flatMap((row) => {
      const { data } = targetSchema.safeParse(row);
      return data === undefined ? [] : [[data.activity_id, data.contact_id] as const];
    }),
  );
  // A user may have restored a merged contact from the trash.
  const present = await findPresent(
    { api },
    deletions.map((each) => each.contact_id),
  );
  return deletions.flatMap((each) => {
    const winner = winners.get(each['activity_id.parent_id']);
    if (winner === undefined || winner === each.contact_id || present.has(each.contact_id))
      return [];
    return { id: String(each.contact_id), mergedInto: String(winner) };
  });
}

async function findPresent(
  { api }: Pick<Deps, 'api'>,
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  const present = new Set<number>();
  for (const some of splitIntoBatches(ids, PER_REQUEST)) {
    const where = [
      ['id', 'IN', some],
      ['is_deleted', '=', false],
    ];
    const { values } = await api.get('Contact', { select: ['id'], where });
    for (const row of values) present.add(Number(row['id']));
  }
  return present;
}

const idSchema = z.object({ id: z.coerce.number() });

/**
 * Returns the contact into which a deleted contact was merged. Returns null if CiviCRM shows no merge of the contact.
 */
export async function findWinner({ api }: Pick<Deps, 'api'>, id: string): Promise<string | null> {
  const rows = await api.askIfAllowed('Contact', 'getMergedTo', { contactId: Number(id) });
  const { data } = idSchema.safeParse(rows?.[0]);
  return data === undefined ? null : String(data.id);
}

/** Returns the contacts that were merged into this contact. */
export async function findMerged({ api }: Pick<Deps, 'api'>, id: string): Promise<string[]> {
  const rows = await api.ask('Contact', 'getMergedFrom', { contactId: Number(id) });
  return rows.flatMap((row) => {
    const { data } = idSchema.safeParse(row);
    return data === undefined ? [] : String(data.id);
  });
}
