/**
 * Sends SIGKILL to `backup` and `restore` at random moments. The result must be the complete old database or the
 * complete new database.
 */
import { readdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { openCliWorld } from '../../helpers/cli.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { enhancedId } from './forgetting.ts';

const open = closedAfterTest(openCliWorld);
const KILLS = 4;

const runsSchema = z.object({ runs: z.array(z.object({ id: z.string() })) });

it('donor-sync backup and restore that are killed leave the old database or the new one', async () => {
  const world = await open();
  await world.run(['sync']);
  await world.run(['backup', 'one.backup']);
  const old = await runsOf();
  await world.run(['sync', '--full']);
  const erased = await enhancedId(world);
  await world.run(['forget', erased, '--yes']);
  const spent = await world.spent();
  const started = performance.now();
  await (await world.start(['restore', 'one.backup', '--check'])).ended;
  const tookMs = performance.now() - started;
  for (let kill = 0; kill < KILLS; kill++) {
    const before = await runsOf();
    const makes = kill % 2 === 0;
    const args = makes ? ['backup', `${kill}.backup`] : ['restore', 'one.backup', '--yes'];
    const { child, ended } = await world.start(args);
    await Promise.race([ended, sleep(tookMs * (0.5 + Math.random()))]);
    child.kill('SIGKILL');
    await ended;
    const after = await runsOf();
    expect([before, old]).toContainEqual(after);
    if (makes) expect(after).toEqual(before);
    if (after.length === old.length && before.length !== old.length) {
      const { exitCode } = await world.run(['sync', '--full']);
      expect(exitCode).toBe(3);
    }
    const made = (await readdir(world.path('.'))).filter((name) => name === `${kill}.backup`);
    for (const name of made) {
      expect((await world.run(['restore', name, '--check'])).exitCode).toBe(0);
    }
  }
  expect((await world.run(['restore', 'one.backup', '--yes'])).exitCode).toBe(0);
  expect((await world.run(['audit', 'verify'])).exitCode).toBe(0);
  await world.run(['sync', '--full']);
  expect(await world.spent()).toBe(spent);
  const row = (await world.rows()).find(({ Id }) => Id === erased);
  expect(row?.['Donor ID']).toBeDefined();
  expect((await world.run(['forget', erased, '--yes'])).stdout).toContain('already');
  const left = (await readdir(world.path('.'))).filter((name) => /restoring|checking/.test(name));
  expect(left).toEqual([]);

  async function runsOf(): Promise<string[]> {
    return (await world.runJson(['runs'], runsSchema)).runs.map(({ id }) => id);
  }
}, 240_000);
