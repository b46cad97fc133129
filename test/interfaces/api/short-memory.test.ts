import { expect, it } from 'vitest';
import { createBriefCache } from '../../../src/interfaces/pages/runs/brief-cache.ts';
import { createFakeClock } from '../../helpers/fake-clock.ts';

it('makes once what many ask for at the same moment, and anew a little later or after a failure', async () => {
  const clock = createFakeClock(0);
  const memory = createBriefCache<number>(clock);
  let made = 0;
  const make = async () => {
    made += 1;
    return made;
  };
  expect(await Promise.all([memory.get('a', make), memory.get('a', make)])).toEqual([1, 1]);
  expect(await memory.get('b', make)).toBe(2);
  await clock.advance(2_001);
  expect(await memory.get('a', make)).toBe(3);
  await expect(memory.get('c', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(await memory.get('c', make)).toBe(4);
});

it('keeps no more than some, the newest', async () => {
  const memory = createBriefCache<string>(createFakeClock(0));
  for (let index = 0; index < 50; index += 1) await memory.get(`${index}`, async () => 'before');
  expect(await memory.get('0', async () => 'anew')).toBe('anew');
  expect(await memory.get('49', async () => 'anew')).toBe('before');
});

it('makes nothing anew that is asked for once more while there are many', async () => {
  const memory = createBriefCache<string>(createFakeClock());
  const made: string[] = [];
  const get = (key: string) =>
    memory.get(key, async () => {
      made.push(key);
      return key;
    });
  for (let run = 0; run < 20; run += 1) await get(`run ${run}`);
  expect(await get('run 0')).toBe('run 0');
  expect(made).toHaveLength(20);
  await get('run 20');
  await get('run 0');
  expect(made).toHaveLength(22);
});
