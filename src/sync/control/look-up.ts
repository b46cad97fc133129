/** Reads CRM records by ID. Each batch of IDs has the maximum size that the CRM accepts. */
import type { Connector, RecordLookup } from '../../../connectors/contract.ts';
import { inParallel, splitIntoBatches } from '../../core/parallel.ts';

/** The number of simultaneous batches if each batch is a request to a remote CRM. */
const BATCHES_AT_ONCE = 6;

/**
 * Returns the contacts that `contacts.filter` now includes. Returns null if the connector cannot apply the filter to
 * single contacts.
 */
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

/** Returns the state of these contacts in the order of their IDs, with the current values of the given fields. */
export async function lookUp(
  connector: Pick<Connector, 'readByIds' | 'capabilities'>,
  ids: readonly string[],
  fields: readonly string[] = [],
): Promise<RecordLookup[]> {
  const atOnce = connector.capabilities.remote ? BATCHES_AT_ONCE : 1;
  const batches = splitIntoBatches(ids, connector.capabilities.readBatch);
  return (await inParallel(batches, atOnce, (some) => connector.readByIds(some, fields))).flat();
}
