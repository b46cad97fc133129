import { backoffMs } from '../../../src/outbound/retry.ts';
import type { WriteResult } from '../../contract.ts';
import { throwIfStopped } from '../../requests/stopped.ts';
import { contactIdOrText } from '../ids.ts';
import { queryRecords, quotedList } from '../query.ts';
import type { SalesforceSession } from '../session.ts';
import { writeCollection } from './collections.ts';
import { refusal, type SentChange, type Unsettled } from './refusals.ts';

/**
 * The maximum number of attempts to write records that are still locked. The first attempt follows after
 * `FIRST_WAIT_MS`, and each further wait is twice as long.
 */
const ROUNDS = 3;
const FIRST_WAIT_MS = 400;

/** The number of records in one query for their accounts. A query for more records would have too long an address. */
const IDS_PER_QUERY = 200;

/**
 * Writes locked changes again. donor-sync writes the contacts of one account together, because they need the same lock.
 * donor-sync processes the accounts one after another, so a locked account does not delay other accounts' contacts. If
 * Salesforce rejects a change without naming a field, adds the change to `unsettled`.
 */
export async function* retryLocked(
  session: SalesforceSession,
  changes: readonly SentChange[],
  unsettled: Pick<Unsettled, 'unnamed'>,
): AsyncGenerator<WriteResult> {
  if (changes.length === 0) return;
  let groups = await byAccount(session, changes);
  for (let round = 0; round < ROUNDS && groups.length > 0; round += 1) {
    const waitMs = backoffMs(FIRST_WAIT_MS, round + 1, session.random);
    await session.clock.sleep(waitMs, session.signal);
    throwIfStopped(session.signal);
    const stillLocked: SentChange[][] = [];
    for (const group of groups) {
      const { results, locked, unnamed, failure } = await writeCollection(session, group);
      unsettled.unnamed.push(...unnamed);
      yield* results;
      if (failure !== null) throw failure.error;
      if (locked.length > 0) stillLocked.push(locked);
    }
    groups = stillLocked;
  }
  for (const { id } of groups.flat()) yield refusal(id, LOCKED);
}

const LOCKED = { code: 'UNABLE_TO_LOCK_ROW', message: '', fields: [] };

/** Groups the changes by account. Contacts without an account form a separate group. */
async function byAccount(
  { api }: SalesforceSession,
  changes: readonly SentChange[],
): Promise<SentChange[][]> {
  const accounts = new Map<string, string>();
  for (let start = 0; start < changes.length; start += IDS_PER_QUERY) {
    const ids = changes.slice(start, start + IDS_PER_QUERY).map(({ id }) => contactIdOrText(id));
    const soql = `SELECT Id, AccountId FROM Contact WHERE Id IN ${quotedList(ids)}`;
    for (const { Id, AccountId } of await queryRecords(api, soql)) {
      if (typeof AccountId === 'string') accounts.set(String(Id), AccountId);
    }
  }
  const groups = Map.groupBy(changes, ({ id }) => accounts.get(contactIdOrText(id)) ?? id);
  return [...groups.values()].flatMap(inRequests);
}

/** Splits a group of changes into requests. An account may have more contacts than one request can contain. */
function inRequests(group: SentChange[]): SentChange[][] {
  const requests: SentChange[][] = [];
  for (let start = 0; start < group.length; start += IDS_PER_QUERY) {
    requests.push(group.slice(start, start + IDS_PER_QUERY));
  }
  return requests;
}
