/**
 * Sends SIGKILL to the process that confirms a request. Checks that the product loses no work and does no work twice.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type CliWorld, openCliWorld } from '../../helpers/cli.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { holdsSchema, runsSchema } from './documents.ts';

const open = closedAfterTest(async () => {
  const world = await openCliWorld({ people: 60 });
  const path = world.path('donor-sync.yaml');
  const text = await readFile(path, 'utf8');
  await writeFile(path, `${text}\ntwoPeople: { approvals: 5, undo: 0 }\n`);
  const rows = (await world.rows()).filter((row) => row['First'] && row['Last']);
  await world.saveRows(rows.slice(0, 30));
  return world;
});

const oneSchema = z.object({ approval: z.object({ id: z.string() }) });
const listSchema = z.object({ approvals: z.array(z.object({ state: z.string() })) });
const entriesSchema = z.object({ entries: z.array(z.object({ action: z.string() })) });

/**
 * The test kills the process after each of these times (ms). They range from its start to the end of an uninterrupted
 * process.
 */
const LIVES = [150, 180, 210, 250, 320, 600, 1_000];

/**
 * Sends the request as anna, kills the process in which the second user confirms it, and lets a third process finish
 * the work.
 */
async function confirmKilled(world: CliWorld, ask: readonly string[], lifeMs: number) {
  const asked = await world.run([...ask, '--json']);
  const { id } = oneSchema.parse(JSON.parse(asked.stdout)).approval;
  const { child, ended } = await world.start(['approvals', 'confirm', id, '--yes']);
  await sleep(lifeMs);
  child.kill('SIGKILL');
  await ended;
  const { approvals } = await world.runJson(['approvals'], listSchema);
  if (approvals.length > 0) {
    // After a process has exited, its lease is free immediately.
    const { exitCode, stderr } = await world.run(['approvals', 'confirm', id, '--yes'], {}, 'cal');
    expect(exitCode, stderr).toBe(0);
    // The process found unfinished work of a killed process. No user has to act on this work.
    expect(stderr).not.toMatch(/"level":[456]0/);
  }
  expect((await world.runJson(['approvals'], listSchema)).approvals).toEqual([]);
  return approvals.map(({ state }) => state);
}

async function countOf(world: CliWorld, action: string): Promise<number> {
  const { entries } = await world.runJson(['audit', '--action', action], entriesSchema);
  return entries.length;
}

describe('a second person whose process is killed', () => {
  it('has approved all of it once, at whichever moment that was', async () => {
    const world = await open();
    await world.run(['sync']);
    let rounds = 0;
    for (const lifeMs of LIVES) {
      rounds += 1;
      const rows = await world.rows();
      const street = `Quarry Lane ${rounds}`;
      await world.saveRows(
        rows.map((row, at) => ({ ...row, Address: `${at + 1} ${street}, Reno` })),
      );
      await world.run(['sync']);
      const [batch] = (await world.runJson(['holds'], holdsSchema)).batches;
      const spent = await world.spent();
      await confirmKilled(world, ['holds', 'approve', '--batch', batch?.id ?? ''], lifeMs);
      await world.run(['sync']);
      expect(await world.spent(), `after ${lifeMs} ms`).toBe(spent + (batch?.count ?? 0));
      expect(await countOf(world, 'approval.confirmed')).toBe(rounds);
      expect((await world.runJson(['holds'], holdsSchema)).batches).toEqual([]);
    }
  });

  it.each(LIVES)(
    'has undone all of it after %d ms, and nothing of what a person typed',
    async (lifeMs) => {
      const world = await open();
      const [run] = (await world.runJson(['sync'], runsSchema)).runs;
      const enhanced = (await world.rows()).filter((row) => row['Donor ID']);
      expect(enhanced.length).toBeGreaterThan(5);
      const typed = enhanced[0]?.['Id'];
      await world.saveRows(
        (await world.rows()).map((row) =>
          row['Id'] === typed ? { ...row, 'Donor Age': '33' } : row,
        ),
      );
      const states = await confirmKilled(world, ['undo', run?.id ?? '', '--yes'], lifeMs);
      expect(['waiting', 'confirmed', undefined]).toContain(states[0]);
      const rows = await world.rows();
      expect(rows.filter((row) => row['Donor ID'])).toEqual([]);
      expect(rows.flatMap((row) => row['Donor Age'] || [])).toEqual(['33']);
      expect(await countOf(world, 'approval.confirmed')).toBe(1);
    },
  );
});
