/**
 * Brings files of people into the database. A file is in as a whole or not at all, and is known again:
 * an import that was killed is started once more and goes on with the first file that is missing.
 */

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Database } from '../database.ts';
import { type GrowingIndex, openGrowingIndex } from '../matcher/growing-index.ts';
import { createMatcher, type Matcher } from '../matcher/matcher.ts';
import { openBlocklist } from './blocklist.ts';
import type { Entry } from './entry.ts';
import { mergeEntry, newDonor } from './merge.ts';
import { ImportProblem } from './problem.ts';
import { type CsvOptions, readCsvDonors } from './sources/csv.ts';
import { readForm990 } from './sources/form-990.ts';
import { readJudges } from './sources/judges.ts';
import { readLegislators } from './sources/legislators.ts';
import { openRecord, type RecordStore } from './store.ts';
import { openRecordedWorld } from './world.ts';

/** The kinds of files. */
export const IMPORT_KINDS = ['csv', 'legislators', 'judges', '990'] as const;

export type ImportKind = (typeof IMPORT_KINDS)[number];

/** What is imported, and what is said of it. */
export interface ImportOrder extends CsvOptions {
  kind: ImportKind;
  /** Files, and for 990 folders of XML files as well. */
  paths: readonly string[];
  clock: () => number;
  /** Hears of each file that was looked at. */
  progress?: (file: string, index: number, count: number) => void;
}

/** What came of an import. */
export interface ImportReport {
  files: number;
  /** Files that were in already. */
  known: number;
  people: number;
  added: number;
  changed: number;
  /** People who were erased, or are taken for one of them: they are left out. */
  blocked: number;
  /** Files that could not be read, and why: nothing of them is in. */
  refused: { file: string; problem: string }[];
}

/** Imports files one by one; the database must be no service's at the time. */
export async function importPeople(db: Database, order: ImportOrder): Promise<ImportReport> {
  const world = openRecordedWorld(db);
  const record = openRecord(db);
  const linker = createLinker(record, openGrowingIndex(db, world.donorCount));
  const none = { files: 0, known: 0, people: 0, added: 0, changed: 0, blocked: 0 };
  const report: ImportReport = { ...none, refused: [] };
  const files = (await Promise.all(order.paths.map((path) => filesIn(path, order.kind)))).flat();
  for (const [index, file] of files.entries()) {
    order.progress?.(file, index, files.length);
    report.files += 1;
    const fingerprint = await fingerprintOf(file, order);
    if (record.isImported(fingerprint)) {
      report.known += 1;
      continue;
    }
    try {
      const { blocked, ...counts } = await importFile(db, record, linker, {
        file,
        fingerprint,
        order,
      });
      report.people += counts.people;
      report.added += counts.added;
      report.changed += counts.changed;
      report.blocked += blocked;
    } catch (error) {
      const problem = readable(error);
      // One return of thousands is left out; of a single list there is nothing else.
      if (problem === null || order.kind !== '990') throw error;
      report.refused.push({ file: basename(file), problem });
    }
  }
  openRecordedWorld(db);
  return report;
}

interface FileToImport {
  file: string;
  fingerprint: string;
  order: ImportOrder;
}

async function importFile(
  db: Database,
  record: RecordStore,
  linker: Linker,
  { file, fingerprint, order }: FileToImport,
) {
  const counts = { people: 0, added: 0, changed: 0 };
  const blocklist = openBlocklist(db);
  let blocked = 0;
  db.exec('begin immediate');
  try {
    linker.beginFile({ isEachOnce: order.kind !== 'csv' });
    for await (const entry of entriesOf(db, file, order)) {
      counts.people += 1;
      if (blocklist.isBlocked(entry)) {
        blocked += 1;
        continue;
      }
      const outcome = linker.take(entry);
      if (outcome !== 'unchanged') counts[outcome] += 1;
    }
    record.noteImport({
      fingerprint,
      kind: order.kind,
      file: basename(file),
      atMs: order.clock(),
      ...counts,
    });
    db.exec('commit');
    return { ...counts, blocked };
  } catch (error) {
    db.exec('rollback');
    throw error;
  }
}

function entriesOf(db: Database, file: string, order: ImportOrder): AsyncIterable<Entry> {
  if (order.kind === '990') return readForm990(file);
  if (order.kind === 'judges') return readJudges(file, order.date);
  if (order.kind === 'legislators') return readLegislators(file, order.date);
  return readCsvDonors(db, file, order);
}

interface Linker {
  /** In files that hold each person once, two people are never one. */
  beginFile(file: { isEachOnce: boolean }): void;
  take(entry: Entry): 'added' | 'changed' | 'unchanged';
}

/** Finds the donor of an entry: by a key of its source, or as the matcher finds submitted people. */
function createLinker(record: RecordStore, growing: GrowingIndex): Linker {
  const matcher = createMatcher(growing.index);
  let keyOfTaken: Map<number, string> | null = null;

  function find(entry: Entry): number | null {
    for (const key of entry.keys) {
      const number = record.numberByKey(key);
      if (number !== null) return number;
    }
    const number = matchOf(matcher, entry);
    if (number === null || keyOfTaken?.has(number) === true) return null;
    const suffix = record.donor(number)?.suffix ?? null;
    const isOther = suffix !== null && entry.name.suffix !== null && suffix !== entry.name.suffix;
    return isOther ? null : number;
  }

  return {
    beginFile({ isEachOnce }) {
      keyOfTaken = isEachOnce ? new Map() : null;
    },
    take(entry) {
      const found = find(entry);
      const number = found ?? record.count();
      keyOfTaken?.set(number, entry.keys[0]);
      const before = found === null ? null : record.donor(found);
      const donor =
        before === null
          ? newDonor(entry, record.identify)
          : mergeEntry(before, entry, record.identify);
      const isSame = before !== null && JSON.stringify(before) === JSON.stringify(donor);
      record.write(number, donor, entry.keys);
      if (isSame) return 'unchanged';
      growing.put(number, donor, before);
      return before === null ? 'added' : 'changed';
    },
  };
}

function matchOf(matcher: Matcher, { name, addresses, roles, born }: Entry): number | null {
  const { donorNumber } = matcher.match({
    first: [name.first, name.middle ?? ''].join(' ').trim(),
    last: name.last,
    addresses: addresses.map(
      ({ street, city, state, postalCode }) => `${street}, ${city}, ${state} ${postalCode}`,
    ),
    employers: roles
      .filter(({ side }) => side !== 'education')
      .map(({ organisation }) => organisation.name),
    born,
  });
  return donorNumber;
}

async function filesIn(path: string, kind: ImportKind): Promise<string[]> {
  const info = await stat(path).catch(() => null);
  if (info === null) throw new ImportProblem(path, ['There is no such file.']);
  if (!info.isDirectory()) return [path];
  if (kind !== '990') throw new ImportProblem(path, ['It is a folder: name the file.']);
  const names = await readdir(path, { recursive: true });
  return names
    .filter((name) => name.endsWith('.xml'))
    .toSorted()
    .map((name) => join(path, name));
}

/** Of the content, and of all that is said about it: the same file said to be of another source is another. */
async function fingerprintOf(file: string, order: ImportOrder): Promise<string> {
  const hash = createHash('sha256').update(order.kind);
  if (order.kind === 'csv') {
    hash.update(JSON.stringify([order.source, order.date, order.confidence]));
  }
  for (const path of [file, ...(order.roles === null ? [] : [order.roles])]) {
    for await (const chunk of createReadStream(path)) hash.update(chunk);
  }
  return hash.digest('hex');
}

/** What a person can do something about: the content of a file. Others are faults. */
function readable(error: unknown): string | null {
  if (error instanceof ImportProblem) return error.message;
  const isXml = error instanceof Error && /\nLine: \d+/.test(error.message);
  return isXml
    ? `The file is no whole XML: ${error.message.split('\n').slice(0, 2).join(', ')}`
    : null;
}
