/** Joins donors that were added separately but are one person, by the rules of an import. */

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

/** Two donors that the service has joined because they are one person. */
export interface Joined {
  /**
   * The ID that the joined donor keeps, and the ID of the other donor. After the join, the other ID leads to the joined
   * donor.
   */
  id: string;
  joined: string;
  /** The probability that the two donors are one person. */
  probability: number;
  reasons: string[];
}

export interface JoinOrder {
  /**
   * True to report the joins without making them. If three donors are one person, the service may find the third donor
   * only after it has joined the first two.
   */
  isPreview: boolean;
  clock: () => number;
  /** Called with the number of processed donors. */
  progress?: (looked: number, count: number) => void;
}

const SAY_EVERY = 10_000;

/**
 * Joins each donor to the most likely other donor. Each of the two donors must find the other donor with a high
 * probability. The two donors must not be in the same source at the same time. Stop all services that use the database
 * first. Each join is written to the disk immediately. If a run is stopped, the next run continues.
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

  /** Returns the donor that is the same person as the given donor, together with the evidence. */
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
    // The combined data of two donors may lead to a third donor.
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

/** Returns true if one source lists the two donors on one board at one time. */
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
