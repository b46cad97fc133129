import type { ConnectorDeps } from '../../connectors/contract.ts';
import { testDeps } from '../../connectors/testing/conformance.ts';

/** Returns a connector's options for a test. They contain the machine's clock, no log and no secrets. */
export function connectorDeps(signal?: AbortSignal): ConnectorDeps {
  return testDeps(signal && { signal });
}

export async function toArray<Item>(items: AsyncIterable<Item> | Iterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
