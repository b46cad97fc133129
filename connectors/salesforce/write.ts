import { portionsOf } from '../../src/core/parallel.ts';
import type { ContactChange, WriteResult } from '../contract.ts';
import { inLanes } from '../lanes.ts';
import { throwIfStopped } from '../stopped.ts';
import { writeInBulk } from './bulk/bulk-ingest.ts';
import { contactId } from './ids.ts';
import { writeCollection } from './rows/collections.ts';
import { createUnsettled, type SentChange, type Unsettled } from './rows/refusals.ts';
import { settle } from './rows/settle.ts';
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

/** Changes of different contacts, by their ids in the long form. */
interface Portion {
  changes: Map<string, ContactChange>;
  /** Those whose ids are of no contact. */
  strangers: ContactChange[];
}

async function* distinctPortions(
  changes: Iterable<ContactChange> | AsyncIterable<ContactChange>,
): AsyncGenerator<Portion> {
  let portion: Portion = { changes: new Map(), strangers: [] };
  for await (const change of changes) {
    const id = contactId(change.id);
    if (id === null) {
      portion.strangers.push(change);
      continue;
    }
    if (portion.changes.has(id) || portion.changes.size === MAX_CHANGES) {
      yield portion;
      portion = { changes: new Map(), strangers: [] };
    }
    portion.changes.set(id, change);
  }
  yield portion;
}

async function* writePortion(
  session: SalesforceSession,
  { changes, strangers }: Portion,
): AsyncGenerator<WriteResult> {
  yield* strangers.map(noContactId);
  const unsettled = createUnsettled();
  const all = [...changes.values()];
  yield* writePass(session, all, unsettled);
  yield* settle(session, unsettled, writePass);
}

/** Writes each change once, by the Bulk API if they are many. */
async function* writePass(
  session: SalesforceSession,
  changes: readonly SentChange[],
  unsettled: Unsettled,
): AsyncGenerator<WriteResult> {
  if (changes.length < session.settings.bulkThreshold) {
    yield* writeInCollections(session, changes, unsettled);
    return;
  }
  const apart = yield* writeInBulk(session, changes, unsettled);
  yield* writeInCollections(session, apart, unsettled);
}

/** Writes 200 in a request, a few requests at a time. */
async function* writeInCollections(
  session: SalesforceSession,
  changes: readonly SentChange[],
  unsettled: Unsettled,
): AsyncGenerator<WriteResult> {
  yield* inLanes(portionsOf(changes, COLLECTION_ROWS), {
    lanes: COLLECTIONS_AT_ONCE,
    async work(rows) {
      throwIfStopped(session.signal);
      const written = await writeCollection(session, rows);
      unsettled.locked.push(...written.locked);
      unsettled.unnamed.push(...written.unnamed);
      return written.results;
    },
  });
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
