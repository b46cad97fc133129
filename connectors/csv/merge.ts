import { rm } from 'node:fs/promises';
import { quote, unquote } from './cells.ts';
import { fileError } from './file-errors.ts';
import type { Tables } from './files.ts';
import { getFileStart } from './header.ts';
import type { JournalChange } from './journal.ts';
import {
  type Column,
  changedText,
  gatherVersions,
  layOut,
  type RowVersions,
  rawCell,
} from './layout.ts';
import { isSameFile, readAccess, replaceFile, writeWholeFile } from './replace-file.ts';
import type { BrokenRow, Row } from './rows.ts';
import type { CsvSession } from './session.ts';
import { encodeText } from './sources/encoding.ts';

/**
 * Merges the journal into the output. donor-sync writes a new file, and the new file replaces the old output. If the
 * output is a separate file, also copies the changes of the input to the output. If nothing would change in the output,
 * donor-sync does not replace it. The output keeps rows that are missing from the input, as long as their contacts
 * exist. Rows that are missing from the input come last in the output.
 */
export async function mergeIntoOutput(session: CsvSession): Promise<void> {
  const { files } = session;
  const { paths, journal } = files;
  if (paths.isInPlace && journal.pending === 0) return;
  try {
    await files.withTables(
      (tables) => writeReplacement(session, tables),
      async ({ isReady, keptColumns }) => {
        if (isReady) await replaceFile(paths.replacement, paths.output);
        await journal.reset(keptColumns);
      },
    );
  } catch (error) {
    throw fileError('replace', paths.output, error);
  }
}

interface Replacement {
  /** False if the new output is identical to the old output. */
  isReady: boolean;
  /** The columns of the input whose cells come from the output, in this run and in later runs. */
  keptColumns: string[];
}

/** Writes the new output to a file next to the old output. */
async function writeReplacement(session: CsvSession, tables: Tables): Promise<Replacement> {
  const { paths, journal } = session.files;
  const access = await readAccess(paths.output, paths.input);
  const keptColumns = [...session.keptColumns].filter(
    (name) => !paths.isInPlace && tables.input.positions.has(name),
  );
  await writeWholeFile(paths.replacement, mergedFile(session, tables), access);
  if (await isSameFile(paths.replacement, paths.output)) {
    await rm(paths.replacement, { force: true });
    return { isReady: false, keptColumns };
  }
  // The journal's last line shows a later run whether the new output has replaced the old output. A later run must not
  // apply the journal's changes again. A run that applied the changes again could overwrite values that users have
  // typed since.
  if (journal.pending > 0) await journal.append([{ replacement: paths.replacement }]);
  return { isReady: true, keptColumns };
}

/** Yields the new output in chunks. */
async function* mergedFile(session: CsvSession, tables: Tables): AsyncGenerator<Buffer> {
  const { journal } = session.files;
  const { header } = tables.input;
  const columns = layOut(tables, session.keptColumns, journal.createdColumns);
  const names = columns.map(({ name, inInput }) =>
    inInput === null ? quote(name, header.dialect) : (header.cells[inInput] ?? ''),
  );
  yield getFileStart(header.dialect);
  yield encode(names.join(header.dialect.delimiter) + header.ending);
  let lastEnding = header.ending;
  let matched = 0;
  const keptBroken = new Set<string>();
  for await (const rows of tables.input.rows()) {
    const versions = await gatherVersions(tables, journal, rows);
    matched += versions.filter(({ output }) => output !== undefined).length;
    lastEnding = rows.at(-1)?.ending ?? lastEnding;
    for (const part of partsBetweenBroken(versions)) {
      const { broken, ending } = part[0]?.input ?? NO_ROW;
      if (broken === undefined) {
        yield encode(part.map((version) => mergedRow(version, columns, tables)).join(''));
      } else {
        const kept = broken.id === null ? null : await keptRow(broken.id, columns, tables);
        if (kept !== null) {
          yield encode(kept + ending);
          keptBroken.add(broken.id ?? '');
        } else yield* brokenRow(broken, ending, columns, tables);
      }
    }
  }
  // In most cases, every row of the output has matched, so the output is not read again.
  if ((tables.output?.rowCount ?? 0) <= matched + keptBroken.size) return;
  for await (const rows of rowsToKeep(session, tables, keptBroken)) {
    // The last row of a file may have no line ending.
    if (lastEnding === '') yield encode(header.ending || '\n');
    lastEnding = header.ending || '\n';
    const changes = await journal.find(rows.map(({ id }) => id));
    const texts = rows.map((row) => outputRow(row, columns, tables, changes.get(row.id)));
    yield encode(texts.map((text) => text + lastEnding).join(''));
  }

  function encode(text: string): Buffer {
    return encodeText(text, header.dialect.encoding);
  }
}

const NO_ROW: Pick<Row, 'broken' | 'ending'> = { ending: '' };

/**
 * Splits the rows into parts. Each broken row is a separate part, and the rows between two broken rows are one part.
 */
function partsBetweenBroken(versions: readonly RowVersions[]): RowVersions[][] {
  const parts: RowVersions[][] = [];
  let isOpen = false;
  for (const version of versions) {
    const isBroken = version.input.broken !== undefined;
    if (isOpen && !isBroken) parts.at(-1)?.push(version);
    else parts.push([version]);
    isOpen = !isBroken;
  }
  return parts;
}

/**
 * Returns the row that the previous output contains for a broken row. By keeping the row, donor-sync does not lose
 * values that have been paid for. Returns null if the output has no such row, or if an intact row has the same ID.
 */
async function keptRow(
  id: string,
  columns: readonly Column[],
  { input, output }: Tables,
): Promise<string | null> {
  const row = (await output?.find([id]))?.get(id);
  if (row === undefined || (await input.find([id])).has(id)) return null;
  return outputRow(row, columns, { input, output });
}

/** Returns a row of the output, with the row's pending change if there is one. */
function outputRow(
  row: Row,
  columns: readonly Column[],
  { input, output }: Tables,
  change?: JournalChange,
): string {
  const { dialect } = input.header;
  return columns
    .map(({ name }) => {
      const raw = row.cells[output?.positions.get(name) ?? -1] ?? '';
      return changedText(name, raw, change) ?? unquote(raw);
    })
    .map((text) => quote(text, dialect))
    .join(dialect.delimiter);
}

/**
 * Yields the output's rows that are missing from the input. donor-sync knows that the contacts of these rows still
 * exist. The missing rows keep their order.
 */
async function* rowsToKeep(
  { countAsPresent }: Pick<CsvSession, 'countAsPresent'>,
  { input, output }: Tables,
  without: ReadonlySet<string>,
): AsyncGenerator<Row[]> {
  if (output === null || countAsPresent === undefined) return;
  for await (const rows of output.rows()) {
    const ids = rows.flatMap(({ id }) => (id === '' || without.has(id) ? [] : [id]));
    const there = await input.find(ids);
    const absent = ids.filter((id) => !there.has(id));
    if (absent.length === 0) continue;
    const present = await countAsPresent(absent);
    const kept = rows.filter(({ id }) => present.has(id) && !there.has(id));
    if (kept.length > 0) yield kept;
  }
}

/**
 * Yields the bytes of a broken row unchanged. If the output has new columns, adds blank cells. Without the blank cells,
 * the row's cells would be in the wrong columns.
 */
async function* brokenRow(
  { offset, size, isExtendable }: BrokenRow,
  ending: string,
  columns: readonly Column[],
  { input }: Tables,
): AsyncGenerator<Buffer> {
  yield* input.readBytes({ offset, size });
  const added = isExtendable ? columns.length - input.header.columns.length : 0;
  yield Buffer.from(input.header.dialect.delimiter.repeat(Math.max(0, added)) + ending);
}

function mergedRow(version: RowVersions, columns: readonly Column[], tables: Tables): string {
  const { dialect } = tables.input.header;
  const { id, cells, ending } = version.input;
  if (id === '') return cells.join(dialect.delimiter) + ending;
  const merged = columns.map((column) => {
    const raw = rawCell(column, version, tables);
    const text = changedText(column.name, raw, version.change);
    return text === null ? raw : quote(text, dialect);
  });
  return merged.join(dialect.delimiter) + ending;
}
