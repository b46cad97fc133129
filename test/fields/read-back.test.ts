import { expect, it } from 'vitest';
import { createMemoryConnector } from '../../connectors/memory/connector.ts';
import { findContacts } from '../../src/contacts/contacts.ts';
import { SAMPLE_OF_A_FIELD } from '../../src/fields/read-back.ts';
import { listNormalisedFields } from '../../src/fields/statements/normalised-fields.ts';
import { WITHOUT_TRIAL } from '../helpers/sync-world.ts';
import { open } from '../sync/worlds.ts';

const WORK = 'Donor Work';
const BIO = 'Donor Biography';

const PEOPLE = 300;

/**
 * Opens a CRM. The sync writes all contacts in its first batch. `read` contains the IDs and fields that are read
 * back.
 */
async function openBulk({ hasBio = () => true }: { hasBio?: (at: number) => boolean } = {}) {
  const read: { id: string; fields: readonly string[] }[] = [];
  const world = await open({
    integration: {
      ...WITHOUT_TRIAL,
      fields: [
        { from: 'work.primary', to: WORK, when: 'unlessEdited' },
        { from: 'bio', to: BIO, when: 'unlessEdited' },
      ],
    },
    connector: (crm, signal) => {
      const connector = createMemoryConnector(crm, signal);
      const writeBatch = { preferred: PEOPLE, bulk: null, max: PEOPLE };
      return {
        ...connector,
        capabilities: { ...connector.capabilities, writeBatch },
        async readBack(writes) {
          read.push(...writes);
          return (await connector.readBack?.(writes)) ?? [];
        },
      };
    },
    partner: (client) => {
      let at = 0;
      return {
        ...client,
        async readResults(ids, signal) {
          const results = await client.readResults(ids, signal);
          for (const result of results.values()) {
            if (result.state !== 'completed') continue;
            result.profile.work = [`Work of ${result.profile.donorId}`];
            result.profile.bio = hasBio(at) ? [`Bio of ${result.profile.donorId}`] : [];
            at += 1;
          }
          return results;
        },
      };
    },
  });
  await world.addPeople(PEOPLE);
  const written = () =>
    [...world.crm.records.keys()].filter((id) => world.crm.valueOf(id, WORK) !== null);
  return { world, read, written };
}

const inUpperCase = (value: unknown) => (typeof value === 'string' ? value.toUpperCase() : null);

it('reads a sample of a large first batch back, spread over all of it', async () => {
  const { world, read, written } = await openBulk();
  await world.sync();
  const ids = written();
  expect(ids.length).toBeGreaterThan(PEOPLE / 2);
  expect(read.length).toBe(SAMPLE_OF_A_FIELD);
  const places = read.map(({ id }) => ids.indexOf(id));
  for (const quarter of [0, 1, 2, 3]) {
    const inQuarter = places.filter((at) => Math.floor((at / ids.length) * 4) === quarter);
    expect(inQuarter.length).toBeGreaterThan(SAMPLE_OF_A_FIELD / 8);
  }
});

it('knows what automation has made of every value of the batch as ours, once the sample shows it', async () => {
  const { world, read, written } = await openBulk();
  world.crm.automate(WORK, inUpperCase);
  await world.sync();
  const ids = written();
  const rest = read.filter(({ fields }) => !fields.includes(BIO));
  expect(read.length).toBe(ids.length);
  expect(rest.every(({ fields }) => fields.join() === WORK)).toBe(true);
  expect(await listNormalisedFields(world.store.reader, 'riverside')).toMatchObject([
    { field: WORK },
  ]);
  const rows = await findContacts(world.store.reader, 'riverside', ids);
  for (const id of ids) {
    expect(JSON.parse(rows.get(id)?.ownedValues ?? '{}')[WORK]).toMatch(/^\S+ \S+$/);
  }
});

it('samples a field that few records of the batch have', async () => {
  const { world, written } = await openBulk({ hasBio: (at) => at >= PEOPLE / 3 && at % 40 === 7 });
  world.crm.automate(BIO, inUpperCase);
  await world.sync();
  const ids = written().filter((id) => world.crm.valueOf(id, BIO) !== null);
  expect(ids.length).toBeGreaterThan(2);
  const rows = await findContacts(world.store.reader, 'riverside', ids);
  for (const id of ids) {
    expect(JSON.parse(rows.get(id)?.ownedValues ?? '{}')[BIO]).toMatch(/^\S+ \S+$/);
  }
});
