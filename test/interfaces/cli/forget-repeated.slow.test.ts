import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { openCliWorld } from '../../helpers/cli.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { databaseText, forgetSchema, ourColumns } from './forgetting.ts';

const open = closedAfterTest(openCliWorld);

describe('donor-sync forget that is killed', () => {
  // `npm run bench -- forget` is the long version, for each kind of CRM and both databases.
  it('ends clean when it is repeated, whatever nights are in between', async () => {
    const world = await open();
    await world.run(['sync']);
    const ids = (await world.rows()).flatMap((row) => (row['Donor ID'] ? [row['Id'] ?? ''] : []));
    const [whole = '', ...others] = ids.slice(0, 5);
    const { ended } = await world.start(forget(whole));
    const begun = performance.now();
    await ended;
    const tookMs = performance.now() - begun;
    let kills = 0;
    for (const [at, id] of others.entries()) {
      const columns = await ourColumns(world, id);
      const args = forget(id);
      const killed = await world.start(args);
      await Promise.race([sleep(tookMs * (0.45 + at * 0.15)), killed.ended]);
      killed.child.kill('SIGKILL');
      if ((await killed.ended).exitCode === null) kills += 1;
      const left = await ourColumns(world, id);
      await world.run(['sync', '--full']);
      expect(left).toEqual(expect.arrayContaining(await ourColumns(world, id)));
      const { forget: told } = await world.runJson(args, forgetSchema);
      expect(told.receipt).toMatchObject({ complete: true, crm: { verified: true } });
      expect(told.cleared?.toSorted()).toEqual(columns.toSorted());
    }
    const spent = await world.spent();
    await world.run(['sync', '--full']);
    for (const id of [whole, ...others]) {
      expect(await ourColumns(world, id)).toEqual([]);
      expect(await databaseText(world)).not.toContain(id);
    }
    expect(await world.spent()).toBe(spent);
    expect(kills).toBeGreaterThan(0);
  }, 120_000);
});

const forget = (id: string): string[] => ['forget', id, '--also-in-crm', '--yes'];
