import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { together } from '../../connectors/requests/ahead.ts';
import { toArray } from './connector-options.ts';

describe('work on several items at the same time', () => {
  it('has ended when its caller leaves early', async () => {
    const { results, working } = startWork();
    for await (const result of results) {
      expect(result).toBe(1);
      expect(working()).toBeGreaterThan(0);
      break;
    }
    expect(working()).toBe(0);
  });

  it('has ended when an item fails', async () => {
    const { results, working } = startWork({ failing: 1 });
    await expect(toArray(results)).rejects.toThrow('Item 1 failed.');
    expect(working()).toBe(0);
  });
});

/** Starts work on five items, three at a time. Each item takes longer than the item before. */
function startWork({ failing = 0 }: { failing?: number } = {}) {
  let inProgress = 0;
  const results = together(items(), 3, async (item) => {
    inProgress += 1;
    await sleep(item * 20);
    inProgress -= 1;
    if (item === failing) throw new Error(`Item ${item} failed.`);
    return item;
  });
  return { results, working: () => inProgress };
}

async function* items() {
  yield* [1, 2, 3, 4, 5];
}
