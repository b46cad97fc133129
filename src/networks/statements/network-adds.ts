/** Records bulk adds: the intent, the response or its loss, and the result for each donor. */

import type { Selectable } from 'kysely';
import { spentByRun, spentSince } from '../../credits/statements/spending.ts';
import { type FromRow, fromRows, maybeFromRow } from '../../database/from-row.ts';
import type { RunTransaction } from '../../database/leases.ts';
import { preparedRead, type Slots } from '../../database/prepared.ts';
import type { Reader } from '../../database/reader.ts';
import { inBatches, inFilledBatches } from '../../database/rows.ts';
import { type AddState, ERASED_MEMBER, type MemberState } from '../../database/tables/networks.ts';
import type { Tables } from '../../database/tables/tables.ts';
import { addCounts } from './network-counts.ts';

export type AddRecord = FromRow<Selectable<Tables['network_adds']>>;

/** A bulk add that is recorded before its request is sent. */
export interface AddIntent {
  id: string;
  runId: string;
  partnerKey: string;
  /** The network's ID in the database, and its ID at the service. */
  network: string;
  networkId: string;
  donorIds: readonly string[];
  balanceBefore: number;
  /** The spending mark of the key (`findSpendMark`) from before the balance was read. */
  spendMark: string;
}

export type MemberEnd =
  /** The donor is in the network. This bulk add or an earlier action has added the donor. */
  | { kind: 'added' }
  | { kind: 'already' }
  | { kind: 'not_found' }
  /** The donor is not in the network, although the bulk add may have been charged. The reason is one word. */
  | { kind: 'failed'; detail: string }
  /** The donor was not paid for, so a new bulk add may add the donor. */
  | { kind: 'unpaid' };

/** The end of a bulk add: its cost, and the donors without a result. */
export interface AddEnd {
  state: Extract<AddState, 'running' | 'unclear' | 'done' | 'unpaid'>;
  charged: number | null;
}

const UNANSWERED: AddState[] = ['intended', 'lost'];

/**
 * Records the intent with the current balance. Returns false and records nothing if another bulk add with the key is
 * still waiting for its response. Also returns false if another bulk add was sent after the balance was read.
 */
export async function recordAddIntent(trx: RunTransaction, intent: AddIntent): Promise<boolean> {
  const inserted = await trx
    .insertInto('network_adds')
    .values({
      id: intent.id,
      integration_id: trx.lease.integrationId,
      run_id: intent.runId,
      partner_key: intent.partnerKey,
      network: intent.network,
      network_id: intent.networkId,
      state: 'intended',
      donors: intent.donorIds.length,
      balance_before: intent.balanceBefore,
      intended_at: trx.clock.now(),
    })
    .onConflict((c) => c.doNothing())
    .executeTakeFirst();
  if (inserted.numInsertedOrUpdatedRows === 0n) return false;
  // This check comes after the key is locked, because from then on no other bulk add can be sent.
  if ((await findSpendMark(trx, intent.partnerKey, intent.id)) !== intent.spendMark) {
    await trx.deleteFrom('network_adds').where('id', '=', intent.id).execute();
    return false;
  }
  for (const batch of inBatches(intent.donorIds)) {
    await trx
      .insertInto('network_members')
      .values(
        batch.map((donorId) => ({
          network: intent.network,
          donor_id: donorId,
          state: 'adding' as const,
          add_id: intent.id,
          since: trx.clock.now(),
        })),
      )
      .execute();
  }
  return true;
}

/** Records that the service has accepted the bulk add and is working on its job. */
export async function recordAddAccepted(
  trx: RunTransaction,
  addId: string,
  jobId: string,
): Promise<void> {
  await trx
    .updateTable('network_adds')
    .set({ state: 'running', job_id: jobId })
    .where('id', '=', addId)
    .where('state', 'in', UNANSWERED)
    .execute();
}

/**
 * Records that the service has refused the bulk add. A refused bulk add was not charged, and its donors can be added
 * again.
 */
export async function recordAddRefused(trx: RunTransaction, addId: string): Promise<void> {
  await trx.deleteFrom('network_members').where('add_id', '=', addId).execute();
  await setState(trx, addId, { state: 'unpaid', charged: 0 });
}

/**
 * Records that no response arrived. The bulk add may have been charged, so no other bulk add with the key is sent until
 * its result is known.
 */
export async function recordAddLost(trx: RunTransaction, addId: string): Promise<void> {
  await trx
    .updateTable('network_adds')
    .set({ state: 'lost', lost_at: trx.clock.now() })
    .where('id', '=', addId)
    .where('state', '=', 'intended')
    .execute();
}

/** Records the results of a bulk add's donors, and the bulk add's new state. */
export async function recordAddEnds(
  trx: RunTransaction,
  runId: string,
  add: Pick<AddRecord, 'id' | 'network'>,
  ends: ReadonlyMap<string, MemberEnd>,
  end: AddEnd,
): Promise<void> {
  for (const alike of Map.groupBy(ends, ([, end]) => JSON.stringify(end)).values()) {
    const [first] = alike;
    if (first)
      await endMembers(
        trx,
        add.id,
        alike.map(([donorId]) => donorId),
        first[1],
      );
  }
  const count = (...kinds: MemberEnd['kind'][]) =>
    [...ends.values()].filter(({ kind }) => kinds.includes(kind)).length;
  const counts = { added: count('added'), failed: count('failed', 'not_found') };
  await addCounts(trx, { runId, network: add.network }, counts);
  await setState(trx, add.id, end);
}

/**
 * Returns a bulk add without a response. The bulk add was sent with this key, or by this integration with an earlier
 * key. The integration's own bulk adds have precedence.
 */
export async function findUnansweredAdd(
  reader: Reader,
  partnerKey: string,
  integrationId: string,
): Promise<AddRecord | undefined> {
  const { rows } = await selectUnanswered(reader, { partnerKey, integrationId });
  return maybeFromRow(rows.find((row) => row.integration_id === integrationId) ?? rows[0]);
}

/** Returns bulk adds of an integration in this state, oldest first. */
export function listAdds(
  reader: Reader,
  integrationId: string,
  state: AddState,
): Promise<AddRecord[]> {
  return addsIn(reader, { integrationId, state }).then(({ rows }) => fromRows(rows));
}

/** Returns the stored donors of a bulk add. These donors are members, or have no result yet. */
export async function listAddedDonors(
  reader: Reader,
  addId: string,
): Promise<{ adding: string[]; members: string[] }> {
  const rows = await reader
    .selectFrom('network_members')
    .select(['donor_id', 'state'])
    .where('add_id', '=', addId)
    .orderBy('donor_id')
    .execute();
  const inState = (state: MemberState) =>
    rows.filter((row) => row.state === state).map((row) => row.donor_id);
  return { adding: inState('adding'), members: inState('member') };
}

/**
 * Returns the credits of the networks bucket that an integration has spent since `since` (epoch ms). Counts unfinished
 * bulk adds as spent.
 */
export function getNetworkCreditsSince(reader: Reader, integrationId: string, since: number) {
  return spentSince(reader, 'network_adds', integrationId, since);
}

export function getNetworkCreditsByRun(reader: Reader, runId: string) {
  return spentByRun(reader, 'network_adds', runId);
}

async function setState(
  trx: RunTransaction,
  addId: string,
  { state, charged }: AddEnd,
): Promise<void> {
  const isOver = state === 'done' || state === 'unpaid';
  await trx
    .updateTable('network_adds')
    .set({ state, charged, ...(isOver ? { closed_at: trx.clock.now() } : {}) })
    .where('id', '=', addId)
    .execute();
}

async function endMembers(
  trx: RunTransaction,
  addId: string,
  donorIds: readonly string[],
  end: MemberEnd,
): Promise<void> {
  const { kind } = end;
  for (const batch of inFilledBatches(donorIds)) {
    if (kind === 'unpaid') {
      await trx
        .deleteFrom('network_members')
        .where('add_id', '=', addId)
        .where('donor_id', 'in', batch)
        .execute();
      continue;
    }
    const detail = kind === 'failed' ? end.detail : null;
    const since = trx.clock.now();
    const ended = trx
      .updateTable('network_members')
      .where('add_id', '=', addId)
      .where('donor_id', 'in', batch);
    await ended.set({ state: STATE_OF[kind], detail, since }).where('detail', 'is', null).execute();
    // If a contact was erased during the bulk add, its donor is removed, whatever the result was.
    await ended
      .set({ state: 'leaving', since })
      .where('detail', '=', ERASED_MEMBER)
      .where('state', '=', 'adding')
      .execute();
  }
}

const STATE_OF = {
  added: 'member',
  already: 'member',
  not_found: 'not_found',
  failed: 'failed',
} as const satisfies Record<Exclude<MemberEnd['kind'], 'unpaid'>, MemberState>;

/**
 * Returns a string that identifies the state of a key's bulk adds. The string changes when another bulk add is sent or
 * answered. Ignores the bulk add `own`.
 */
export async function findSpendMark(reader: Reader, partnerKey: string, own = ''): Promise<string> {
  const [adds] = (await selectAdds(reader, { partnerKey, own })).rows;
  return `${adds?.latest} ${adds?.count} ${adds?.unanswered}`;
}

const selectAdds = preparedRead(
  (db, { partnerKey, own }: Slots<{ partnerKey: string; own: string }>) =>
    db
      .selectFrom('network_adds')
      .select(({ fn }) => [fn.max('id').as('latest'), fn.countAll().as('count')])
      .select((eb) =>
        eb.fn.count(eb.case().when('state', 'in', UNANSWERED).then(1).end()).as('unanswered'),
      )
      .where('partner_key', '=', partnerKey)
      .where('id', '!=', own)
      .compile(),
);

const addsIn = preparedRead(
  (db, { integrationId, state }: Slots<{ integrationId: string; state: AddState }>) =>
    db
      .selectFrom('network_adds')
      .selectAll()
      .where('integration_id', '=', integrationId)
      .where('state', '=', state)
      .orderBy('intended_at')
      .orderBy('id')
      .compile(),
);

const selectUnanswered = preparedRead(
  (db, { partnerKey, integrationId }: Slots<{ partnerKey: string; integrationId: string }>) =>
    db
      .selectFrom('network_adds')
      .selectAll()
      .where('state', 'in', UNANSWERED)
      .where((eb) =>
        eb.or([eb('partner_key', '=', partnerKey), eb('integration_id', '=', integrationId)]),
      )
      .compile(),
);
