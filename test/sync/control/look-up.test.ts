import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Connector } from '../../../connectors/contract.ts';
import { plainConnector } from '../../../connectors/plain.ts';
import { lookUp } from '../../../src/sync/control/look-up.ts';

describe('lookUp', () => {
  it('asks a CRM behind a network about several batches at a time, and keeps their order', async () => {
    const { connector, most } = aCrm(true);
    const lookups = await lookUp(connector, ['1', '2', '3', '4', '5'], ['Title']);
    expect(lookups.map(({ id }) => id)).toEqual(['1', '2', '3', '4', '5']);
    expect(most()).toBe(3);
  });

  it('asks a file about one batch after the other', async () => {
    const { connector, most } = aCrm(false);
    expect(await lookUp(connector, ['1', '2', '3'])).toHaveLength(3);
    expect(most()).toBe(1);
  });
});

/**
 * Creates a CRM that contains no contacts and accepts two IDs per request. `most` is the largest number of requests
 * that were in flight at one time.
 */
function aCrm(remote: boolean) {
  let underWay = 0;
  let most = 0;
  const connector: Pick<Connector, 'readByIds' | 'capabilities'> = {
    capabilities: { ...plainConnector.capabilities, remote, readBatch: 2 },
    async readByIds(ids) {
      underWay += 1;
      most = Math.max(most, underWay);
      await sleep(5);
      underWay -= 1;
      return ids.map((id) => ({ state: 'removed', id, mergedInto: null }));
    },
  };
  return { connector, most: () => most };
}
