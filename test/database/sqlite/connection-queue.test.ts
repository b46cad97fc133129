import { describe, expect, it } from 'vitest';
import { createConnectionQueue } from '../../../src/database/sqlite/connection-queue.ts';

describe('createConnectionQueue', () => {
  it('gives the connection to one at a time, in the order of asking', async () => {
    const queue = createConnectionQueue();
    const log: string[] = [];
    async function use(name: string): Promise<void> {
      await queue.enter();
      log.push(`${name} enters`);
      await Promise.resolve();
      log.push(`${name} leaves`);
      queue.leave();
    }
    await Promise.all(['a', 'b', 'c'].map(use));
    expect(log).toEqual(['a enters', 'a leaves', 'b enters', 'b leaves', 'c enters', 'c leaves']);
  });

  it('refuses those who wait for a connection that is never given back', async () => {
    const queue = createConnectionQueue(5);
    await queue.enter();
    const waiting = await Promise.allSettled([queue.enter(), queue.enter()]);
    expect(waiting).toMatchObject([
      { status: 'rejected', reason: { code: 'database_held_too_long' } },
      { status: 'rejected', reason: { code: 'database_held_too_long' } },
    ]);
  });

  it('is whole again once the holder has left after all', async () => {
    const queue = createConnectionQueue(5);
    await queue.enter();
    await expect(queue.enter()).rejects.toMatchObject({ kind: 'fatal' });
    queue.leave();
    await queue.enter();
    const next = queue.enter();
    queue.leave();
    await next;
  });
});
