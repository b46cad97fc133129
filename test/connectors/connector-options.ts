import type { ConnectorDeps } from '../../connectors/contract.ts';
import { systemClock } from '../../src/core/clock.ts';
import { silentLog } from '../../src/core/log.ts';

/** What a connector is given in a test: the machine's clock, no log, no secrets. */
export function connectorDeps(signal?: AbortSignal): ConnectorDeps {
  return {
    clock: systemClock,
    log: silentLog,
    signal: signal ?? new AbortController().signal,
    secrets: { read: async () => null, write: async () => {} },
    onCall() {},
  };
}

/** Everything that an asynchronous reading yields. */
export async function toArray<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
