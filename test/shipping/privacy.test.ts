/** docs/privacy.md against the tables of the store. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { migrateToLatest } from '../../src/database/migrate.ts';
import { describeEachDatabase } from '../helpers/test-databases.ts';

const ROOT = join(import.meta.dirname, '../..');
const DOCUMENT = readFileSync(join(ROOT, 'docs/privacy.md'), 'utf8');

describeEachDatabase('the record of what is kept of people', (open) => {
  it('has every column of every table once, and says for how long it is kept', async () => {
    const { db } = await open();
    await migrateToLatest(db);
    const tables = (await db.introspection.getTables())
      .filter(({ name }) => !name.startsWith('donor_sync_') && !name.startsWith('sqlite_'))
      .map(({ name, columns }) => [name, columns.map((column) => column.name).sort()]);
    const rows = rowsOf(DOCUMENT);
    expect(Object.fromEntries(rows.map(({ table, columns }) => [table, columns]))).toEqual(
      Object.fromEntries(tables),
    );
    expect(rows.filter(({ howLong }) => howLong === '')).toEqual([]);
    expect(new Set(rows.map(({ table }) => table)).size).toBe(rows.length);
  });
});

/** The rows of the table below "In the database". */
function rowsOf(document: string) {
  const [, part = ''] = document.split('## In the database');
  const lines = part.split('\n## ')[0]?.match(/^\| `.*\|$/gm) ?? [];
  return lines.map((line) => {
    const [table = '', person = '', none = '', howLong = ''] = line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim());
    const columns = [...wordsOf(person), ...wordsOf(none)].sort();
    return { table: table.replaceAll('`', ''), columns, howLong };
  });
}

function wordsOf(cell: string): string[] {
  return cell
    .replaceAll('`', '')
    .split(', ')
    .filter((word) => word !== '');
}
