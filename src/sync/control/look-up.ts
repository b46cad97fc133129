/** Records of the CRM by id, in batches as large as it takes. */
import type { Connector, RecordLookup } from '../../../connectors/contract.ts';
import { inParallel, splitIntoBatches } from '../../core/parallel.ts';

/** Batches under way at a time where each of them is a request to a CRM somewhere else. */
const BATCHES_AT_ONCE = 6;

/** Returns those of these contacts that `contacts.filter` includes now; null if the connector cannot tell. */
export async function lookUpIncluded(
  connector: Pick<Connector, 'findIncluded' | 'capabilities'>,
  ids: readonly string[],
): Promise<Set<string> | null> {
  if (connector.findIncluded === undefined) return null;
  const included = new Set<string>();
  for (const batch of splitIntoBatches(ids, connector.capabilities.readBatch)) {
    for (const id of await connector.findIncluded(batch)) included.add(id);
  }
  return included;
}

/** What became of these contacts, each with the present values of the fields, in the order of the ids. */
export async function lookUp(
  connector: Pick<Connector, 'readByIds' | 'capabilities'>,
  ids: readonly string[],
  fields: readonly string[] = [],
): Promise<RecordLookup[]> {
  const atOnce = connector.capabilities.remote ? BATCHES_AT_ONCE : 1;
  const batches = splitIntoBatches(ids, connector.capabilities.readBatch);
  return (await inParallel(batches, atOnce, (some) => connector.readByIds(some, fields))).flat();
}
