import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { createSyncWorld, type SyncWorld, WITHOUT_TRIAL } from './helpers/sync-world.ts';

/** IDs and hashes can contain shorter strings by chance. */
const TELLING_LENGTH = 6;

let world: SyncWorld;
afterEach(() => world.close());

it('a sync keeps names, addresses, figures and keys out of the database', async () => {
  // The balance is a number that does not equal anyone's net worth.
  world = await createSyncWorld({ service: { credits: 77_777 }, integration: WITHOUT_TRIAL });
  await world.addPeople(120);
  world.crm.addContact({
    id: 'planted',
    firstName: 'Plantedfirstname',
    lastName: 'Plantedlastname',
    addresses: ['77 Planted Street, Plantedville, NY 10001'],
    employers: ['Planted Holdings'],
  });
  const submits = { method: 'POST', path: '/enhancements' };
  await world.putFaults([{ on: submits, nth: 2, fault: { kind: 'resetAfter' } }]);
  const first = await world.sync();
  expect(first.contacts.written).toBeGreaterThan(50);
  expect(first.contacts.held).toBeGreaterThan(0);
  for (const { id } of world.crm.writes.slice(0, 5)) {
    world.crm.editContact(id, { employers: ['Planted Successor'] });
    world.crm.setValue(id, 'Donor Net Worth', 'planted by a person');
  }
  await world.sync();

  const bytes = await databaseBytes(world);
  const secrets = [...tellingTexts(world), world.service.apiKey];
  expect(secrets.length).toBeGreaterThan(300);
  expect(secrets.filter((text) => bytes.includes(text))).toEqual([]);
  // Proves that the search finds existing data, because ids are stored as clear text.
  expect(bytes.includes('planted')).toBe(true);
});

/** Returns all CRM data that describes a person. IDs do not describe a person. */
function tellingTexts({ crm }: SyncWorld): string[] {
  const texts = [...crm.records.values()].flatMap(({ contact, values }) => [
    contact.firstName,
    contact.lastName,
    ...contact.addresses,
    ...contact.employers,
    ...Object.entries(values).flatMap(([field, value]) => (field === 'Donor ID' ? [] : [value])),
  ]);
  return texts.flatMap((text) =>
    typeof text === 'string' && text.length >= TELLING_LENGTH && !isInstant(text) ? [text] : [],
  );
}

function isInstant(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT/.test(text);
}

async function databaseBytes({ database }: SyncWorld): Promise<string> {
  const file = database.url.replace(/^sqlite:/, '');
  const names = await readdir(dirname(file));
  const parts = names
    .filter((name) => name.startsWith(basename(file)) && !name.endsWith('-shm'))
    .map((name) => readFile(join(dirname(file), name), 'latin1'));
  return (await Promise.all(parts)).join('\n');
}
