import { portionsOf } from '../../src/core/parallel.ts';
import type { ContactChange, WriteResult } from '../contract.ts';
import { inLanes } from '../lanes.ts';
import { throwIfStopped } from '../stopped.ts';
import { writeInBulk } from './bulk/bulk-ingest.ts';
import { contactId, contactIdOrText } from './ids.ts';
import { writeCollection } from './rows/collections.ts';
import { retryLocked } from './rows/locks.ts';
import type { SentChange } from './rows/refusals.ts';
import type { SalesforceSession } from './session.ts';

/** Records of one request to the collections: the most that Salesforce takes. */
export const COLLECTION_ROWS = 200;

/** Requests under way at a time: more would mostly wait for the same accounts. */
const COLLECTIONS_AT_ONCE = 3;

/** The most changes that one write should be given; they are held until their results are known. */
export const MAX_CHANGES = 100_000;

/**
 * Writes the changes, by the Bulk API if they are many. A portion never holds two changes of the
 * same contact, since Salesforce refuses that in one request and keeps no order in a job.
 */
export async function* writeChanges(
  session: SalesforceSession,
  changes: Iterable<ContactChange> | AsyncIterable<ContactChange>,
): AsyncGenerator<WriteResult> {
  for await (const portion of distinctPortions(changes)) {
    throwIfStopped(session.signal);
    yield* writePortion(session, portion);
  }
}

/** Changes by the id of their contact in its long form. */
type Portion = Map<string, ContactChange>;

async function* distinctPortions(
  changes: Iterable<ContactChange> | AsyncIterable<ContactChange>,
): AsyncGenerator<Portion> {
  let portion: Portion = new Map();
  for await (const change of changes) {
    const id = contactIdOrText(change.id);
    if (portion.has(id) || portion.size === MAX_CHANGES) {
      yield portion;
      portion = new Map();
    }
    portion.set(id, change);
  }
  if (portion.size > 0) yield portion;
}

async function* writePortion(
  session: SalesforceSession,
  portion: Portion,
): AsyncGenerator<WriteResult> {
  for (const [id, change] of portion) {
    if (contactId(id) !== null) continue;
    portion.delete(id);
    yield noContactId(change);
  }
  if (portion.size >= session.settings.bulkThreshold) yield* writeInBulk(session, portion);
  else yield* writeInCollections(session, [...portion.values()]);
}

/**
 * Writes 200 in a request, a few requests at a time; what was locked, also by another one of these, is
 * tried again alone once the rest is written.
 */
async function* writeInCollections(
  session: SalesforceSession,
  changes: readonly ContactChange[],
): AsyncGenerator<WriteResult> {
  const locked: SentChange[] = [];
  yield* inLanes(portionsOf(changes, COLLECTION_ROWS), {
    lanes: COLLECTIONS_AT_ONCE,
    async work(rows) {
      throwIfStopped(session.signal);
      const written = await writeCollection(session, rows);
      locked.push(...written.locked);
      return written.results;
    },
  });
  yield* retryLocked(session, locked);
}

function noContactId({ id }: ContactChange): WriteResult {
  return {
    status: 'refused',
    id,
    retriable: false,
    code: 'MALFORMED_ID',
    message: 'This is not the id of a contact.',
    fields: [],
  };
}
