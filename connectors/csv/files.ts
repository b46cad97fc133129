import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { ConfigurationError } from '../../src/core/errors.ts';
import type { ContactsSettings } from '../contract.ts';
import { requireOptOutField } from '../marks/yes-or-no.ts';
import { fileChanged, fileError } from './file-errors.ts';
import { type Journal, openJournal } from './journal.ts';
import { createMarkTally } from './marks.ts';
import { type CsvSettings, requiredColumns } from './settings.ts';
import { waitUntilSettled } from './settled.ts';
import { detectForeignKind } from './sources/source.ts';
import { openTable, readStamp, type Table, type TableFormat } from './table.ts';

/** The files of one client at one point in time. */
export interface Tables {
  input: Table;
  /** The separate output. Null if the output does not exist yet, or if the output is the input. */
  output: Table | null;
}

/** The paths of the files, after symbolic links have been resolved. */
export interface FilePaths {
  input: string;
  /** The file that donor-sync replaces. By default, donor-sync replaces the input file. */
  output: string;
  isInPlace: boolean;
  journal: string;
  /** The path at which donor-sync writes the new file before it replaces the output. */
  replacement: string;
}

export interface CsvFiles {
  readonly paths: FilePaths;
  readonly journal: Journal;
  /**
   * Runs an action, and runs it again if another program has changed the files in between. The action may run several
   * times. The function `commit` runs only once. Two actions on the files never run at the same time. An action on the
   * files must not wait for another action. Throws a RetriableError if another program changes the files again and
   * again.
   */
  withTables<Result>(
    action: (tables: Tables) => Promise<Result>,
    commit?: (result: Result) => Promise<void>,
  ): Promise<Result>;
  close(): Promise<void>;
}

const MOST_ATTEMPTS = 5;

/**
 * Reads the files completely, checks them and opens them. Throws a ConfigurationError that lists the problems of the
 * files. `signal` ends the wait for a file that is still being written.
 */
export async function openFiles(
  settings: CsvSettings,
  contacts: ContactsSettings,
  signal: AbortSignal,
): Promise<CsvFiles> {
  requireOptOutField(contacts);
  const paths = await findPaths(settings);
  await requireOwnOutput(settings, paths);
  const formats = tableFormats(settings, contacts);
  const journal = await openJournal(paths.journal);
  let tables = await openTables(paths, formats, signal).catch(async (error: unknown) => {
    await journal.close();
    throw error;
  });

  const inTurn = createQueue();

  return {
    paths,
    journal,
    withTables: (action, commit) =>
      inTurn(async () => {
        for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
          await refresh();
          const result = await action(tables);
          if (!(await areCurrent(tables, paths))) continue;
          await commit?.(result);
          return result;
        }
        throw fileChanged(`${paths.input} or ${paths.output}`, {
          input: paths.input,
          output: paths.output,
        });
      }),
    close: () =>
      inTurn(async () => {
        await closeTables(tables);
        await journal.close();
      }),
  };

  async function refresh(): Promise<void> {
    if (await areCurrent(tables, paths)) return;
    const outdated = tables;
    tables = await openTables(paths, formats, signal);
    await closeTables(outdated);
  }
}

function createQueue(): <Result>(task: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const result = last.then(task, task);
    last = result.catch(() => {});
    return result;
  };
}

/** Resolves the paths. The output may not exist yet. */
export async function findPaths(settings: CsvSettings): Promise<FilePaths> {
  const input = await resolveRealPath(settings.path);
  const output = settings.output === undefined ? input : await resolveFuturePath(settings.output);
  await checkFolder(dirname(output));
  return {
    input,
    output,
    isInPlace: input === output,
    journal: `${output}.donor-sync-journal`,
    replacement: `${output}.donor-sync-new`,
  };
}

/**
 * Throws a ConfigurationError if the settings name no separate output but one is necessary. A workbook or a UTF-16 file
 * needs a separate output, because donor-sync never replaces these files. donor-sync writes the results to a CSV file.
 */
async function requireOwnOutput(
  { path }: Pick<CsvSettings, 'path'>,
  { input, output, isInPlace }: FilePaths,
): Promise<void> {
  const kind = await detectForeignKind(input).catch((error: unknown) => {
    throw fileError('read', input, error);
  });
  const problem =
    kind !== null && isInPlace
      ? `${path} is a ${kind}, and donor-sync writes CSV in UTF-8: name another file for the results in crm.output`
      : WORKBOOK_NAME.test(output)
        ? 'crm.output has the name of a workbook, but donor-sync writes CSV: give it a name that ends with .csv'
        : null;
  if (problem === null) return;
  const code = 'csv_output_needed';
  throw new ConfigurationError(`${problem}. Nothing was changed.`, { code, details: { path } });
}

const WORKBOOK_NAME = /\.xls[xmb]?$/i;

async function resolveRealPath(path: string): Promise<string> {
  return realpath(path).catch((error: unknown) => {
    throw fileError('read', resolve(path), error);
  });
}

async function resolveFuturePath(path: string): Promise<string> {
  const existing = await realpath(path).catch(() => null);
  return existing ?? join(await resolveRealPath(dirname(resolve(path))), basename(path));
}

/** Checks whether donor-sync can create a file in the folder. A new output is created next to the old output. */
async function checkFolder(folder: string): Promise<void> {
  return access(folder, constants.W_OK).catch((error: unknown) => {
    throw fileError('write to the folder', folder, error);
  });
}

function tableFormats(
  settings: CsvSettings,
  contacts: ContactsSettings,
): { input: TableFormat; output: TableFormat } {
  const required = requiredColumns(settings, contacts);
  const { delimiter, encoding, badRows, sheet } = settings;
  const shared = { required, encoding, badRows, idColumn: settings.columns.id };
  // A spreadsheet program may have changed the output's delimiter. The ID column is the only column that the output
  // must have.
  return {
    input: {
      ...shared,
      delimiter,
      sheet,
      countMarks: (columns) => createMarkTally(contacts, columns),
    },
    output: { ...shared, required: required.slice(0, 1), delimiter: undefined },
  };
}

async function openTables(
  paths: FilePaths,
  formats: { input: TableFormat; output: TableFormat },
  signal: AbortSignal,
): Promise<Tables> {
  try {
    if ((await detectForeignKind(paths.input)) === null) {
      await waitUntilSettled(paths.input, signal);
    }
  } catch (error) {
    throw fileError('read', paths.input, error);
  }
  const input = await openTable(paths.input, formats.input);
  try {
    const hasOutput = !paths.isInPlace && (await isWritten(paths.output));
    return { input, output: hasOutput ? await openTable(paths.output, formats.output) : null };
  } catch (error) {
    await input.close();
    throw error;
  }
}

/** Returns false if the output is missing or empty. */
async function isWritten(path: string): Promise<boolean> {
  const stats = await stat(path).catch(() => null);
  return stats !== null && stats.size > 0;
}

async function areCurrent(tables: Tables, paths: FilePaths): Promise<boolean> {
  if ((await readStamp(paths.input)) !== tables.input.stamp) return false;
  if (paths.isInPlace) return true;
  if (tables.output === null) return !(await isWritten(paths.output));
  return (await readStamp(paths.output)) === tables.output.stamp;
}

async function closeTables(tables: Tables): Promise<void> {
  await tables.input.close();
  await tables.output?.close();
}
