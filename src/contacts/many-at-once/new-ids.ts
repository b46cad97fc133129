/** Finds contacts whose ID has changed, for example because a spreadsheet dropped leading zeros. */
import { type ExpressionBuilder, sql } from 'kysely';
import type { RunTransaction } from '../../database/leases.ts';
import type { Reader } from '../../database/reader.ts';
import { inFilledBatches, ROWS_PER_TRANSACTION } from '../../database/rows.ts';
import type { DueReason } from '../../database/tables/contacts.ts';
import type { Tables } from '../../database/tables/tables.ts';
import { detailsOf } from '../../identity/identity-text.ts';
import { type ContactRecord, findRows } from '../contacts.ts';
import { recordRemoved } from '../departures.ts';
import { move } from '../life/apply-events.ts';
import type { ContactRow } from '../life/changes.ts';
import { isMarked } from './missing.ts';
import { PAID_SINCE_BACKUP } from './paid-since-backup.ts';

export interface Continuation {
  missing: string;
  newId: string;
  /** True if the service knows the person, so the missing contact has a profile. */
  isKnown: boolean;
  /** The request that paid for the missing contact, and the time of the request. */
  paid: Pick<ContactRow, 'asked_at' | 'last_credit' | 'donor_id' | 'enhanced_at'>;
  /** True if the contact has its former ID back, so the other contact is not new. */
  isFormerId: boolean;
}

export async function hasPaidContacts(reader: Reader, integrationId: string): Promise<boolean> {
  const row = await contacts(reader, integrationId)
    .select('crm_id')
    .where('asked_at', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Pairs missing contacts that were paid for with new contacts. A new contact must have the same details and must not
 * have cost a credit. The new contact is due for the first time, is left out, or waits until a user decides whether it
 * is an erased person. A contact that is left out may opt in later, and would then be paid for a second time because
 * the missing contact is forgotten by then.
 */
export async function findContinuations(
  reader: Reader,
  integrationId: string,
): Promise<Continuation[]> {
  const former = await findFormerIds(reader, integrationId);
  const { found } = await findNewIds(reader, integrationId, former);
  return [...former, ...found];
}

/**
 * Returns the missing contacts whose profile waits for a user. Several new contacts have the details of such a missing
 * contact, and each of them may be an erased person. Only a user can tell which new contact the profile belongs to, so
 * the missing contact must not be removed before. Call this function after `continueContacts`.
 */
export async function listUndecided(reader: Reader, integrationId: string): Promise<string[]> {
  const { undecided } = await findNewIds(reader, integrationId, []);
  return undecided;
}

/** Finds contacts with a new ID. Missing contacts that have their former ID back are excluded. */
async function findNewIds(
  reader: Reader,
  integrationId: string,
  former: readonly Continuation[],
): Promise<Pairs> {
  const isBack = new Set(former.map(({ missing }) => missing));
  const listed = await listPaid(reader, integrationId).where(isMarked).execute();
  const missing = listed.filter(({ crm_id }) => !isBack.has(crm_id));
  const wanted = new Set(missing.map(detailsPaidFor));
  const due: NewContact[] = [];
  const isNew = () =>
    contacts(reader, integrationId)
      .select(['crm_id', 'identity', 'state', 'missing_since'])
      .where(canContinue)
      .where('asked_identity', 'is', null);
  if (missing.length === 0) return { found: [], undecided: [] };
  for await (const rows of inPages((after, limit) =>
    isNew().where('crm_id', '>', after).orderBy('crm_id').limit(limit).execute(),
  )) {
    const found = rows.filter(({ identity }) => wanted.has(detailsOf(identity)));
    for (const { crm_id: crmId, identity, state, missing_since: missingSince } of found) {
      const isMissing = missingSince !== null;
      due.push({ crmId, identity, mayBeErased: state === 'held', isMissing });
    }
  }
  return pair(missing, due);
}

/**
 * Pairs contacts with a changed ID and contacts with the former ID. The profile moved to the changed ID. The contact
 * with the former ID counts as paid for, but has no profile. Both have the same details, and the changed ID has left
 * the list.
 */
async function findFormerIds(reader: Reader, integrationId: string): Promise<Continuation[]> {
  const found: Continuation[] = [];
  for await (const rows of inPages((after, limit) =>
    listBack(reader, integrationId, after, limit),
  )) {
    const lastIds = await findLastIds(reader, integrationId, rows);
    const last = await findGone(reader, integrationId, [...lastIds.values()]);
    for (const row of rows) {
      const paid = last.get(lastIds.get(row.crm_id) ?? '');
      if (paid === undefined || !isPaidAgain(row, paid)) continue;
      const { crm_id: missing, asked_identity: _, ...what } = paid;
      const isKnown = what.donor_id !== null;
      found.push({ missing, newId: row.crm_id, isKnown, paid: what, isFormerId: true });
    }
  }
  // Two contacts may look alike, but only one of them can be the missing contact.
  return [...new Map(found.map((each) => [each.missing, each])).values()];
}

/** A listed contact whose profile was once moved to another ID. */
type BackRow = Awaited<ReturnType<typeof listBack>>[number];

/** Returns contacts that are in the list again after their ID was changed. */
function listBack(reader: Reader, integrationId: string, after: string, limit: number) {
  return contacts(reader, integrationId)
    .select(['crm_id', 'state', 'identity', 'asked_identity', 'asked_at', 'merged_into'])
    .where('merged_into', 'is not', null)
    .where('departure_read', '=', 0)
    .where('missing_since', 'is', null)
    .where('state', 'in', ['settled', 'due'])
    .where('asked_identity', 'is not', null)
    .where('crm_id', '>', after)
    .orderBy('crm_id')
    .limit(limit)
    .execute();
}

/** The maximum number of successive changes to a contact's ID. */
const MOST_IDS = 100;

/** Returns the latest ID of each contact whose ID was changed. */
async function findLastIds(
  reader: Reader,
  integrationId: string,
  back: readonly BackRow[],
): Promise<Map<string, string>> {
  const lastIds = new Map(back.map((row) => [row.crm_id, row.merged_into ?? '']));
  for (let times = 0; times < MOST_IDS; times += 1) {
    const rows = await findRows(reader, integrationId, [...new Set(lastIds.values())]);
    const moved = [...lastIds].flatMap(([id, lastId]) => {
      const next = rows.get(lastId);
      const hasContinued = next?.departure_read === 1 && next.merged_into !== null;
      return hasContinued ? [[id, next.merged_into ?? ''] as const] : [];
    });
    if (moved.length === 0) return lastIds;
    for (const [id, lastId] of moved) lastIds.set(id, lastId);
  }
  return lastIds;
}

/** Returns the paid contacts that are no longer in the list. */
async function findGone(
  reader: Reader,
  integrationId: string,
  ids: readonly string[],
): Promise<Map<string, PaidRow>> {
  const found = new Map<string, PaidRow>();
  for (const batch of inFilledBatches([...new Set(ids)])) {
    const rows = await listPaid(reader, integrationId)
      .where('crm_id', 'in', batch)
      .where((eb) => eb.or([isMarked(eb), eb('departure_read', '=', 1)]))
      .where('merged_into', 'is', null)
      .execute();
    for (const row of rows) found.set(row.crm_id, row);
  }
  return found;
}

/** True if the contact was paid for with these details and no other credit has been spent. */
function isPaidAgain(back: BackRow, paid: PaidRow): boolean {
  if (Number(back.asked_at) > Number(paid.asked_at)) return false;
  const details = detailsOf((back.state === 'due' ? back.identity : back.asked_identity) ?? '');
  return details !== null && details === detailsPaidFor(paid);
}

/**
 * Selects contacts that are due, left out, or held because they may be an erased person. A row that a merge created
 * does not belong to a run yet, so it does not count as left out.
 */
function canContinue(eb: ExpressionBuilder<Tables, 'contacts'>) {
  const isLeftOut = eb.and([
    eb('state', '=', 'settled'),
    eb('eligible', '=', 0),
    eb('outcome_run', 'is not', null),
    eb('outcome_reason', 'is distinct from', 'forgotten'),
  ]);
  return eb.or([eb('state', '=', 'due'), isLeftOut, mayBeErased(eb)]);
}

/** True for a contact that can still get the profile of a missing contact with the same details. */
export function waitsForProfile(contact: ContactRecord): boolean {
  if (contact.askedIdentity !== null) return false;
  const { state, outcomeReason } = contact;
  const isLeftOut = state === 'settled' && contact.eligible === 0 && contact.outcomeRun !== null;
  return state === 'due' || isSuspect(contact) || (isLeftOut && outcomeReason !== 'forgotten');
}

/** True for a contact that may be an erased person. */
export function isSuspect({ state, outcomeReason }: ContactRecord): boolean {
  return state === 'held' && outcomeReason === 'forgotten_person';
}

/** Selects contacts that are held until a user decides whether they are an erased person. */
function mayBeErased(eb: ExpressionBuilder<Tables, 'contacts'>) {
  return eb.and([eb('state', '=', 'held'), eb('outcome_reason', '=', 'forgotten_person')]);
}

/** A contact that has not cost a credit. */
interface NewContact {
  crmId: string;
  identity: string;
  /** True if the contact is held until a user decides whether it is an erased person. */
  mayBeErased?: boolean;
  /** True if the contact has left the list again, for example because the IDs have changed twice. */
  isMissing?: boolean;
}

/** Finds the pairs that a run would find, before the run starts. `seen` contains all contacts of a complete reading. */
export async function forecastContinuations(
  reader: Reader,
  integrationId: string,
  due: readonly NewContact[],
  seen: ReadonlySet<string>,
): Promise<Continuation[]> {
  const missing: PaidRow[] = [];
  const wanted = new Set(due.map(({ identity }) => detailsOf(identity)));
  if (due.length === 0) return [];
  for await (const rows of inPages((after, limit) =>
    listPaid(reader, integrationId)
      .where('state', '<>', 'removed')
      .where('departure_read', '=', 0)
      .where('crm_id', '>', after)
      .orderBy('crm_id')
      .limit(limit)
      .execute(),
  )) {
    missing.push(...rows.filter((row) => !seen.has(row.crm_id) && wanted.has(detailsPaidFor(row))));
  }
  return pair(missing, due).found;
}

/** Yields all rows by ID, in pages that are small enough for a transaction. */
async function* inPages<Row extends { crm_id: string }>(
  read: (after: string, limit: number) => Promise<Row[]>,
): AsyncGenerator<Row[], void> {
  for (let after = ''; ; ) {
    const rows = await read(after, ROWS_PER_TRANSACTION);
    if (rows.length > 0) yield rows;
    if (rows.length < ROWS_PER_TRANSACTION) return;
    after = rows.at(-1)?.crm_id ?? '';
  }
}

/** The reasons of contacts for which a user has requested another credit. */
const REQUESTED_BY_USER: DueReason[] = ['resubmitted_by_person', 'lost_answer_resubmitted'];

type PaidRow = Pick<ContactRow, 'crm_id' | 'asked_identity'> & Continuation['paid'];

/**
 * Lists missing contacts that were paid for. While a user decides whether a contact was paid for, its new contact waits
 * too.
 */
function listPaid(reader: Reader, integrationId: string) {
  return (
    contacts(reader, integrationId)
      .select(['crm_id', 'asked_identity', 'asked_at', 'last_credit', 'donor_id', 'enhanced_at'])
      .where('asked_at', 'is not', null)
      // A user wants to spend another credit, so the new contact is bought like any other contact.
      .where((eb) =>
        eb.not(eb.and([eb('state', '=', 'due'), eb('due_reason', 'in', REQUESTED_BY_USER)])),
      )
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom('questions')
              .select('questions.id')
              .whereRef('questions.integration_id', '=', 'contacts.integration_id')
              .whereRef('questions.crm_id', '=', 'contacts.crm_id')
              .where('questions.kind', '=', sql.lit(PAID_SINCE_BACKUP))
              .where('questions.decision', 'is', null),
          ),
        ),
      )
  );
}

/**
 * Returns the paid details without differences of spelling, because another program may export addresses differently.
 */
function detailsPaidFor({ asked_identity }: Pick<ContactRow, 'asked_identity'>): string | null {
  return detailsOf(asked_identity ?? '');
}

interface Pairs {
  found: Continuation[];
  /** The IDs of missing contacts that might belong to any of several new contacts. */
  undecided: string[];
}

/**
 * Pairs contacts with the same details. Each missing contact is used once, latest payment first. Contacts that are
 * certainly not an erased person come first, and contacts that are in the list come before contacts that have left it
 * again. If too few missing contacts remain for all contacts that may be an erased person, none of these contacts gets a
 * profile. Otherwise an erasure could delete a profile with the wrong contact, and the right contact would cost a credit.
 */
function pair(missing: readonly PaidRow[], due: readonly NewContact[]): Pairs {
  const inOrder = missing.toSorted(
    (a, b) => Number(b.asked_at) - Number(a.asked_at) || (a.crm_id < b.crm_id ? -1 : 1),
  );
  const byDetails = Map.groupBy(inOrder, detailsPaidFor);
  byDetails.delete(null);
  const dueByDetails = Map.groupBy(
    due.toSorted(
      (a, b) => Number(isMissing(a)) - Number(isMissing(b)) || (a.crmId < b.crmId ? -1 : 1),
    ),
    ({ identity }) => detailsOf(identity),
  );
  const pairs: Pairs = { found: [], undecided: [] };
  for (const [details, former] of byDetails) {
    const alike = dueByDetails.get(details) ?? [];
    const suspects = alike.filter(({ mayBeErased = false }) => mayBeErased);
    const others = alike.filter(({ mayBeErased = false }) => !mayBeErased);
    const left = former.slice(others.length);
    const listed = suspects.filter((contact) => !isMissing(contact));
    const areEnough = left.length >= (listed.length > 0 ? listed : suspects).length;
    if (!areEnough) pairs.undecided.push(...left.map(({ crm_id }) => crm_id));
    for (const [at, { crmId: newId }] of [...others, ...(areEnough ? suspects : [])].entries()) {
      const row = former[at];
      if (row === undefined) break;
      const { crm_id: missingId, asked_identity: _, ...paid } = row;
      const isKnown = paid.donor_id !== null;
      pairs.found.push({ missing: missingId, newId, isKnown, paid, isFormerId: false });
    }
  }
  return pairs;
}

function isMissing(contact: NewContact): boolean {
  return contact.isMissing ?? false;
}

/**
 * Passes the profiles of missing contacts on to the new contacts of the same people. If a missing contact has no
 * profile, only its credit is passed on.
 */
export async function continueContacts(
  trx: RunTransaction,
  runId: string,
  found: readonly Continuation[],
): Promise<void> {
  const run = { id: runId, now: trx.clock.now() };
  const back = found.flatMap(({ newId, isFormerId }) => (isFormerId ? newId : []));
  await move(trx, trx.lease, 'gotFormerIdBack', back, run);
  const left = found.map(({ missing, newId }) => ({ id: missing, mergedInto: newId }));
  await recordRemoved(trx, trx.lease, run, left);
  const paid = found.map((each) => ({ crm_id: each.newId, ...each.paid }));
  await move(trx, trx.lease, 'continued', paid, run);
}

function contacts(reader: Reader, integrationId: string) {
  return reader.selectFrom('contacts').where('integration_id', '=', integrationId);
}
