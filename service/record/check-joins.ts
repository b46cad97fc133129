/** Finds joined donors that may be two different people. */

import type { Database } from '../database.ts';
import type { Donor } from '../donor.ts';
import { candidateOf, indexOf } from '../matcher/donor-index.ts';
import { comparePair } from '../matcher/matcher.ts';
import { listOf } from './lists.ts';
import { openParts } from './parts.ts';
import { isSureToJoin } from './same-person.ts';
import { soughtOf } from './sought.ts';
import { openRecord } from './store.ts';
import { isVacant } from './vacancy.ts';

/** A joined donor that an operator has to review. */
export interface SuspiciousJoin {
  /** The donor's ID. */
  id: string;
  /** The ID for the command `service join --undo`, or null if the join cannot be undone. */
  undo: string | null;
  /** The reason why the join is suspicious. */
  reason: string;
  /** The donor's IDs in the donor's sources. */
  keys: string[];
}

const TWO_IDS = 'Two ids of one list are joined';
const OTHER_PEOPLE = 'The names or suffixes are those of two people';
const CONTRADICTED = 'A middle initial or a day of birth speaks against it';
const TOO_LITTLE = 'An import would not join them today: too little speaks for it';

/** Finds joins in a file that do not meet the current requirements for joins. */
export function checkJoins(db: Database): SuspiciousJoin[] {
  const record = openRecord(db);
  const parts = openParts(db);
  const index = indexOf(db, record.count());
  const found: SuspiciousJoin[] = [];
  for (let number = 0; number < record.count(); number += 1) {
    const donor = record.donor(number);
    if (donor === null || isVacant(donor)) continue;
    const keys = record.keysOf(number);
    const [first, ...others] = parts.of(number);
    if (first === undefined) {
      if (haveTwoOfOneList(keys)) found.push({ id: donor.id, undo: null, reason: TWO_IDS, keys });
      continue;
    }
    if (haveTwoOfOneList(parts.keysOf(first.id))) {
      found.push({ id: donor.id, undo: null, reason: TWO_IDS, keys });
    }
    for (const part of others) {
      const isOneList = haveTwoOfOneList([...parts.keysOf(part.id), ...parts.keysOf(first.id)]);
      const reason = isOneList ? TWO_IDS : doubtOf(first.donor, part.donor);
      const undo = part.id === donor.id ? first.id : part.id;
      if (reason !== null) found.push({ id: donor.id, undo, reason, keys });
    }
  }
  return found;

  function doubtOf(one: Donor, other: Donor): string | null {
    const match = comparePair(index, soughtOf(other, new Set()), candidateOf(-1, one));
    if (match === undefined) return OTHER_PEOPLE;
    if (match.isContradicted) return CONTRADICTED;
    return isSureToJoin(match) || areOfReturns(one, other) ? null : TOO_LITTLE;
  }
}

/**
 * Returns true if each of the two donors comes from tax returns. Tax returns of different years count as one source,
 * and rarely contain more than a person's name and organisation.
 */
function areOfReturns(one: Donor, other: Donor): boolean {
  return [one, other].every(({ sources }) => sources?.name?.source === 'irs-990');
}

function haveTwoOfOneList(keys: readonly string[]): boolean {
  const lists = keys.filter((key) => !key.startsWith('990:')).map(listOf);
  return new Set(lists).size < lists.length;
}
