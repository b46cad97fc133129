import type { ContactChange, WriteResult } from '../contract.ts';
import { inLanes } from '../requests/lanes.ts';
import { throwIfStopped } from '../requests/stopped.ts';
import { canonicalId } from './record.ts';
import { updateBatch } from './rows/batch-update.ts';
import { noContactId } from './rows/row.ts';
import { BATCH_ROWS } from './rows/send.ts';
import type { HubspotSession } from './session.ts';
import { requireScope, WRITE_CONTACTS } from './sign-in/scopes.ts';

/** The maximum number of changes in one write. */
export const MAX_CHANGES = 100_000;

/**
 * The maximum number of requests in flight at the same time. The number is sufficient even if a request takes most of a
 * second.
 */
const LANES = 16;

interface Batch {
  changes: ContactChange[];
  /** True if an earlier batch may contain a change to the same contact. */
  mustWait: boolean;
}

/**
 * Writes changes. The changes to one contact are written in order. If a whole request fails, the function waits for the
 * requests in flight and returns their results.
 */
export async function* writeChanges(
  session: HubspotSession,
  changes: Iterable<ContactChange> | AsyncIterable<ContactChange>,
): AsyncGenerator<WriteResult> {
  yield* inLanes(toBatches(changes), {
    lanes: LANES,
    mustWait: ({ mustWait }) => mustWait,
    work: (batch) => writeBatch(session, batch.changes),
  });
}

async function writeBatch(
  session: HubspotSession,
  batch: readonly ContactChange[],
): Promise<WriteResult[]> {
  throwIfStopped(session.signal);
  requireScope(session.signIn, WRITE_CONTACTS);
  // HubSpot also accepts other forms of an ID, but its response contains the canonical form.
  const isOurs = ({ id }: ContactChange) => canonicalId(id) === id;
  const strangers = batch.filter((change) => !isOurs(change));
  const contacts = batch.filter(isOurs);
  const refused = strangers.map(({ id }) => noContactId(id));
  if (contacts.length === 0) return refused;
  return [...refused, ...(await updateBatch(session, contacts))];
}

/**
 * Yields batches in which each contact occurs once. HubSpot rejects a request that contains a contact twice, and it
 * does not keep the order of requests.
 */
async function* toBatches(
  changes: Iterable<ContactChange> | AsyncIterable<ContactChange>,
): AsyncGenerator<Batch> {
  let batch: Batch = { changes: [], mustWait: false };
  const sent = new Set<string>();
  for await (const change of changes) {
    const isRepeated = sent.has(change.id) || sent.size === MAX_CHANGES;
    if (isRepeated || batch.changes.length === BATCH_ROWS) {
      if (batch.changes.length > 0) yield batch;
      batch = { changes: [], mustWait: isRepeated };
      if (isRepeated) sent.clear();
    }
    batch.changes.push(change);
    sent.add(change.id);
  }
  if (batch.changes.length > 0) yield batch;
}
