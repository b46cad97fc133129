/** Joins donors who were added separately but are one person. The rules are the same as in an import. */

import type { Database } from '../database.ts';
import type { Donor, Role } from '../donor.ts';
import { openGrowingIndex } from '../matcher/growing-index.ts';
import { createMatcher, type Match } from '../matcher/matcher.ts';
import { openApart } from './apart.ts';
import { findCommonBirths } from './births.ts';
import { createJoining } from './joining.ts';
import { judge } from './same-person.ts';
import { soughtOf } from './sought.ts';
import { openRecord } from './store.ts';
import { isVacant } from './vacancy.ts';
import { openRecordedWorld } from './world.ts';

/** Two donors who are one person. */
export interface Joined {
  /** The ID that the donor keeps, and the other ID. The other ID leads to the same donor from now on. */
  id: string;
  joined: string;
  /** The probability that the two are one person. */
  probability: number;
  reasons: string[];
}

export interface JoinOrder {
  /**
   * If true, only reports which donors would be joined. If three donors are one person, the third may become
   * apparent only after the first two are joined.
   */
  isPreview: boolean;
  clock: () => number;
  /** Called with the number of processed donors. */
  progress?: (looked: number, count: number) => void;
}

const SAY_EVERY = 10_000;

/**
 * Joins each donor with the most likely other donor. The probability must be high enough in both directions. No source
 * may list both donors at the same time. Stop all services that use the database first. Each joined pair is written to
 * the disk immediately. A stopped run therefore continues when it is started again.
 */
export function joinDonors(db: Database, { isPreview, clock, progress }: JoinOrder): Joined[] {
  openRecordedWorld(db);
  const record = openRecord(db);
  const count = record.count();
  const growing = openGrowingIndex(db, count);
  const matcher = createMatcher(growing.index);
  const joining = createJoining(db, record, growing);
  const apart = openApart(db);
  const commonBirths = findCommonBirths([], db);
  const found: Joined[] = [];

  const present = (number: number): Donor | null => {
    const donor = record.donor(number);
    return donor === null || isVacant(donor) ? null : donor;
  };

  /** Returns the other donor who is the same person, and the evidence. */
  function otherOf(number: number, donor: Donor): { number: number; match: Match } | null {
    const match = matcher.match(soughtOf(donor, commonBirths), number);
    const other = match.donorNumber;
    const theirs = other === null ? null : present(other);
    if (other === null || theirs === null || areApart(donor, theirs)) return null;
    if (apart.has(number, other)) return null;
    if (judge(match, record.keysOf(number), record.keysOf(other)) !== 'same') return null;
    const back = matcher.match(soughtOf(theirs, commonBirths), other);
    return back.donorNumber === number ? { number: other, match } : null;
  }

  const join = db.transaction((into: number, from: number, match: Match) =>
    joining.join(into, from, match, clock()),
  );

  const seen = new Set<number>();
  for (let number = 0; number < count; number++) {
    if (number % SAY_EVERY === 0) progress?.(number, count);
    // The combined facts about the two donors may identify a third.
    for (let again = !seen.has(number); again; again = !isPreview) {
      const donor = present(number);
      const other = donor && otherOf(number, donor);
      if (donor === null || other === null) break;
      const [into, from] = [Math.min(number, other.number), Math.max(number, other.number)];
      const { probability, reasons } = other.match;
      const idOf = (one: number) => record.donor(one)?.id ?? '';
      found.push({ id: idOf(into), joined: idOf(from), probability, reasons });
      if (isPreview) seen.add(other.number);
      else join.immediate(into, from, other.match);
    }
  }
  openRecordedWorld(db);
  return found;
}

/** True if one source lists both donors on the same board at the same time. */
function areApart(one: Donor, other: Donor): boolean {
  const [mine, theirs] = [one, other].map(({ work, boards }) => [...work, ...boards]);
  return (mine ?? []).some((role) => (theirs ?? []).some((their) => areBeside(role, their)));
}

function areBeside(one: Role, other: Role): boolean {
  return (
    one.organisationId === other.organisationId &&
    one.source?.source === other.source?.source &&
    one.start <= (other.end ?? '9') &&
    other.start <= (one.end ?? '9')
  );
}
