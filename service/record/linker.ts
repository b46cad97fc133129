/** Finds the donor for each entry of a file, either by the key that a source uses, or by comparing all data. */

import type { Database } from '../database.ts';
import { agreeInFull } from '../matcher/agreement.ts';
import { type Candidate, candidateOf } from '../matcher/donor-index.ts';
import type { GrowingIndex } from '../matcher/growing-index.ts';
import { createMatcher, type Match, type SoughtPerson, THRESHOLDS } from '../matcher/matcher.ts';
import type { Entry } from './entry.ts';
import { createJoining } from './joining.ts';
import { shareList } from './lists.ts';
import { mergeEntry, newDonor } from './merge.ts';
import { openReviews } from './reviews.ts';
import { judge } from './same-person.ts';
import type { RecordStore } from './store.ts';

/** The operator's explanation for rows that agree completely with donors who have different IDs in the list. */
export type SameUnderOtherIds = 'ids changed' | 'other people';

export interface JoinedEntry {
  /** The donor's ID. */
  id: string;
  /** The key of the entry in its source. */
  key: string;
  probability: number;
  reasons: readonly string[];
}

/** The result for the entries of a file. */
export interface LinkedFile {
  /** The number of pairs that an operator must review. */
  toReview: number;
  /** The number of rows that agree completely with a donor who has a different ID in the list. */
  renamed: number;
  /** Entries that were matched to donors of other sources, in the order of the file. */
  joined: JoinedEntry[];
}

/** Processes the entries of a file one after another. */
export interface Linker {
  beginFile(file: {
    /** True if the file contains each person only once, so that two of its rows never describe one person. */
    isEachOnce: boolean;
    /** The dates of birth that the file uses for unknown birthdays. */
    commonBirths: ReadonlySet<string>;
  }): void;
  /** Finds the donor of an entry, and stores the data in `stated`. By default, `stated` is the whole entry. */
  take(entry: Entry, stated?: Entry): 'added' | 'changed' | 'unchanged';
  endFile(): LinkedFile;
}

interface LinkerOptions {
  db: Database;
  record: RecordStore;
  growing: GrowingIndex;
  clock: () => number;
  sameUnderOtherIds: SameUnderOtherIds | undefined;
}

/** Creates the linker. Process each file inside a transaction. */
export function createLinker(options: LinkerOptions): Linker {
  const { db, record, growing, clock, sameUnderOtherIds } = options;
  const matcher = createMatcher(growing.index);
  const reviews = openReviews(db);
  const joining = createJoining(db, record, growing);
  const taken = new Set<number>();
  let isEachOnce = false;
  let commonBirths: ReadonlySet<string> = new Set();
  let outcome: LinkedFile = { toReview: 0, renamed: 0, joined: [] };

  function find(entry: Entry): Found {
    for (const key of entry.keys) {
      const number = record.numberByKey(key);
      if (number !== null) return { how: 'by key', number };
    }
    const match = matcher.match(soughtOf(entry, commonBirths));
    const number = match.donorNumber;
    if (number === null) return ofNameAlone(entry) ?? likelyOf(match);
    if (isEachOnce && taken.has(number)) return NEW;
    const keys = record.keysOf(number);
    const verdict = judge(match, entry.keys, keys);
    if (verdict === 'other') return NEW;
    if (verdict === 'same') return { how: 'by match', number, match };
    const isRenamed =
      sameUnderOtherIds === 'ids changed' && shareList(entry.keys, keys) && !taken.has(number);
    return isRenamed ? { how: 'by new id', number } : { how: 'new, to review', match };
  }

  /**
   * Handles a row that has only the name in common with another row of its list. An operator must decide whether the
   * two rows describe one person.
   */
  function ofNameAlone(entry: Entry): Found | null {
    if (entry.addresses.length + entry.roles.length > 0 || entry.born !== '') return null;
    const mine = candidateOf(-1, newDonor(entry, record.identify, ''));
    const other = growing.index.named(mine.last, mine.first, MOST_NAMESAKES).find((number) => {
      const theirs = growing.index.candidate(number);
      return (
        theirs !== undefined &&
        haveNameAlone(mine, theirs) &&
        shareList(entry.keys, record.keysOf(number))
      );
    });
    if (other === undefined) return null;
    const nameAlone = { kinds: 0, isContradicted: false, isJoinable: false, runnerUp: null };
    const half = { probability: 0.5, cautious: 0.5 };
    const match = { ...nameAlone, ...half, donorNumber: other, reasons: [NAME_ALONE] };
    return { how: 'new, to review', match };
  }

  function review({ donorNumber: one, probability, reasons }: Match, other: number, entry: Entry) {
    if (one === null) return;
    reviews.add({ one, other, probability, reasons, atMs: clock() });
    outcome.toReview += 1;
    const [older, newer] = [one, other].map(growing.index.candidate);
    const isInFull = older !== undefined && newer !== undefined && agreeInFull(older, newer);
    if (isInFull && shareList(entry.keys, record.keysOf(one))) outcome.renamed += 1;
  }

  /** Stores the data that must be kept, before the donor changes. */
  function prepare(found: Found, entry: Entry): void {
    if (found.how === 'by key') joining.writeEntry(found.number, entry);
    if (found.how === 'by new id') joining.renewKeys(found.number, entry);
    if (found.how !== 'by match') return;
    joining.joinEntry(found.number, entry);
    const { probability, reasons } = found.match;
    const id = record.donor(found.number)?.id ?? '';
    outcome.joined.push({ id, key: entry.keys[0], probability, reasons });
  }

  return {
    beginFile(file) {
      ({ isEachOnce, commonBirths } = file);
      taken.clear();
      outcome = { toReview: 0, renamed: 0, joined: [] };
    },
    endFile: () => outcome,
    take(entry, stated = entry) {
      const found = find(entry);
      prepare(found, stated);
      const number = 'number' in found ? found.number : record.count();
      taken.add(number);
      const before = 'number' in found ? record.donor(number) : null;
      const donor =
        before === null
          ? newDonor(stated, record.identify, record.freeId(entry.keys[0]))
          : mergeEntry(before, stated, record.identify);
      const isSame = before !== null && JSON.stringify(before) === JSON.stringify(donor);
      record.write(number, donor, entry.keys);
      if (isSame) return 'unchanged';
      growing.put(number, donor, before);
      if (found.how === 'new, to review') review(found.match, number, entry);
      return before === null ? 'added' : 'changed';
    },
  };
}

type Found =
  | { how: 'by key' | 'by new id'; number: number }
  | { how: 'by match'; number: number; match: Match }
  | { how: 'new' }
  | { how: 'new, to review'; match: Match };

const NEW: Found = { how: 'new' };

const NAME_ALONE = 'The whole name is the same, and nothing else is known of either';
const MOST_NAMESAKES = 20;

function haveNameAlone(one: Candidate, other: Candidate): boolean {
  const isSame =
    one.last === other.last &&
    one.first === other.first &&
    one.generation === other.generation &&
    one.middles.join(' ') === other.middles.join(' ');
  return isSame && other.born === '' && other.addresses().length + other.employers().length === 0;
}

/** Returns a new donor. If another donor is likely but not certain enough, an operator must review the pair. */
function likelyOf(match: Match): Found {
  const { cautious: probability, runnerUp } = match;
  if (runnerUp === null || probability <= THRESHOLDS.review) return NEW;
  return { how: 'new, to review', match: { ...match, ...runnerUp, probability } };
}

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
