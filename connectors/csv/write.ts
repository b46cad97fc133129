import { rm } from 'node:fs/promises';
import type { FieldValue, FieldValues } from '../../src/core/crm-field.ts';
import { guardFormula } from '../../src/core/printable.ts';
import type { ContactChange, Refusal, RefusalCause, WriteResult } from '../contract.ts';
import { throwIfStopped } from '../requests/stopped.ts';
import { unquote } from './cells.ts';
import { isColumnName } from './fields.ts';
import { fileError } from './file-errors.ts';
import type { Tables } from './files.ts';
import type { JournalChange, JournalLine } from './journal.ts';
import {
  type Column,
  changedText,
  gatherVersions,
  layOut,
  type RowVersions,
  rawCell,
} from './layout.ts';
import type { CsvSession } from './session.ts';
import { isEncodable } from './sources/encoding.ts';

/**
 * The number of changes that donor-sync writes to the disk together. A larger number would not be faster but would need
 * more memory.
 */
export const CHANGES_PER_BATCH = 200;

/**
 * Writes the changes to the journal. donor-sync confirms a change once the journal contains it. The function `finish`
 * merges the journal into the output.
 */
export async function* writeChanges(
  session: CsvSession,
  changes: Iterable<ContactChange> | AsyncIterable<ContactChange>,
): AsyncGenerator<WriteResult> {
  let batch: ContactChange[] = [];
  for await (const change of changes) {
    batch.push(change);
    if (batch.length < CHANGES_PER_BATCH) continue;
    yield* await writeBatch(session, batch);
    batch = [];
  }
  yield* await writeBatch(session, batch);
}

async function writeBatch(
  session: CsvSession,
  batch: readonly ContactChange[],
): Promise<WriteResult[]> {
  throwIfStopped(session.signal);
  const { files } = session;
  // donor-sync writes the batch in a single action, so no other batch can change the data in the meantime.
  return files.withTables(async (tables) => {
    const planned = await planBatch(session, tables, batch);
    await files.journal.append(planned.lines);
    return planned.results;
  });
}

interface PlannedBatch {
  lines: JournalLine[];
  results: WriteResult[];
}

async function planBatch(
  session: CsvSession,
  tables: Tables,
  batch: readonly ContactChange[],
): Promise<PlannedBatch> {
  const { journal } = session.files;
  const rows = await tables.input.find([...new Set(batch.map(({ id }) => id))]);
  const versions = await gatherVersions(tables, journal, [...rows.values()]);
  const byId = new Map(versions.map((version) => [version.input.id, version]));
  for (const { values } of batch) {
    for (const name of Object.keys(values)) session.keptColumns.add(name);
  }
  const columns = layOut(tables, session.keptColumns, journal.createdColumns);
  const byName = new Map(columns.map((column) => [column.name, column]));
  const newColumns = new Set<string>();
  const changes: JournalChange[] = [];
  const results: WriteResult[] = [];
  for (const change of batch) {
    const version = byId.get(change.id);
    const { result, values } = planChange(session, tables, change, version !== undefined);
    results.push(result);
    if (result.status === 'refused' || version === undefined) continue;
    const line = journalChange({ id: change.id, values }, version, byName, tables);
    if (line === null) continue;
    changes.push(line);
    for (const name of Object.keys(line.cells)) if (!byName.has(name)) newColumns.add(name);
    // If the batch contains another change to the same contact, the later change builds on the earlier one.
    byId.set(change.id, { ...version, change: line });
  }
  const create: JournalLine[] = newColumns.size > 0 ? [{ create: [...newColumns] }] : [];
  return { lines: [...create, ...changes], results };
}

function isKnown(name: string, { input, output }: Tables): boolean {
  return input.positions.has(name) || output?.positions.has(name) === true;
}

/** Returns the planned result of a change, and the values that donor-sync will write. */
function planChange(
  session: CsvSession,
  tables: Tables,
  { id, values, together = false }: ContactChange,
  isThere: boolean,
): { result: WriteResult; values: FieldValues } {
  if (!isThere) {
    const refusal = createRefusal('row_missing', 'The file has no row with this id.', []);
    return { result: { status: 'refused', id, ...refusal }, values: {} };
  }
  const refusals = listRefusals(session, tables, values);
  const [first] = refusals;
  if (first === undefined) return { result: { status: 'written', id }, values };
  const refused = refusals.flatMap(({ fields }) => fields);
  const left = Object.entries(values).filter(([name]) => !refused.includes(name));
  if (!together && left.length > 0) {
    const result: WriteResult = { status: 'written_in_part', id, refusals };
    return { result, values: Object.fromEntries(left) };
  }
  const message = refusals.map((refusal) => refusal.message).join(' ');
  return { result: { status: 'refused', id, ...first, message, fields: refused }, values: {} };
}

/** Returns each reason why some values cannot be written, with the columns. */
function listRefusals({ settings }: CsvSession, tables: Tables, values: FieldValues): Refusal[] {
  const { encoding } = tables.input.header.dialect;
  const unsuitable = `The value has characters that a ${encoding} file cannot hold; save the file as UTF-8.`;
  const reasons = Map.groupBy(Object.keys(values), (name): string | null => {
    if (name === settings.columns.id) return 'id_column';
    if (tables.input.namedTwice.has(name)) return 'column_twice';
    if (!isKnown(name, tables) && !isColumnName(name, encoding)) return 'column_name';
    return isEncodable(toCellText(values[name] ?? null), encoding) ? null : 'not_encodable';
  });
  const refused = (code: string, message: string, cause: RefusalCause) => {
    const fields = reasons.get(code);
    return fields === undefined ? [] : [createRefusal(code, message, fields, cause)];
  };
  return [
    ...refused('id_column', 'The column with the ids is never written.', 'no_permission'),
    ...refused(
      'column_twice',
      'Two columns of the file have this name; rename one.',
      'no_permission',
    ),
    ...refused('column_name', 'A column cannot have such a name.', 'no_such_field'),
    ...refused('not_encodable', unsuitable, 'does_not_fit'),
  ];
}

function createRefusal(
  code: string,
  message: string,
  fields: readonly string[],
  cause?: RefusalCause,
): Refusal {
  const refusal = { retriable: false, code, message, fields };
  return cause === undefined ? refusal : { ...refusal, cause };
}

/** Returns the journal line for a change, or null if every cell already contains its value. */
function journalChange(
  change: ContactChange,
  version: RowVersions,
  columns: ReadonlyMap<string, Column>,
  tables: Tables,
): JournalChange | null {
  const cells: Record<string, [string, string]> = { ...version.change?.cells };
  let isNews = false;
  for (const [name, value] of Object.entries(change.values)) {
    const column = columns.get(name) ?? newColumn(name);
    const raw = rawCell(column, version, tables);
    const text = toCellText(value);
    if ((changedText(name, raw, version.change) ?? unquote(raw)) === text) continue;
    cells[name] = [unquote(raw), text];
    isNews = true;
  }
  return isNews ? { id: change.id, cells } : null;
}

function newColumn(name: string): Column {
  return { name, inInput: null, inOutput: null };
}

/** Returns the text that a cell contains for this value. The value null clears the cell. */
function toCellText(value: FieldValue): string {
  if (value === null) return '';
  return typeof value === 'string' ? guardFormula(value) : String(value);
}

/**
 * Removes contacts from the journal, and from a new output that an interrupted run has left. The function changes the
 * journal first. If the journal refers to a new output that does not exist, donor-sync treats the journal's changes as
 * merged.
 */
export async function eraseKept(
  { files }: CsvSession,
  isErased: (id: string) => boolean,
): Promise<number> {
  return files.withTables(async () => {
    const { paths, journal } = files;
    const dropped = await journal.erase(isErased);
    try {
      await rm(paths.replacement, { force: true });
    } catch (error) {
      throw fileError('remove', paths.replacement, error);
    }
    return dropped;
  });
}
