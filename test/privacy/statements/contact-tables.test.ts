/**
 * Checks that every table with a contact's ID is in every list of such tables. The schema itself is the reference, so
 * the test fails if a new table is missing from a list.
 */

import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { SEALED_COLUMNS } from '../../../src/database/encryption/seal-contexts.ts';
import { ERASED_ID } from '../../../src/database/tables/credits.ts';
import { readAboutContact } from '../../../src/privacy/statements/about.ts';
import { CONTACT_PLACES, DONOR_PLACES } from '../../../src/privacy/statements/contact-places.ts';
import { eraseAgain } from '../../../src/privacy/statements/erase-again.ts';
import { hasTracesOfContact } from '../../../src/privacy/statements/known-contacts.ts';
import {
  ID_COLUMNS,
  idColumn,
  insertMarked,
  MARKED,
  productTables,
  tablesWith,
  tablesWithIds,
} from '../../contacts/marked-rows.ts';
import { INTEGRATION, storeWorlds, testFingerprint } from '../../database/store-world.ts';
import { eraseContact } from '../../helpers/erasing.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

/** Other columns that have been checked and contain no contact ID in clear text. */
const NO_IDS = [
  'crm_account',
  'crm_id_fingerprint',
  'contact_fingerprint',
  'contacts',
  'undone_contacts',
  'ended_contacts',
];

/** The columns that are about donors but contain neither a donor's ID nor its fingerprint. */
const NO_DONORS = ['donors', 'detail'];

describeEachDatabase('tables with a contact’s id', (open) => {
  const createWorld = storeWorlds(open);

  it('are known by their columns', async () => {
    const suspicious = (await productTables(await createWorld())).flatMap(({ columns }) =>
      columns.flatMap(({ name }) => (/crm|contact|merged/.test(name) ? name : [])),
    );
    const known = [...ID_COLUMNS, ...NO_IDS];
    expect([...new Set(suspicious)].filter((name) => !known.includes(name))).toEqual([]);
  });

  it('are in the one list of places that hold the id of a contact', async () => {
    const inSchema = (await productTables(await createWorld())).flatMap(({ name, columns }) =>
      columns.flatMap((column) =>
        ID_COLUMNS.includes(column.name) ? `${name}.${column.name}` : [],
      ),
    );
    // The column `run_requests.merged_into` contains the ID of a run, not of a contact.
    const expected = inSchema.filter((place) => place !== 'run_requests.merged_into');
    const listed = CONTACT_PLACES.map(({ table, column }) => `${table}.${column}`);
    expect(listed.toSorted()).toEqual(expected.toSorted());
  });

  it('are in it as well if they hold the id of a donor', async () => {
    const inSchema = (await productTables(await createWorld())).flatMap(({ name, columns }) =>
      columns.flatMap((column) =>
        /donor|introducer/.test(column.name) ? `${name}.${column.name}` : [],
      ),
    );
    const listed: string[] = DONOR_PLACES.map(({ table, column }) => `${table}.${column}`);
    const missing = inSchema.filter((place) => !listed.includes(place));
    expect(missing.filter((place) => !NO_DONORS.includes(place.split('.')[1] ?? ''))).toEqual([]);
    expect(listed.filter((place) => !inSchema.includes(place))).toEqual([]);
  });

  it('are in it if what they seal is bound to a contact', () => {
    const tables: string[] = CONTACT_PLACES.map(({ table }) => table);
    const bound = SEALED_COLUMNS.flatMap(({ table, boundTo }) =>
      boundTo.some((column) => column === 'crm_id') ? table : [],
    );
    expect(bound.filter((table) => !tables.includes(table))).toEqual([]);
  });

  it('have the id in the file that they are exported to', () => {
    const without = CONTACT_PLACES.flatMap(({ table, column, of: { answers } }) =>
      'not' in answers.exported || answers.exported.columns.includes(column)
        ? []
        : `${table}.${column}`,
    );
    expect(without).toEqual([]);
  });

  it.each(['erase', 'eraseAgain'] as const)(
    'have nothing of it left after %s, and show it before',
    async (how) => {
      const world = await createWorld();
      const { db, store, clock } = world;
      const filled = await tablesWithIds(world);
      for (const table of filled) await insertMarked(world, table);
      expect(await tablesWith(world, MARKED)).toEqual(filled.sort());
      // The command `about` shows data from each of the filled tables.
      for (const table of filled) {
        const column = sql.ref(await idColumn(world, table));
        const before = JSON.stringify(
          await readAboutContact(store.reader, store.fingerprint, INTEGRATION, [MARKED]),
        );
        await sql`update ${sql.table(table)} set ${column} = 'someone-else'
        where ${column} = ${MARKED}`.execute(db);
        const without = JSON.stringify(
          await readAboutContact(store.reader, store.fingerprint, INTEGRATION, [MARKED]),
        );
        expect([table, without === before]).toEqual([table, false]);
        await sql`update ${sql.table(table)} set ${column} = ${MARKED}
        where ${column} = 'someone-else'`.execute(db);
      }
      expect(await hasTracesOfContact(store.reader, INTEGRATION, [MARKED])).toBe(true);
      if (how === 'erase') await eraseContact(store, INTEGRATION, MARKED);
      else {
        const contact = testFingerprint('forgotten', MARKED);
        const entry = {
          what: 'erased' as const,
          at: clock.now(),
          integration: INTEGRATION,
          contact,
        };
        await eraseAgain(
          store,
          [{ ...entry, forms: [], person: null, everywhere: false, donors: [] }],
          null,
        );
      }
      expect(await tablesWith(world, MARKED)).toEqual([]);
      const jobs = await db.selectFrom('jobs').select('crm_id').execute();
      expect(jobs).toEqual([{ crm_id: ERASED_ID }]);
    },
  );

  // Keeps the contact in only one table, because a backup can contain any subset of the tables' rows.
  it('are each enough to know that there are traces, and to find them again after a restore', async () => {
    for (const table of await tablesWithIds(await createWorld())) {
      const world = await createWorld();
      const { store, clock } = world;
      await insertMarked(world, table);
      expect([table, await hasTracesOfContact(store.reader, INTEGRATION, [MARKED])]).toEqual([
        table,
        true,
      ]);
      const contact = testFingerprint('forgotten', MARKED);
      const entry = { what: 'erased' as const, at: clock.now(), integration: INTEGRATION, contact };
      await eraseAgain(
        store,
        [{ ...entry, forms: [], person: null, everywhere: false, donors: [] }],
        null,
      );
      expect([table, await tablesWith(world, MARKED)]).toEqual([table, []]);
    }
  });
});
