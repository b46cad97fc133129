import type { OutcomeReason } from '../core/outcome.ts';
import { splitIntoBatches } from '../core/parallel.ts';
import { maybeFromRow } from '../database/from-row.ts';
import type { Lease, RunTransaction } from '../database/leases.ts';
import { prepared, type Slots } from '../database/prepared.ts';
import { inFilledBatches } from '../database/rows.ts';
import type { DueReason } from '../database/tables/contacts.ts';
import { withdrawApprovals } from '../decisions/statements/delivery-answers.ts';
import { deliverAsLost } from '../fields/statements/lost-values.ts';
import { countInRun } from '../sync/statements/run-counts.ts';
import type { RunContext } from '../sync/statements/runs.ts';
import { type Answered, findAnswered } from './answered.ts';
import { type ContactRecord, findRows, newRow } from './contacts.ts';
import { type Departure, recordRemoved, supersedeHolds } from './departures.ts';
import { openErasedHolds, reopenHolds } from './erased-holds.ts';
import { areSameMarks, type ErasedMarks, findErasedMarks } from './erased-marks.ts';
import { after, move, moveAndList, putRows } from './life/apply-events.ts';
import type { ContactRow, Given } from './life/changes.ts';
import type { LifeEvent } from './life/life.ts';
import { PRIORITY } from './life/line-events.ts';
import { closeMissing, mark } from './many-at-once/missing.ts';
import { OBJECTS } from './many-at-once/opt-outs.ts';
import { holdUnseenAgain } from './many-at-once/paid-since-backup.ts';

/** The plan's decision about one contact. */
export type Decision =
  | { kind: 'choose'; reason: DueReason; priority: number }
  | { kind: 'settle'; reason: OutcomeReason; eligible: boolean }
  /**
   * The contact has returned, and it had a paid job before it left. Either a user must decide about the contact again,
   * or the job's profile is delivered.
   */
  | { kind: 'resume' }
  /** A user must first decide whether the contact may be sent to the service. */
  | { kind: 'hold'; reason: Extract<OutcomeReason, 'forgotten_person'> }
  /** The run records only the contact's details, because the contact has work in progress or an open question. */
  | { kind: 'keep' };

/** Changes to the stored fingerprints of a contact's identity. */
export interface NotedIdentity {
  identity: string;
  /**
   * True if only the spelling of the details differs. The new spelling replaces the old spelling everywhere, even in a
   * job in flight.
   */
  isSame: boolean;
  /** The new value of `asked_identity`. Null keeps the value that is stored. */
  asked: string | null;
}

export type Decided = Decision & { noted: NotedIdentity };

export interface AdoptedContact {
  crmId: string;
  donorId: string;
  /** The fingerprint of the details for which the credit counts as spent. */
  identity: string;
  /** When the profile was created (epoch ms), according to the CRM. */
  enhancedAt: number;
}

export interface ReadContact {
  crmId: string;
  /** True if the CRM record says that the contact opted out. */
  optedOut: boolean;
  /** True if the person objects to profiling. Defaults to false. */
  objects?: boolean;
  /** The currencies of the CRM record (`currenciesText`). Null or omitted if the record has no currencies. */
  currency?: string | null;
}

export interface DecidedPage<C extends ReadContact> {
  runId: string;
  contacts: readonly C[];
  removed: readonly Departure[];
  /** The IDs of the missing contacts. Defaults to an empty list. */
  missing?: readonly string[];
  /** The IDs of contacts that were found but are blocked, because they were erased. Defaults to an empty list. */
  blocked?: readonly string[];
  /** The position in the CRM's list from which a later reading can continue. */
  cursor: string | null;
  /** The marks of erased people, and whether the page may contain any of them. Omitted if nobody was erased. */
  erased?: { marks: ErasedMarks; isAnyoneAlike: boolean };
}

/**
 * Decides about one contact. `answered` is the contact's last answered request, if that request may contain more facts
 * than the contact's row.
 */
export type Decide<C extends ReadContact> = (
  contact: C,
  known: ContactRecord | undefined,
  answered: Answered | null,
) => Decided;

/** The number of contacts that are read, decided and written together. */
const CONTACTS_AT_ONCE = 100;

/**
 * Decides about a page's contacts and moves the watermark past the page, in one transaction. `decide` gets its data
 * from the same transaction, so no other step can change a contact in between. If a user has decided about an erased
 * person since the page was prepared, records nothing and returns false.
 */
export async function recordDecidedPage<C extends ReadContact>(
  trx: RunTransaction,
  page: DecidedPage<C>,
  decide: Decide<C>,
): Promise<boolean> {
  if (page.erased !== undefined && !(await isUpToDate(trx, trx.lease, page.erased))) return false;
  const run: RunContext = { id: page.runId, now: trx.clock.now() };
  // Postgres rejects the same key twice in one upsert, so the last reading is used.
  const contacts = [...new Map(page.contacts.map((c) => [c.crmId, c])).values()];
  // The contact that remains after a merge must inherit first, so that no second credit is spent on it.
  await recordRemoved(trx, trx.lease, run, page.removed);
  await mark(trx, trx.lease, run, page.missing ?? []);
  await recordBlocked(trx, run, page.blocked ?? []);
  let chosen = 0;
  for (const batch of splitIntoBatches(contacts, CONTACTS_AT_ONCE)) {
    chosen += await recordBatch(trx, trx.lease, run, batch, decide);
  }
  await countInRun(trx, page.runId, { read: contacts.length, chosen });
  const { cursor } = page;
  if (cursor !== null) await moveCursor(trx, { id: trx.lease.integrationId, cursor });
  return true;
}

/** Records blocked contacts that were found. Contacts without a row are not added to the store. */
async function recordBlocked(
  trx: RunTransaction,
  run: RunContext,
  crmIds: readonly string[],
): Promise<void> {
  if (crmIds.length === 0) return;
  await move(trx, trx.lease, 'foundBlocked', crmIds, run);
  await closeMissing(trx, trx.lease, run.now, crmIds);
}

/**
 * True if no user has decided about an erased person since the page was prepared. This transaction has locked the
 * lease's row, so a user's decision comes either before or after this transaction.
 */
async function isUpToDate(
  trx: RunTransaction,
  { integrationId }: Lease,
  { marks, isAnyoneAlike }: NonNullable<DecidedPage<ReadContact>['erased']>,
): Promise<boolean> {
  return areSameMarks(await findErasedMarks(trx, integrationId, isAnyoneAlike), marks);
}

const moveCursor = prepared((db, { id, cursor }: Slots<{ id: string; cursor: string }>) =>
  db.updateTable('integrations').set({ cursor }).where('id', '=', id).compile(),
);

async function recordBatch<C extends ReadContact>(
  trx: RunTransaction,
  lease: Lease,
  run: RunContext,
  contacts: readonly C[],
  decide: Decide<C>,
): Promise<number> {
  const decided: ContactRow[] = [];
  const kept: KeptContact[] = [];
  const released: string[] = [];
  const resumed: string[] = [];
  const renamed: ContactRow[] = [];
  const held: string[] = [];
  const found: string[] = [];
  const unmatched: string[] = [];
  let chosen = 0;
  for (const { contact, row, decided: of } of await decideEach(trx, lease, contacts, decide)) {
    const { crmId } = contact;
    const has_opted_out = toOptOut(contact);
    const { noted, ...decision } = of;
    if (row !== undefined && row.missing_since !== null) found.push(crmId);
    if (decision.kind === 'keep') {
      if (row === undefined) continue;
      kept.push({ row, noted, has_opted_out });
      if (row.state === 'ready' && !noted.isSame) renamed.push(row);
      continue;
    }
    if (decision.kind === 'resume') {
      resumed.push(crmId);
      continue;
    }
    const waits = decision.kind === 'choose' && decision.priority === PRIORITY.waitsForAccess;
    if (decision.kind === 'choose' && row?.state !== 'due' && !waits) chosen += 1;
    if (row?.state === 'held') released.push(crmId);
    if (decision.kind === 'hold') held.push(crmId);
    if (decision.kind === 'settle' && decision.reason === 'no_match_known') unmatched.push(crmId);
    const { identity, asked } = noted;
    const known = row ?? newRow(lease.integrationId, { ...contact, identity });
    const [event, given] = toEvent(decision);
    const read = {
      identity,
      asked_identity: asked ?? known.asked_identity,
      has_opted_out,
      ...given,
    };
    const next = after(event, known, read, run, row?.state ?? 'unknown');
    if (next !== null) decided.push(next);
  }
  await putRows(trx, decided);
  await recordKept(trx, lease, run, kept);
  await closeMissing(trx, lease, run.now, found);
  for (const batch of inFilledBatches(found)) {
    await deliverAsLost(trx, lease.integrationId, batch);
  }
  await supersedeHolds(trx, lease, run.now, released);
  await openErasedHolds(trx, lease, run, held);
  await holdUnseenAgain(trx, run.id, unmatched);
  await resume(trx, lease, run, resumed);
  const answered = renamed.flatMap((row) => row.tracking_id ?? []);
  await withdrawApprovals(trx, run.now, answered);
  return chosen;
}

function toOptOut({ optedOut, objects = false }: ReadContact): number {
  if (objects) return OBJECTS;
  return optedOut ? 1 : 0;
}

/**
 * True if `asked_identity` may come from a request with a lost response. Details from that request count as paid for.
 */
function mayHaveLost({ state, asked_identity, outcome_reason }: ContactRow): boolean {
  const isAsked = state === 'due' || ['lost_answer', 'rejected_by_person'].includes(outcome_reason);
  return isAsked && asked_identity !== null;
}

/** A contact with its row and the decision about it. */
interface DecidedContact<C> {
  contact: C;
  row: ContactRow | undefined;
  decided: Decided;
}

/**
 * Decides about each contact. A merge, a rejected change or a lost response can change which details are paid for. A
 * contact with the details that its credit was spent on has not changed.
 */
async function decideEach<C extends ReadContact>(
  trx: RunTransaction,
  { integrationId }: Lease,
  contacts: readonly C[],
  decide: Decide<C>,
): Promise<DecidedContact<C>[]> {
  const ids = contacts.map(({ crmId }) => crmId);
  const rows = await findRows(trx, integrationId, ids);
  const lost = await answeredFor([...rows.values()].filter(mayHaveLost));
  const first = contacts.map((contact) => {
    const row = rows.get(contact.crmId);
    const decided = decide(contact, maybeFromRow(row), lost.get(contact.crmId) ?? null);
    return { contact, row, decided };
  });
  const changed = first.flatMap(({ row, decided }) => (row && hasChanged(decided) ? row : []));
  const answered = await answeredFor(changed);
  return first.map((each) => {
    const last = answered.get(each.contact.crmId);
    if (last === undefined) return each;
    return { ...each, decided: decide(each.contact, maybeFromRow(each.row), last) };
  });

  async function answeredFor(asked: readonly ContactRow[]): Promise<Map<string, Answered>> {
    if (asked.length === 0) return new Map();
    return findAnswered(
      trx,
      integrationId,
      asked.map(({ crm_id }) => crm_id),
    );
  }
}

/**
 * True if the contact is due because its details changed. An answered request may already have contained the new
 * details.
 */
export function hasChanged(decided: Decided): boolean {
  return decided.kind === 'choose' && decided.reason === 'identity_changed';
}

/** Returns the event of the contact's life that belongs to the decision, with the event's values. */
function toEvent(
  decision: Extract<Decision, { kind: 'choose' | 'settle' | 'hold' }>,
): [LifeEvent, Given] {
  switch (decision.kind) {
    case 'choose':
      return ['chosen', { due_reason: decision.reason, priority: decision.priority }];
    case 'settle':
      return [decision.eligible ? 'foundFresh' : 'leftOut', { outcome_reason: decision.reason }];
    case 'hold':
      return ['foundErased', {}];
  }
}

interface KeptContact {
  row: ContactRow;
  noted: NotedIdentity;
  has_opted_out: number;
}

/** Stores the new data of contacts whose state does not change. */
async function recordKept(
  trx: RunTransaction,
  lease: Lease,
  run: RunContext,
  contacts: readonly KeptContact[],
): Promise<void> {
  const seen = contacts.map(({ row: { crm_id }, noted: { identity, asked }, has_opted_out }) => ({
    crm_id,
    has_opted_out,
    identity,
    asked_identity: asked,
  }));
  await move(trx, lease, 'seen', seen, run);
  // The details are unchanged, but their fingerprint is new. A waiting job with the old fingerprint also gets the new
  // fingerprint.
  for (const { row, noted } of contacts) {
    if (!noted.isSame || row.identity === noted.identity || row.tracking_id === null) continue;
    await trx
      .updateTable('jobs')
      .set({ identity: noted.identity })
      .where('integration_id', '=', lease.integrationId)
      .where('tracking_id', '=', row.tracking_id)
      .where('identity', '=', row.identity)
      .execute();
  }
}

/**
 * Lets contacts that have returned continue. Each contact's earlier question is open again, or its profile can be
 * delivered.
 */
async function resume(
  trx: RunTransaction,
  lease: Lease,
  run: RunContext,
  crmIds: readonly string[],
): Promise<void> {
  await reopenHolds(trx, lease, await moveAndList(trx, lease, 'cameBack', crmIds, run), run);
}
