import { measureConnections } from '../connections.ts';
import { atMost, type Figure, plain, round, type Scenario } from '../figure.ts';

export const connections: Scenario = {
  name: 'connections',
  title: 'the connections of 1,000,000 donors with 10,000,000 roles and gifts',
  measure: measureMillion,
};

async function measureMillion(): Promise<Figure[]> {
  const measured = await measureConnections(1_000_000);
  const { lookupMs, bestConnectedLookupMs } = measured;
  const lookups = [...lookupMs, ...bestConnectedLookupMs];
  return [
    plain('time to build the world', round(measured.buildSeconds), 's'),
    plain('peak resident memory, building', measured.buildMegabytes ?? 0, 'MB'),
    plain('time to open it again', round(measured.reopenSeconds), 's'),
    plain('people around the best connected', measured.mostShared, ''),
    atMost('lookup, p50', quantile(lookups, 0.5), 'ms', 20),
    atMost('lookup, p99', quantile(lookups, 0.99), 'ms', 200),
    atMost('lookup of the best connected, p99', quantile(bestConnectedLookupMs, 0.99), 'ms', 200),
    atMost('single add, p99', quantile(measured.singleAddMs, 0.99), 'ms', 300),
    atMost('bulk add of 100', round(measured.bulkAddSeconds), 's', 10),
    atMost('discover, 500 members, p99', quantile(measured.discoverMs, 0.99), 'ms', 100),
    atMost('compare of 100 prospects, p99', quantile(measured.compareMs, 0.99), 'ms', 50),
    atMost('peak resident memory, serving', measured.servingMegabytes ?? 0, 'MB', 1_000),
  ];
}

/** The smallest of the values that a share of them does not exceed. */
function quantile(values: readonly number[], share: number): number {
  const rising = values.toSorted((a, b) => a - b);
  return round(rising[Math.ceil(share * rising.length) - 1] ?? 0);
}
