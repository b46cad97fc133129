import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { inLanes } from '../../connectors/requests/lanes.ts';

describe('inLanes', () => {
  it('works at so many at a time, and brings what comes first', async () => {
    let underWay = 0;
    let most = 0;
    const results: number[] = [];
    const lanes = inLanes([40, 1, 10], {
      lanes: 2,
      async work(ms) {
        underWay += 1;
        most = Math.max(most, underWay);
        await sleep(ms);
        underWay -= 1;
        return [ms];
      },
    });
    for await (const ms of lanes) results.push(ms);
    expect(results).toEqual([1, 10, 40]);
    expect(most).toBe(2);
  });

  it('begins what must wait once all before it have ended', async () => {
    const events: string[] = [];
    const lanes = inLanes(['one', 'two', 'same'], {
      lanes: 3,
      mustWait: (name) => name === 'same',
      async work(name) {
        events.push(`${name} begins`);
        await sleep(5);
        events.push(`${name} ends`);
        return [name];
      },
    });
    for await (const _ of lanes);
    expect(events.slice(0, 2)).toEqual(['one begins', 'two begins']);
    expect(events.slice(-2)).toEqual(['same begins', 'same ends']);
  });

  it('reports what was under way when one fails, then throws, and begins no other', async () => {
    const begun: string[] = [];
    const results: string[] = [];
    const lanes = inLanes(['slow', 'fails', 'late'], {
      lanes: 2,
      async work(name) {
        begun.push(name);
        if (name === 'fails') throw new Error('It failed.');
        await sleep(20);
        return [name];
      },
    });
    const reading = (async () => {
      for await (const name of lanes) results.push(name);
    })();
    await expect(reading).rejects.toThrow('It failed.');
    expect({ begun, results }).toEqual({ begun: ['slow', 'fails'], results: ['slow'] });
  });
});
