import { describe, expect, it } from 'vitest';
import { createSlices, whileOpen } from '../../service/slices.ts';

/** How long the next slice takes, by a clock that only moves forward in whole milliseconds when it is read. */
async function lengthOfSlice(): Promise<number> {
  let ms = 0;
  const slices = createSlices(() => ms);
  await slices.next();
  while (!slices.isOver()) ms += 1;
  return ms;
}

/** Keeps requests open during some work, and lets every second one fail. */
async function withOpenRequests<T>(count: number, work: () => Promise<T>): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const requests = Array.from({ length: count }, (_, index) =>
    whileOpen(async () => {
      await promise;
      if (index % 2 === 0) throw new Error('failed');
    }),
  );
  const result = await work();
  resolve();
  await Promise.allSettled(requests);
  return result;
}

describe('a slice of long work', () => {
  it('is shorter the more requests wait for it, so that all of them together wait no longer', async () => {
    expect(await lengthOfSlice()).toBe(8);
    expect(await withOpenRequests(1, lengthOfSlice)).toBe(8);
    expect(await withOpenRequests(4, lengthOfSlice)).toBe(2);
  });

  it('is never so short that changing between slices costs more than the work', async () => {
    expect(await withOpenRequests(1_000, lengthOfSlice)).toBe(1);
  });

  it('is as long as before once requests have been answered or have failed', async () => {
    await withOpenRequests(20, lengthOfSlice);
    expect(await lengthOfSlice()).toBe(8);
  });
});
