import { describe, expect, it } from 'vitest';
import { carriedText, toFunnel } from '../../src/interfaces/pages/runs/funnel.ts';

const NONE = { unchanged: 0, skipped: 0, failed: 0, held: 0, waiting: 0 };

describe('the stations of a run', () => {
  it('never have more contacts than the station before, and count carried-over contacts separately', () => {
    const contacts = { ...NONE, read: 33, chosen: 84, submitted: 84, enhanced: 81, written: 83 };
    const { stations, carried } = toFunnel(contacts);
    expect(stations.map(({ count }) => count)).toEqual([33, 33, 33, 33, 33]);
    expect(carried).toEqual([
      { station: 'chosen', count: 51, shown: 33, all: 84 },
      { station: 'submitted', count: 51, shown: 33, all: 84 },
      { station: 'enhanced', count: 48, shown: 33, all: 81 },
      { station: 'written', count: 50, shown: 33, all: 83 },
    ]);
    expect(carried.map(carriedText).at(-1)).toBe('50 written (33 + 50 = 83)');
  });

  it('are the counts of the run if nothing was carried over', () => {
    const contacts = { ...NONE, read: 90, chosen: 84, submitted: 84, enhanced: 81, written: 80 };
    const { stations, carried } = toFunnel(contacts);
    expect(stations.map(({ count }) => count)).toEqual([90, 84, 84, 81, 80]);
    expect(carried).toEqual([]);
  });
});
