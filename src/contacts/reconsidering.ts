import { sql } from 'kysely';
import type { OutcomeReason } from '../core/outcome.ts';
import { fromRow } from '../database/from-row.ts';
import type { Lease, RunTransaction } from '../database/leases.ts';
import { prepared, type Slots } from '../database/prepared.ts';
import { ROWS_PER_TRANSACTION } from '../database/rows.ts';
import type { Store } from '../database/store.ts';
import { countInRun } from '../sync/statements/run-counts.ts';
import type { ContactRecord } from './contacts.ts';
import type { AdoptedContact, Decision } from './decided-pages.ts';
import { holdErased } from './erased-holds.ts';
import { move, type Which } from './life/apply-events.ts';
import type { LifeEvent } from './life/life.ts';

export interface SettledContact {
  crmId: string;
  reason: OutcomeReason;
  /**
   * The result of checking a due contact again. `fresh` contacts need no submission now, but may be refreshed later.
   */
  turnedOut: 'gone' | 'ineligible' | 'fresh';
}

const TURNED_OUT = {
  gone: 'turnedOutGone',
  ineligible: 'turnedOutIneligible',
  fresh: 'turnedOutFresh',
} as const satisfies Record<SettledContact['turnedOut'], LifeEvent>;

/** All priorities of contacts that a run can submit. */
const PRIORITIES = [0, 1, 2];

/** Checks settled contacts again. Resolves with the number of contacts that became due. */
export async function reconsiderContacts(
  { checkpoint }: Pick<Store, 'checkpoint'>,
  lease: Lease,
  runId: string,
  askedBefore: number,
  decide: (known: ContactRecord) => Decision,
): Promise<number> {
  let chosen = 0;
  let after = '';
  for (;;) {
    const last = after;
    const { rows, count } = await checkpoint(lease, async (trx) => {
      const { integrationId } = lease;
      const { rows: found } = await selectToReconsider(trx, { integrationId, askedBefore, last });
      const rechosen = found.flatMap((row) => {
        const decision = decide(fromRow(row));
        if (decision.kind !== 'choose') return [];
        const { reason, priority } = decision;
        return [{ crm_id: row.crm_id, due_reason: reason, priority }];
      });
      // A reconsidered contact is not read from the CRM, so a later reading may still find that the contact has left.
      await move(trx, lease, 'reconsidered', rechosen, toMoment(trx, runId));
      if (rechosen.length > 0) {
        await countInRun(trx, runId, { chosen: rechosen.length });
      }
      return { rows: found, count: rechosen.length };
    });
    chosen += count;
    const lastRow = rows.at(-1);
    if (!lastRow || rows.length < ROWS_PER_TRANSACTION) return chosen;
    after = lastRow.crm_id;
  }
}

/** Retries contacts whose identity could not be read. */
export async function retryUnreadable(
  trx: RunTransaction,
  only: readonly string[] | null,
): Promise<void> {
  const which: Which =
    only === null
      ? { shape: 'all', is: (eb) => eb.lit(true) }
      : { is: (eb) => eb('crm_id', 'in', only) };
  await move(trx, trx.lease, 'triedAgain', which, { now: trx.clock.now() });
}

/** Postpones due contacts with unreadable details. A later run tries to read the details again. */
export async function postponeUnreadable(
  trx: RunTransaction,
  runId: string,
  crmIds: readonly string[],
): Promise<void> {
  await move(trx, trx.lease, 'unreadable', crmIds, toMoment(trx, runId));
}

/**
 * Adopts due contacts that were enhanced with a different database. These contacts count as enhanced, but none of their
 * values come from this database.
 */
export async function adoptContacts(
  trx: RunTransaction,
  runId: string,
  contacts: readonly AdoptedContact[],
): Promise<void> {
  const adopted = contacts.map(({ crmId, donorId, identity, enhancedAt }) => ({
    crm_id: crmId,
    donor_id: donorId,
    asked_identity: identity,
    asked_at: enhancedAt,
  }));
  await move(trx, trx.lease, 'adopted', adopted, toMoment(trx, runId));
}

/** Holds due contacts that may be an erased person, because a user has to decide about them. */
export async function holdDueErased(
  trx: RunTransaction,
  runId: string,
  crmIds: readonly string[],
): Promise<void> {
  await holdErased(trx, trx.lease, toMoment(trx, runId), crmIds);
}

export async function settleDue(
  trx: RunTransaction,
  runId: string,
  contacts: readonly SettledContact[],
): Promise<void> {
  for (const [end, those] of Map.groupBy(contacts, ({ turnedOut }) => turnedOut)) {
    const rows = those.map((each) => ({ crm_id: each.crmId, outcome_reason: each.reason }));
    await move(trx, trx.lease, TURNED_OUT[end], rows, toMoment(trx, runId));
  }
}

function toMoment({ clock }: Pick<RunTransaction, 'clock'>, id: string) {
  return { id, now: clock.now() };
}

type Reconsidered = { integrationId: string; askedBefore: number; last: string };

/** Selects from two ranges of two indexes. A single condition with `or` would make SQLite read all contacts. */
const selectToReconsider = prepared(
  (db, { integrationId, askedBefore, last }: Slots<Reconsidered>) => {
    const settled = () =>
      db
        .selectFrom('contacts')
        .select('crm_id')
        .where('integration_id', '=', integrationId)
        .where('state', '=', 'settled')
        .where('eligible', '=', 1);
    const askedLongAgo = settled()
      // With a list of priorities, the index returns only the old contacts.
      .where('priority', 'in', PRIORITIES)
      .where('asked_at', '<', askedBefore);
    // The value is a literal, so that SQLite uses the index of these contacts.
    const withoutAnswer = settled().where('last_credit', '<>', sql.lit('stands'));
    return db
      .selectFrom('contacts')
      .selectAll()
      .where('integration_id', '=', integrationId)
      .where('crm_id', 'in', askedLongAgo.unionAll(withoutAnswer))
      .where('crm_id', '>', last)
      .orderBy('crm_id')
      .limit(ROWS_PER_TRANSACTION)
      .compile();
  },
);
