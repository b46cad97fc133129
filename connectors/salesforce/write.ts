import type { ContactChange, WriteResult } from '../contract.ts';
import { throwIfStopped } from '../stopped.ts';
import { writeInBulk } from './bulk/bulk-ingest.ts';
import { contactId, contactIdOrText } from './ids.ts';
import { writeCollection } from './rows/collections.ts';
import { retryLocked } from './rows/locks.ts';
import type { SentChange } from './rows/refusals.ts';
import type { SalesforceSession } from './session.ts';

/** Records of one request to the collections: the most that Salesforce takes. */
export const COLLECTION_ROWS = 200;

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
  for await (const portion of portionsOf(changes)) {
    throwIfStopped(session.signal);
    yield* writePortion(session, portion);
  }
}

/** Changes by the id of their contact in its long form. */
type Portion = Map<string, ContactChange>;

async function* portionsOf(
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

/** Writes by 200 at a time; what was locked is tried again alone once the rest is written. */
async function* writeInCollections(
  session: SalesforceSession,
  changes: readonly ContactChange[],
): AsyncGenerator<WriteResult> {
  const locked: SentChange[] = [];
  for (let start = 0; start < changes.length; start += COLLECTION_ROWS) {
    const rows = changes.slice(start, start + COLLECTION_ROWS);
    const written = await writeCollection(session, rows);
    yield* written.results;
    locked.push(...written.locked);
  }
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
