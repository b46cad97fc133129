import { describe, expect, it } from 'vitest';
import { countOpen, createSlices, whileOpen } from '../../service/slices.ts';

/** Returns the duration of a slice (ms). The test's clock moves only between two readings. */
async function lengthOfSlice(requests: number): Promise<number> {
  let ms = 0;
  const slices = createSlices(
    () => ms,
    () => requests,
  );
  await slices.next();
  while (!slices.isOver()) ms += 1;
  return ms;
}

describe('a slice of long work', () => {
  it('is shorter the more requests wait for it, so that all of them together wait no longer', async () => {
    expect(await lengthOfSlice(0)).toBe(8);
    expect(await lengthOfSlice(1)).toBe(8);
    expect(await lengthOfSlice(4)).toBe(2);
  });

  it('is never so short that changing between slices costs more than the work', async () => {
    expect(await lengthOfSlice(1_000)).toBe(1);
  });

  it('counts requests until they are answered or have failed', async () => {
    // The count includes requests that other tests in this process left open.
    const before = countOpen();
    const { promise, resolve } = Promise.withResolvers<void>();
    const requests = Array.from({ length: 20 }, (_, index) =>
      whileOpen(async () => {
        await promise;
        if (index % 2 === 0) throw new Error('failed');
      }),
    );
    expect(countOpen() - before).toBe(20);
    resolve();
    await Promise.allSettled(requests);
    expect(countOpen()).toBe(before);
  });
});
