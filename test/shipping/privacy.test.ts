/**
 * Compares docs/privacy.md with the catalogue of tables. `test/database/catalogue.test.ts` compares the catalogue with
 * the database.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CATALOGUE } from '../../src/database/tables/catalogue.ts';
import type { Table } from '../../src/database/tables/table.ts';

const ROOT = join(import.meta.dirname, '../..');
const DOCUMENT = readFileSync(join(ROOT, 'docs/privacy.md'), 'utf8');
const TABLES = Object.entries<Table>(CATALOGUE);

describe('the record of personal data', () => {
  const rows = rowsOf(DOCUMENT);

  it('has every column of every table once, and says whether it is of a person', () => {
    const declared = TABLES.map(([table, { columns }]) => ({
      table,
      ofPerson: namesOf(columns, (is) => is !== 'operational'),
      ofNoPerson: namesOf(columns, (is) => is === 'operational'),
    }));
    const documented = rows.map(({ table, ofPerson, ofNoPerson }) => ({
      table,
      ofPerson: ofPerson.toSorted(),
      ofNoPerson: ofNoPerson.toSorted(),
    }));
    expect(documented.toSorted(byTable)).toEqual(declared.toSorted(byTable));
  });

  it('states how long each table is kept, and which setting controls it', () => {
    expect(rows.filter(({ howLong }) => howLong === '')).toEqual([]);
    const settings = TABLES.flatMap(
      ([
        table,
        {
          answers: { retention },
        },
      ]) => (retention === null ? [] : `${table}: retention.${retention}`),
    );
    const documented = rows.flatMap(({ table, howLong }) =>
      [...new Set(howLong.match(/retention\.\w+/g))].map((setting) => `${table}: ${setting}`),
    );
    expect(documented.toSorted()).toEqual(settings.toSorted());
  });

  it('says of each table with a contact’s id what `forget` leaves of it', () => {
    const silent = TABLES.flatMap(([table, { columns }]) => {
      const isOwn = Object.values(columns).some(
        ({ says }) => says.is === 'contact id' && says.forget === 'row',
      );
      const { howLong = '' } = rows.find((row) => row.table === table) ?? {};
      return isOwn && !/`forget`|with the kept profile/.test(howLong) ? table : [];
    });
    expect(silent).toEqual([]);
  });
});

function namesOf(columns: Table['columns'], isWanted: (is: string) => boolean): string[] {
  return Object.entries(columns)
    .flatMap(([name, { says }]) => (isWanted(says.is) ? name : []))
    .sort();
}

function byTable(one: { table: string }, other: { table: string }): number {
  return one.table < other.table ? -1 : 1;
}

/** Returns the rows of the table below the heading "In the database". */
function rowsOf(document: string) {
  const [, part = ''] = document.split('## In the database');
  const lines = part.split('\n## ')[0]?.match(/^\| `.*\|$/gm) ?? [];
  return lines.map((line) => {
    const [table = '', person = '', none = '', howLong = ''] = line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim());
    return {
      table: table.replaceAll('`', ''),
      ofPerson: wordsOf(person),
      ofNoPerson: wordsOf(none),
      howLong,
    };
  });
}

function wordsOf(cell: string): string[] {
  return cell
    .replaceAll('`', '')
    .split(', ')
    .filter((word) => word !== '');
}
