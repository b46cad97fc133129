import type { Contact } from '../../src/core/contact.ts';
import { isRetriableError } from '../../src/core/errors.ts';
import type { ContactPage, RecordLookup } from '../contract.ts';
import { throwIfStopped } from '../requests/stopped.ts';
import { toContact } from './contact.ts';
import type { Tables } from './files.ts';
import { type Column, gatherVersions, layOut, presentValue, type RowVersions } from './layout.ts';
import { type Row, toRowId } from './rows.ts';
import type { CsvSession } from './session.ts';

const CONTACTS_PER_PAGE = 500;
const MOST_READINGS = 5;

/** Yields all contacts of the input. If the input changes during the reading, the reading starts again. */
export async function* readPages(session: CsvSession): AsyncGenerator<ContactPage> {
  for (let reading = 1; ; reading += 1) {
    try {
      return yield* readOnce(session);
    } catch (error) {
      const isChange = isRetriableError(error) && error.code === 'csv_file_changed';
      if (!isChange || reading >= MOST_READINGS) throw error;
    }
  }
}

/** Reads contacts by ID. The contact's identity comes from the input, and its field values come from the output. */
export async function readByIds(
  session: CsvSession,
  ids: readonly string[],
  fields: readonly string[],
): Promise<RecordLookup[]> {
  throwIfStopped(session.signal);
  const { files, keptColumns } = session;
  for (const field of fields) keptColumns.add(field);
  return files.withTables(async (tables) => {
    const rows = await tables.input.find(ids.map(toRowId));
    const versions = await gatherVersions(tables, files.journal, [...rows.values()]);
    const byId = new Map(versions.map((version) => [version.input.id, version]));
    const columns = layOut(tables, keptColumns, files.journal.createdColumns);
    const wanted = fields.map((name) => ({ name, column: columns.find((c) => c.name === name) }));
    return ids.map((id) => lookUp(session, tables, wanted, id, byId.get(toRowId(id))));
  });
}

async function* readOnce(session: CsvSession): AsyncGenerator<ContactPage> {
  const input = await session.files.withTables(async (tables) => tables.input);
  let contacts: Contact[] = [];
  for await (const rows of input.rows()) {
    for (const row of rows) {
      if (row.broken !== undefined) contacts.push(unreadableContact(row));
      else if (row.id === '') continue;
      else contacts.push(toContact(row, input, session));
      if (contacts.length < CONTACTS_PER_PAGE) continue;
      throwIfStopped(session.signal);
      yield { contacts, removed: [], cursor: null };
      contacts = [];
    }
  }
  throwIfStopped(session.signal);
  if (contacts.length > 0) yield { contacts, removed: [], cursor: null };
}

/**
 * Returns a contact for a row that cannot be read. The row number serves as the contact's ID, because the real ID is
 * uncertain.
 */
function unreadableContact({ row }: Row): Contact {
  const nothing = { firstName: null, lastName: null, addresses: [], employers: [] };
  return { id: `row ${row}`, ...nothing, optedOut: false, excluded: 'row_unreadable' };
}

function lookUp(
  session: CsvSession,
  tables: Tables,
  wanted: readonly { name: string; column: Column | undefined }[],
  id: string,
  version: RowVersions | undefined,
): RecordLookup {
  // A file contains no information about a deleted row.
  if (version === undefined) return { state: 'missing', id };
  const values = wanted.map(({ name, column }): [string, string | null] => [
    name,
    column === undefined ? null : presentValue(column, version, tables),
  ]);
  const contact = toContact(version.input, tables.input, session);
  return { state: 'found', id, contact, values: Object.fromEntries(values) };
}
