import { ConfigurationError } from '../../src/core/errors.ts';
import type { GroupSelector, GroupSummary } from '../contract.ts';
import { throwIfStopped } from '../requests/stopped.ts';
import { readCell } from './cells.ts';
import { listColumns } from './header.ts';
import type { CsvSession } from './session.ts';
import { csvGroupSchema } from './settings.ts';
import type { Table } from './table.ts';

/**
 * The maximum number of different values in a column with groups. A column with more values probably does not group
 * people.
 */
const MOST_GROUPS_OF_COLUMN = 20;

/** Yields the IDs of the rows whose cell in the column has the value. */
export async function* readGroup(
  session: CsvSession,
  selector: GroupSelector,
): AsyncGenerator<readonly string[]> {
  const { column, equals } = csvGroupSchema.parse(selector);
  const input = await readInput(session);
  if (input.namedTwice.has(column)) throw ambiguousColumn(column, input);
  const position = input.positions.get(column);
  if (position === undefined) throw missingColumn(column, input);
  for await (const rows of input.rows()) {
    throwIfStopped(session.signal);
    const members = rows.filter(
      ({ id, cells }) => id !== '' && readCell(cells[position] ?? '').trim() === equals,
    );
    if (members.length > 0) yield members.map(({ id }) => id);
  }
}

/**
 * Returns the values of columns that have only a few different values. Each value of such a column is a group of
 * contacts.
 */
export async function listGroups(session: CsvSession): Promise<GroupSummary[]> {
  const input = await readInput(session);
  const counts = await countValues(session, input);
  return [...counts].flatMap(([column, members]) =>
    [...members].map(([equals, memberCount]) => ({
      selector: { column, equals },
      name: `${column}: ${equals}`,
      memberCount,
    })),
  );
}

async function readInput(session: CsvSession): Promise<Table> {
  return session.files.withTables(async ({ input }) => input);
}

function ambiguousColumn(column: string, input: Table): ConfigurationError {
  const message = `The group names the column "${column}", but two columns of ${input.path} have this name; rename one of them.`;
  return new ConfigurationError(message, { code: 'csv_column_twice', details: { column } });
}

function missingColumn(column: string, input: Table): ConfigurationError {
  const message =
    `The group names the column "${column}", which ${input.path} does not have; ` +
    `it has ${listColumns(input.header.columns)}.`;
  return new ConfigurationError(message, { code: 'csv_column_missing', details: { column } });
}

/** Counts how often each value occurs in a column. The result omits columns with too many values. */
async function countValues(
  session: CsvSession,
  input: Table,
): Promise<Map<string, Map<string, number>>> {
  const counts = new Map<string, Map<string, number>>();
  for (const column of sortingColumns(session, input)) counts.set(column, new Map());
  for await (const rows of input.rows()) {
    throwIfStopped(session.signal);
    for (const { id, cells } of rows) {
      for (const [column, members] of counts) {
        const value = readCell(cells[input.positions.get(column) ?? -1] ?? '').trim();
        if (id === '' || value === '') continue;
        members.set(value, (members.get(value) ?? 0) + 1);
        if (members.size > MOST_GROUPS_OF_COLUMN) counts.delete(column);
      }
    }
  }
  return counts;
}

/**
 * Returns the columns that can contain groups. All columns can contain groups, except the columns with the contact's
 * identity.
 */
function sortingColumns({ settings }: CsvSession, input: Table): string[] {
  const { id, firstName, lastName, addresses, employers } = settings.columns;
  const identity = new Set([id, firstName, lastName, ...addresses, ...employers]);
  return input.header.columns.filter(
    (column) => column !== '' && !identity.has(column) && !input.namedTwice.has(column),
  );
}
