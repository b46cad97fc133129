import { expect, it } from 'vitest';
import { openInitWorld } from './init-world.ts';

it.each([
  ['Where They Live', true],
  ['Home Address', false],
])(
  'init says if it has found no addresses, so that none are left out unseen (%s)',
  async (column, isSaid) => {
    const world = await openInitWorld();
    await world.write('people.csv', `Id,First,Last,${column}\n1,Ann,Lee,"1 Elm St, Rome"\n`);
    const argv = ['init', '--yes', '--crm', 'csv', '--csv-path', 'people.csv', '--name', 'West'];
    const { exitCode, stdout } = await world.start(argv).ended;
    expect(exitCode).toBe(0);
    expect(stdout.includes('No column of addresses is used')).toBe(isSaid);
  },
);
