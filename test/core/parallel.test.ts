import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { inParallel, splitIntoBatches } from '../../src/core/parallel.ts';

describe('inParallel', () => {
  it('works at a few items at a time, and keeps their order', async () => {
    let underWay = 0;
    let most = 0;
    const results = await inParallel([30, 5, 20, 1], 2, async (ms) => {
      underWay += 1;
      most = Math.max(most, underWay);
      await sleep(ms);
      underWay -= 1;
      return ms;
    });
    expect(results).toEqual([30, 5, 20, 1]);
    expect(most).toBe(2);
  });

  it('lets nothing go on behind an error', async () => {
    const begun: string[] = [];
    const ended: string[] = [];
    const work = inParallel(['fails', 'slow', 'late'], 2, async (name) => {
      begun.push(name);
      if (name === 'fails') throw new Error('It failed.');
      await sleep(20);
      ended.push(name);
      return name;
    });
    await expect(work).rejects.toThrow('It failed.');
    expect({ begun, ended }).toEqual({ begun: ['fails', 'slow'], ended: ['slow'] });
  });
});

describe('portionsOf', () => {
  it('leaves nothing out', () => {
    expect(splitIntoBatches([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]]);
    expect(splitIntoBatches([], 2)).toEqual([]);
  });
});
