import { afterEach, expect, it } from 'vitest';
import { listPresentContactIds } from '../../../src/contacts/contacts.ts';
import { createSyncWorld } from '../../helpers/sync-world.ts';
import { openOrg } from './org.ts';

/** This number of contacts fills six pages of a reading by REST. */
const PEOPLE = 12_000;

const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

const NO_COUNT = {
  on: { path: '/query' },
  fault: { kind: 'queryTimeout', soql: 'SELECT count()' },
} as const;
const NO_JOBS = {
  on: { path: '/jobs/query', method: 'POST' },
  fault: { kind: 'failQueryJob' },
} as const;

it.each([
  ['counts', [NO_COUNT]],
  ['counts and jobs of the Bulk API', [NO_COUNT, NO_JOBS]],
])('reads all contacts of a large org in four nights without %s', async (_, faults) => {
  const org = await openOrg({ contacts: PEOPLE, donors: 200, bulkJobTimeMs: 0 });
  open.push(org);
  const world = await createSyncWorld({
    service: { donors: 200 },
    integration: { fields: [{ from: 'netWorth.label', to: 'Department' }] },
    open: (signal) => org.connector({}, { signal }),
  });
  open.push(world);
  await org.control('PUT', 'faults', faults);
  const nights: { read: number; known: number }[] = [];
  for (const full of [false, false, false, true]) {
    // Spends one credit per run, because these runs only test reading.
    const { contacts } = await world.sync({ limit: 1, full, acceptMatchRate: true });
    nights.push({ read: contacts.read, known: await countKnown() });
  }
  // The last night reads all contacts again.
  expect([nights[0], nights[3]]).toEqual(Array(2).fill({ read: PEOPLE, known: PEOPLE }));
  expect(nights.map(({ known }) => known)).toEqual(Array(4).fill(PEOPLE));

  async function countKnown(): Promise<number> {
    const known = new Set<string>();
    for await (const ids of listPresentContactIds(world.store.reader, 'riverside')) {
      for (const id of ids) known.add(id);
    }
    return known.size;
  }
});
