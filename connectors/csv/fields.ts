import { type CrmField, type FieldSpec, plainField } from '../../src/core/crm-field.ts';
import type { FieldCreation } from '../contract.ts';
import type { Tables } from './files.ts';
import { layOut } from './layout.ts';
import type { CsvSession } from './session.ts';
import { type Encoding, isEncodable } from './sources/encoding.ts';

/** Describes the columns as fields. All fields are text, because a CSV file has no other types. */
export async function describeFields(session: CsvSession): Promise<CrmField[]> {
  const { names, namedTwice } = await session.files.withTables(async (tables) => ({
    names: columnNames(session, tables),
    namedTwice: tables.input.namedTwice,
  }));
  return [...new Set(names)].map((name) => ({
    ...plainField(name),
    writable: name !== session.settings.columns.id && !namedTwice.has(name),
  }));
}

/** Adds columns at the end of the output. The output contains the new columns after the function `finish`. */
export async function createFields(
  session: CsvSession,
  specs: readonly FieldSpec[],
): Promise<FieldCreation[]> {
  const { files } = session;
  return files.withTables(async (tables) => {
    const known = new Set(columnNames(session, tables));
    const creations: FieldCreation[] = [];
    for (const { name } of specs) {
      creations.push(toFieldCreation(name, known, tables.input.header.dialect.encoding));
      known.add(name);
    }
    const create = creations.flatMap(({ name, result }) => (result === 'created' ? [name] : []));
    if (create.length > 0) await files.journal.append([{ create }]);
    return creations;
  });
}

/** Returns true if a column's name stays the same when it is written to a file and read again. */
export function isColumnName(name: string, encoding: Encoding): boolean {
  return (
    name !== '' && name === name.trim() && !/[\r\n\0]/.test(name) && isEncodable(name, encoding)
  );
}

function columnNames({ files, keptColumns }: CsvSession, tables: Tables): string[] {
  return layOut(tables, keptColumns, files.journal.createdColumns)
    .map(({ name }) => name)
    .filter((name) => name !== '');
}

function toFieldCreation(
  name: string,
  known: ReadonlySet<string>,
  encoding: Encoding,
): FieldCreation {
  if (known.has(name)) return { name, result: 'existed', problem: null };
  if (isColumnName(name, encoding)) return { name, result: 'created', problem: null };
  const problem =
    'A column name must not be blank, or start or end with white space. It must not have a line break or ' +
    'characters that the file cannot have. Choose another name in the field map.';
  return { name, result: 'failed', problem };
}
