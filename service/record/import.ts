/**
 * Imports files with people into the database. Each file is imported either completely or not at all, and the import
 * recognises a file that was already imported. An operator can start an interrupted import again. The import then
 * continues with the first file that was not imported.
 */

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Database } from '../database.ts';
import { openGrowingIndex } from '../matcher/growing-index.ts';
import { findCommonBirths } from './births.ts';
import { openBlocklist } from './blocklist.ts';
import type { Entry } from './entry.ts';
import { createLinker, type JoinedEntry, type Linker, type SameUnderOtherIds } from './linker.ts';
import { ImportProblem } from './problem.ts';
import { openReturns, type Returns } from './returns.ts';
import type { CsvOptions } from './sources/csv.ts';
import { type ImportKind, type Source, type SourceFile, sourceOf } from './sources/source.ts';
import { openRecord, type RecordStore } from './store.ts';
import { openRecordedWorld } from './world.ts';

/** The files to import, and the operator's statements about them. */
export interface ImportOrder extends CsvOptions {
  kind: ImportKind;
  /** The paths of the files. For 990, a path can also be a folder of XML files. */
  paths: readonly string[];
  clock: () => number;
  /**
   * Only for CSV. The operator's explanation for rows that agree completely with donors who have different IDs in the
   * same list. Possible explanations are that the list has new IDs, or that the rows are about other people. If the
   * operator gives no explanation, the import stops.
   */
  sameUnderOtherIds?: SameUnderOtherIds | undefined;
  /** True to report the changes of the import without changing the database. */
  isDryRun?: boolean;
  /** Called after each processed file. */
  progress?: (file: string, index: number, count: number) => void;
}

export interface ImportReport {
  files: number;
  /** The number of files that had already been imported. */
  known: number;
  people: number;
  added: number;
  changed: number;
  /** The number of entries that were left out because their people were erased. */
  blocked: number;
  /** The number of similar pairs that were not joined, because an operator has to review them. */
  toReview: number;
  /** The number of entries that were matched to a donor from a different source. */
  joined: number;
  /** The joins with the lowest certainty, least certain join first. */
  leastCertain: JoinedEntry[];
  /**
   * The number of entries that do not name a person, such as "VACANT" or a bank, with the texts of the first entries.
   */
  unread: { count: number; texts: string[] };
  /** The files that the import could not read, with the reasons. The import uses no data from an unreadable file. */
  refused: { file: string; problem: string }[];
}

/** The maximum number of joins in a report. */
const MOST_JOINS_NAMED = 20;

/** The maximum number of entries without a person in a report. */
const MOST_UNREAD_NAMED = 100;

/** Imports the files. Stop all services that use the database first. */
export async function importPeople(db: Database, order: ImportOrder): Promise<ImportReport> {
  openRecordedWorld(db);
  if (order.isDryRun !== true) {
    const report = await importFiles(db, order);
    openRecordedWorld(db);
    return report;
  }
  db.exec('begin immediate');
  try {
    return await importFiles(db, order);
  } finally {
    rollBackTo(db, 'rollback');
  }
}

async function importFiles(db: Database, order: ImportOrder): Promise<ImportReport> {
  const source = sourceOf(order.kind, db, order);
  const record = openRecord(db);
  const growing = openGrowingIndex(db, record.count());
  const returns = openReturns(db, record, growing);
  const linker = createLinker({
    ...{ db, record, growing },
    ...{ clock: order.clock, sameUnderOtherIds: order.sameUnderOtherIds },
  });
  const none = { files: 0, known: 0, people: 0, added: 0, changed: 0, blocked: 0, toReview: 0 };
  const report: ImportReport = {
    ...none,
    ...{ joined: 0, leastCertain: [], refused: [], unread: { count: 0, texts: [] } },
  };
  const files = (await Promise.all(order.paths.map((path) => filesIn(path, source)))).flat();
  for (const [index, file] of files.entries()) {
    order.progress?.(file, index, files.length);
    report.files += 1;
    const fingerprint = await fingerprintOf(file, order.kind, source);
    if (record.isImported(fingerprint)) {
      report.known += 1;
      continue;
    }
    try {
      const one = await importFile(
        db,
        { source, record, linker, returns },
        { file, fingerprint, order },
      );
      report.people += one.people;
      report.added += one.added;
      report.changed += one.changed;
      report.blocked += one.blocked;
      report.toReview += one.toReview;
      report.joined += one.joined.length;
      report.unread.count += one.unread.length;
      report.unread.texts = [...report.unread.texts, ...one.unread].slice(0, MOST_UNREAD_NAMED);
      report.leastCertain = [...report.leastCertain, ...one.joined]
        .toSorted((a, b) => a.probability - b.probability)
        .slice(0, MOST_JOINS_NAMED);
    } catch (error) {
      const problem = readable(error, basename(file));
      // The import can skip a single tax return, because an import contains thousands of tax returns. An import of a
      // list consists of one file, so the import cannot skip the file.
      if (problem === null || source.inFolders === null) throw error;
      report.refused.push({ file: basename(file), problem });
    }
  }
  return report;
}

interface Importing {
  source: Source;
  record: RecordStore;
  linker: Linker;
  returns: Returns;
}

interface FileToImport {
  file: string;
  fingerprint: string;
  order: ImportOrder;
}

async function importFile(
  db: Database,
  { source, record, linker, returns }: Importing,
  { file, fingerprint, order }: FileToImport,
) {
  const counts = { people: 0, added: 0, changed: 0 };
  const blocklist = openBlocklist(db);
  let blocked = 0;
  const transaction = openTransaction(db);
  try {
    linker.beginFile({
      isEachOnce: source.isEachOnce,
      commonBirths: findCommonBirths(await source.readBirths(file), db),
    });
    const { statements, unread } = await readStatements(source, file, {
      returns,
      isBlocked: blocklist.isBlocked,
    });
    for await (const { entry, stated, isBlocked } of statements) {
      counts.people += 1;
      if (isBlocked) {
        blocked += 1;
        continue;
      }
      const outcome = linker.take(entry, stated);
      if (outcome !== 'unchanged') counts[outcome] += 1;
    }
    const { toReview, renamed, joined } = linker.endFile();
    refuseOtherIds(file, order, counts.people, renamed);
    record.noteImport({
      fingerprint,
      kind: order.kind,
      file: basename(file),
      atMs: order.clock(),
      ...counts,
    });
    transaction.commit();
    return { ...counts, blocked, toReview, joined, unread };
  } catch (error) {
    transaction.rollBack();
    throw error;
  }
}

/** Starts a transaction for one file. A dry run is itself a transaction, so this is a nested transaction. */
function openTransaction(db: Database) {
  const isNested = db.inTransaction;
  db.exec(isNested ? 'savepoint import_file' : 'begin immediate');
  return {
    commit: () => db.exec(isNested ? 'release import_file' : 'commit'),
    rollBack: () => {
      if (isNested) rollBackTo(db, 'rollback to import_file; release import_file');
      else rollBackTo(db, 'rollback');
    },
  };
}

/**
 * Rolls back a transaction. If the disk is full, SQLite has already rolled it back, and a second attempt would hide the
 * cause.
 */
function rollBackTo(db: Database, statement: string): void {
  if (db.inTransaction) db.exec(statement);
}

/** A source's entry, and the part of it that is stored. The complete entry is used to find the donor. */
interface Statement {
  entry: Entry;
  stated: Entry;
  /** True if the entry describes an erased person, so that the import stores no data from the entry. */
  isBlocked: boolean;
}

interface Reading {
  returns: Returns;
  isBlocked: (entry: Entry) => boolean;
}

async function readStatements(source: Source, file: string, reading: Reading) {
  const { entries, filed, unread } = await source.read(file);
  return { statements: statementsOf(entries, filed, reading), unread };
}

async function* statementsOf(
  entries: SourceFile['entries'],
  filed: SourceFile['filed'],
  { returns, isBlocked }: Reading,
): AsyncGenerator<Statement> {
  if (filed === null) {
    for await (const entry of entries) yield { entry, stated: entry, isBlocked: isBlocked(entry) };
    return;
  }
  const people: Entry[] = [];
  for await (const entry of entries) people.push(entry);
  const blocked = new Set(people.filter(isBlocked));
  const state = returns.begin(filed, people, blocked);
  for (const entry of people) {
    yield { entry, stated: state(entry), isBlocked: blocked.has(entry) };
  }
}

/** The minimum number of rows with new IDs for which the import stops. Fewer rows are put on the review list. */
const LEAST_RENAMED = 10;
const MOST_RENAMED_SHARE = 0.05;

/**
 * Throws if the IDs in a list have changed. If the list was imported anyway, all people in it would permanently exist
 * twice.
 */
function refuseOtherIds(file: string, order: ImportOrder, people: number, renamed: number): void {
  const isMany = renamed >= LEAST_RENAMED && renamed > people * MOST_RENAMED_SHARE;
  if (!isMany || order.sameUnderOtherIds !== undefined) return;
  throw new ImportProblem(basename(file), [
    `${renamed} of ${people} rows agree in full with someone of the same list under another id. Has the list new ids (--ids-changed), or are these other people (--other-people)?`,
  ]);
}

async function filesIn(path: string, { inFolders }: Source): Promise<string[]> {
  const info = await stat(path).catch(() => null);
  if (info === null) throw new ImportProblem(path, ['There is no such file.']);
  if (!info.isDirectory()) return [path];
  if (inFolders === null) throw new ImportProblem(path, ['It is a folder: name the file.']);
  const names = await readdir(path, { recursive: true });
  return names
    .filter((name) => inFolders.test(name))
    .toSorted()
    .map((name) => join(path, name));
}

/**
 * Returns the hash of a file's content and of the operator's statements about it. If a statement differs, the file
 * counts as a different file.
 */
async function fingerprintOf(
  file: string,
  kind: ImportKind,
  { statement, companions }: Source,
): Promise<string> {
  const hash = createHash('sha256').update(kind).update(statement);
  for (const path of [file, ...companions]) {
    for await (const chunk of createReadStream(path)) hash.update(chunk);
  }
  return hash.digest('hex');
}

/**
 * Returns the message of an error in a file's content, which an operator can correct. Returns null for all other
 * errors.
 */
function readable(error: unknown, file: string): string | null {
  if (error instanceof ImportProblem) return error.message;
  const isXml = error instanceof Error && /\nLine: \d+/.test(error.message);
  return isXml
    ? `${file} was not imported: the file is not complete XML: ${error.message.split('\n').slice(0, 2).join(', ')}`
    : null;
}
