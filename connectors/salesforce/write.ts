import { splitIntoBatches } from '../../src/core/parallel.ts';
import type { ContactChange, WriteResult } from '../contract.ts';
import { inLanes } from '../requests/lanes.ts';
import { throwIfStopped } from '../requests/stopped.ts';
import { writeInBulk } from './bulk/bulk-ingest.ts';
import { findTouched } from './bulk/touched.ts';
import { getDigits } from './fields.ts';
import { contactId } from './ids.ts';
import { type CollectionResult, writeCollection } from './rows/collections.ts';
import { COLLECTION_ROWS } from './rows/lessons.ts';
import {
  createUnsettled,
  refused,
  type SentChange,
  type Unsettled,
  withoutNamed,
} from './rows/refusals.ts';
import { settle } from './rows/settle.ts';
import type { SalesforceSession } from './session.ts';

/**
 * The number of requests in flight at a time. With more requests, most of them would wait for locks on the same
 * accounts.
 */
const COLLECTIONS_AT_ONCE = 3;

/** The maximum number of changes in one write. The changes stay in memory until their results are known. */
export const MAX_CHANGES = 100_000;

/**
 * Writes changes, and uses the Bulk API for many changes. A batch never contains two changes to the same contact,
 * because Salesforce rejects such a request. A Bulk API job also does not keep the order of the changes.
 */
export async function* writeChanges(
  session: SalesforceSession,
  changes: Iterable<ContactChange> | AsyncIterable<ContactChange>,
): AsyncGenerator<WriteResult> {
  for await (const batch of distinctBatches(changes)) {
    throwIfStopped(session.signal);
    yield* writeBatch(session, batch);
  }
}

/** Changes to different contacts. The map's key is the 18-character ID of the contact. */
interface ChangeBatch {
  changes: Map<string, ContactChange>;
  /** Changes whose IDs are not contact IDs. */
  strangers: ContactChange[];
}

async function* distinctBatches(
  changes: Iterable<ContactChange> | AsyncIterable<ContactChange>,
): AsyncGenerator<ChangeBatch> {
  let batch: ChangeBatch = { changes: new Map(), strangers: [] };
  for await (const change of changes) {
    const id = contactId(change.id);
    if (id === null) {
      batch.strangers.push(change);
      continue;
    }
    if (batch.changes.has(id) || batch.changes.size === MAX_CHANGES) {
      yield batch;
      batch = { changes: new Map(), strangers: [] };
    }
    batch.changes.set(id, change);
  }
  yield batch;
}

async function* writeBatch(
  session: SalesforceSession,
  { changes, strangers }: ChangeBatch,
): AsyncGenerator<WriteResult> {
  yield* strangers.map(noContactId);
  const unsettled = createUnsettled();
  const all: SentChange[] = [];
  for (const change of changes.values()) {
    const sendable = withoutTooExact(session, change);
    if ('status' in sendable) yield sendable;
    else all.push(sendable);
  }
  yield* writePass(session, all, unsettled);
  yield* settle(session, unsettled, writePass);
}

/**
 * Omits numbers with more decimals than their field can store. Salesforce would round these numbers and confirm them.
 * If no value remains, returns the result of the change.
 */
function withoutTooExact(
  { description }: SalesforceSession,
  change: ContactChange,
): SentChange | WriteResult {
  const fields = Object.entries(change.values).flatMap(([name, value]) => {
    const field = description.fields.get(name);
    const places = field === undefined ? null : getDigits(field).decimalDigits;
    const isTooExact =
      typeof value === 'number' && places !== null && Number(value.toFixed(places)) !== value;
    return isTooExact ? [name] : [];
  });
  if (fields.length === 0) return change;
  const faults = [{ code: TOO_EXACT, message: '', fields }];
  const rest = change.together === true ? null : withoutNamed(change, faults);
  return rest ?? refused(change, faults);
}

/** The code with which Salesforce refuses a number that its field cannot hold. */
const TOO_EXACT = 'NUMBER_OUTSIDE_VALID_RANGE';

/**
 * Writes each change once, and uses the Bulk API if there are many. The Bulk API always runs triggers for 200 records.
 * donor-sync therefore does not use it after the org's triggers have exceeded a limit with fewer records.
 */
async function* writePass(
  session: SalesforceSession,
  changes: readonly SentChange[],
  unsettled: Unsettled,
): AsyncGenerator<WriteResult> {
  const { settings, lessons } = session;
  if (changes.length < settings.bulkThreshold || lessons.mostRows < COLLECTION_ROWS) {
    yield* writeInCollections(session, changes, unsettled);
    return;
  }
  const touched = await findTouched(session, changes);
  const untouched = changes.filter((change) => !touched.has(change) && !change.alone);
  const apart = yield* writeInBulk(session, untouched, unsettled);
  const alone = changes.filter((change) => change.alone && !touched.has(change));
  yield* writeInCollections(session, [...touched, ...alone, ...apart], unsettled);
}

/** Writes 200 changes per request, with a few requests at a time. donor-sync must send some changes alone. */
async function* writeInCollections(
  session: SalesforceSession,
  changes: readonly SentChange[],
  unsettled: Unsettled,
): AsyncGenerator<WriteResult> {
  let failure: CollectionResult['failure'] = null;
  const together = changes.filter(({ alone }) => !alone);
  const alone = changes.flatMap((change) => (change.alone ? [[change]] : []));
  yield* inLanes([...splitIntoBatches(together, COLLECTION_ROWS), ...alone], {
    lanes: COLLECTIONS_AT_ONCE,
    async work(rows) {
      throwIfStopped(session.signal);
      if (failure !== null) throw failure.error;
      const written = await writeCollection(session, rows);
      unsettled.locked.push(...written.locked);
      unsettled.unnamed.push(...written.unnamed);
      failure ??= written.failure;
      return written.results;
    },
  });
  rethrow(failure);
}

/** Throws the error that stopped the writing. The earlier results have already been reported. */
function rethrow(failure: CollectionResult['failure']): void {
  if (failure !== null) throw failure.error;
}

function noContactId({ id }: ContactChange): WriteResult {
  return {
    status: 'refused',
    id,
    retriable: false,
    code: 'MALFORMED_ID',
    message: 'This is not a contact ID.',
    fields: [],
  };
}
