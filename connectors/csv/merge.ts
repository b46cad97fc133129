import { rm } from 'node:fs/promises';
import { quote } from './cells.ts';
import { encodeText } from './encoding.ts';
import { fileError } from './file-errors.ts';
import type { Tables } from './files.ts';
import { byteOrderMarkOf } from './header.ts';
import {
  type Column,
  changedText,
  gatherVersions,
  layOut,
  type RowVersions,
  rawCell,
} from './layout.ts';
import { isSameFile, modeOf, replaceFile, writeWholeFile } from './replace-file.ts';
import type { CsvSession } from './session.ts';

/**
 * Brings the journal (and, into a separate output, what changed in the input) into the output by
 * replacing it as a whole. Nothing is replaced if that would change nothing.
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
  /** False if the new output would be the same as the old one. */
  isReady: boolean;
  /** Columns of the input that the output has the say on, also in later runs. */
  keptColumns: string[];
}

/** Writes the new output beside the old one. */
async function writeReplacement(session: CsvSession, tables: Tables): Promise<Replacement> {
  const { paths, journal } = session.files;
  const mode = await modeOf(paths.output, paths.input);
  const keptColumns = [...session.keptColumns].filter(
    (name) => !paths.isInPlace && tables.input.positions.has(name),
  );
  await writeWholeFile(paths.replacement, mergedFile(session, tables), mode);
  if (await isSameFile(paths.replacement, paths.output)) {
    await rm(paths.replacement, { force: true });
    return { isReady: false, keptColumns };
  }
  // Tells a later run, should this one be killed before it empties the journal, whether the
  // replacement took place: then it must not be applied over what people typed since.
  if (journal.pending > 0) await journal.append([{ replacement: paths.replacement }]);
  return { isReady: true, keptColumns };
}

/** The new output, piece by piece. */
async function* mergedFile(session: CsvSession, tables: Tables): AsyncGenerator<Buffer> {
  const { journal } = session.files;
  const { header } = tables.input;
  const columns = layOut(tables, session.keptColumns, journal.createdColumns);
  const names = columns.map(({ name, inInput }) =>
    inInput === null ? quote(name, header.dialect) : (header.cells[inInput] ?? ''),
  );
  yield byteOrderMarkOf(header.dialect);
  yield encode(names.join(header.dialect.delimiter) + header.ending);
  for await (const rows of tables.input.rows()) {
    const versions = await gatherVersions(tables, journal, rows);
    yield encode(versions.map((version) => mergedRow(version, columns, tables)).join(''));
  }

  function encode(text: string): Buffer {
    return encodeText(text, header.dialect.encoding);
  }
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
