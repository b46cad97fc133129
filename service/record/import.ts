/**
 * Brings files of people into the database. A file is in as a whole or not at all, and is known again:
 * an import that was killed is started once more and goes on with the first file that is missing.
 */

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Database } from '../database.ts';
import { agreeInFull } from '../matcher/agreement.ts';
import { type GrowingIndex, openGrowingIndex } from '../matcher/growing-index.ts';
import { createMatcher, type Match, type SoughtPerson } from '../matcher/matcher.ts';
import { findCommonBirths } from './births.ts';
import { openBlocklist } from './blocklist.ts';
import type { Entry } from './entry.ts';
import { mergeEntry, newDonor } from './merge.ts';
import { ImportProblem } from './problem.ts';
import { openReviews, type Reviews } from './reviews.ts';
import { judge, shareList } from './same-person.ts';
import { type CsvOptions, readBirths, readCsvDonors } from './sources/csv.ts';
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
  /**
   * csv: what it means if many rows agree in full with a donor of the same list under another id. The list has
   * new ids, or these are other people; without an answer such an import stops.
   */
  sameUnderOtherIds?: 'ids changed' | 'other people';
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
  /** Pairs of people who agree and were not joined, because that takes someone to look at them. */
  toReview: number;
  /** Files that could not be read, and why: nothing of them is in. */
  refused: { file: string; problem: string }[];
}

/** Imports files one by one; the database must be no service's at the time. */
export async function importPeople(db: Database, order: ImportOrder): Promise<ImportReport> {
  const world = openRecordedWorld(db);
  const record = openRecord(db);
  const linker = createLinker({
    record,
    growing: openGrowingIndex(db, world.donorCount),
    reviews: openReviews(db),
    order,
  });
  const none = { files: 0, known: 0, people: 0, added: 0, changed: 0, blocked: 0, toReview: 0 };
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
      const { blocked, toReview, ...counts } = await importFile(db, record, linker, {
        file,
        fingerprint,
        order,
      });
      report.people += counts.people;
      report.added += counts.added;
      report.changed += counts.changed;
      report.blocked += blocked;
      report.toReview += toReview;
    } catch (error) {
      const problem = readable(error, basename(file));
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
    linker.beginFile({
      isEachOnce: order.kind !== 'csv',
      commonBirths: findCommonBirths(order.kind === 'csv' ? await readBirths(file) : [], db),
    });
    for await (const entry of entriesOf(db, file, order)) {
      counts.people += 1;
      if (blocklist.isBlocked(entry)) {
        blocked += 1;
        continue;
      }
      const outcome = linker.take(entry);
      if (outcome !== 'unchanged') counts[outcome] += 1;
    }
    const { toReview, renamed } = linker.endFile();
    refuseOtherIds(file, order, counts.people, renamed);
    record.noteImport({
      fingerprint,
      kind: order.kind,
      file: basename(file),
      atMs: order.clock(),
      ...counts,
    });
    db.exec('commit');
    return { ...counts, blocked, toReview };
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

/** Fewer rows than this are named one by one on the review list instead. */
const LEAST_RENAMED = 10;
const MOST_RENAMED_SHARE = 0.05;

/** A list whose ids have changed would come in a second time as other people, for good. */
function refuseOtherIds(file: string, order: ImportOrder, people: number, renamed: number): void {
  const isMany = renamed >= LEAST_RENAMED && renamed > people * MOST_RENAMED_SHARE;
  if (!isMany || order.sameUnderOtherIds !== undefined) return;
  throw new ImportProblem(basename(file), [
    `${renamed} of ${people} rows agree in full with someone of the same list under another id. Has the list new ids, or are these other people?`,
  ]);
}

interface Linker {
  beginFile(file: {
    /** In files that hold each person once, two people are never one. */
    isEachOnce: boolean;
    /** Days of birth that stand for an unknown one. */
    commonBirths: ReadonlySet<string>;
  }): void;
  take(entry: Entry): 'added' | 'changed' | 'unchanged';
  /** Returns how many pairs are to be reviewed, and how many rows agree in full with someone of the same list. */
  endFile(): { toReview: number; renamed: number };
}

interface LinkerOptions {
  record: RecordStore;
  growing: GrowingIndex;
  reviews: Reviews;
  order: Pick<ImportOrder, 'sameUnderOtherIds' | 'clock'>;
}

/** Finds the donor of an entry: by a key of its source, or by what all sources say. */
function createLinker({ record, growing, reviews, order }: LinkerOptions): Linker {
  const matcher = createMatcher(growing.index);
  let keyOfTaken: Map<number, string> | null = null;
  let commonBirths: ReadonlySet<string> = new Set();
  let counts = { toReview: 0, renamed: 0 };

  /** The donor, or the one with whom the entry has to be reviewed. */
  function find(entry: Entry): { found: number | null; alike: Match | null } {
    for (const key of entry.keys) {
      const number = record.numberByKey(key);
      if (number !== null) return { found: number, alike: null };
    }
    const match = matcher.match(soughtOf(entry, commonBirths));
    const number = match.donorNumber;
    if (number === null || keyOfTaken?.has(number) === true) return NOBODY;
    const keys = record.keysOf(number);
    const verdict = judge(match, entry.keys, keys);
    if (verdict === 'other') return NOBODY;
    if (verdict === 'same') return { found: number, alike: null };
    if (!shareList(entry.keys, keys)) return { found: null, alike: match };
    return order.sameUnderOtherIds === 'ids changed'
      ? { found: number, alike: null }
      : { found: null, alike: match };
  }

  function review({ donorNumber: one, probability, reasons }: Match, other: number, entry: Entry) {
    if (one === null) return;
    reviews.add({ one, other, probability, reasons, atMs: order.clock() });
    counts.toReview += 1;
    const [older, newer] = [one, other].map(growing.index.candidate);
    const isInFull = older !== undefined && newer !== undefined && agreeInFull(older, newer);
    if (isInFull && shareList(entry.keys, record.keysOf(one))) counts.renamed += 1;
  }

  return {
    beginFile(file) {
      keyOfTaken = file.isEachOnce ? new Map() : null;
      commonBirths = file.commonBirths;
      counts = { toReview: 0, renamed: 0 };
    },
    endFile: () => counts,
    take(entry) {
      const { found, alike } = find(entry);
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
      if (alike !== null) review(alike, number, entry);
      return before === null ? 'added' : 'changed';
    },
  };
}

const NOBODY = { found: null, alike: null };

function soughtOf(
  { name, addresses, roles, born }: Entry,
  commonBirths: ReadonlySet<string>,
): SoughtPerson {
  return {
    first: [name.first, name.middle ?? ''].join(' ').trim(),
    last: [name.last, name.suffix ?? ''].join(' ').trim(),
    addresses: addresses.map(
      ({ street, city, state, postalCode }) => `${street}, ${city}, ${state} ${postalCode}`,
    ),
    employers: roles
      .filter(({ side }) => side !== 'education')
      .map(({ organisation }) => organisation.name),
    born: commonBirths.has(born) ? '' : born,
  };
}

async function filesIn(path: string, kind: ImportKind): Promise<string[]> {
  const info = await stat(path).catch(() => null);
  if (info === null) throw new ImportProblem(path, ['There is no such file.']);
  if (!info.isDirectory()) return [path];
  if (kind !== '990') throw new ImportProblem(path, ['It is a folder: name the file.']);
  const names = await readdir(path, { recursive: true });
  return names
    .filter((name) => /\.xml$/i.test(name))
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
function readable(error: unknown, file: string): string | null {
  if (error instanceof ImportProblem) return error.message;
  const isXml = error instanceof Error && /\nLine: \d+/.test(error.message);
  return isXml
    ? `${file} was not imported: The file is no whole XML: ${error.message.split('\n').slice(0, 2).join(', ')}`
    : null;
}
