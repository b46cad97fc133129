import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { openCliWorld } from '../helpers/cli.ts';
import { closedAfterTest } from '../helpers/closed-after-test.ts';
import { databaseText, forgetSchema, ourColumns } from './forgetting.ts';

const open = closedAfterTest(openCliWorld);

describe('donor-sync forget that is killed', () => {
  // The long version, for each kind of CRM and both databases, is `npm run bench -- forget`.
  it('ends clean when it is repeated, whatever nights are in between', async () => {
    const world = await open();
    await world.run(['sync']);
    const ids = (await world.rows()).flatMap((row) => (row['Donor ID'] ? [row['Id'] ?? ''] : []));
    let kills = 0;
    for (const [at, id] of ids.slice(0, 4).entries()) {
      const columns = await ourColumns(world, id);
      const args = ['forget', id, '--also-in-crm', '--yes'];
      const killed = await world.start(args);
      await Promise.race([sleep(500 + at * 250), killed.ended]);
      killed.child.kill('SIGKILL');
      if ((await killed.ended).exitCode === null) kills += 1;
      const left = await ourColumns(world, id);
      await world.run(['sync', '--full']);
      expect(left).toEqual(expect.arrayContaining(await ourColumns(world, id)));
      const { forget } = await world.runJson(args, forgetSchema);
      expect(forget.receipt).toMatchObject({ complete: true, crm: { verified: true } });
      expect(forget.cleared?.toSorted()).toEqual(columns.toSorted());
    }
    const spent = await world.spent();
    await world.run(['sync', '--full']);
    for (const id of ids.slice(0, 4)) {
      expect(await ourColumns(world, id)).toEqual([]);
      expect(await databaseText(world)).not.toContain(id);
    }
    expect(await world.spent()).toBe(spent);
    expect(kills).toBeGreaterThan(0);
  }, 120_000);
});
