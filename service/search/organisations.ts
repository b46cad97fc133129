/**
 * Finds people who have a relationship with organisations of a given name. The search uses the same circles as the
 * computation of connections.
 */

import { TIE_KINDS, type TieKind, tieKindAt } from '../connections/formula.ts';
import type { Database } from '../database.ts';
import type { Slices } from '../slices.ts';
import { readColumn } from './columns.ts';
import type { TieFilter } from './criteria.ts';
import { createTextTest, longestStem } from './texts.ts';

/** Finds the people of organisations. */
export interface Organisations {
  /**
   * Returns 1 for each donor who may have the relationship. The caller must check the other conditions of the filter.
   */
  peopleOf(tie: TieFilter, slices: Slices): Promise<Uint8Array>;
}

/** Opens the search. The columns are read when they are first used. */
export function openOrganisations(db: Database, donorCount: number): Organisations {
  let circles: Circles | undefined;
  const named = prepareNamed(db);
  return {
    async peopleOf({ relationship, organization }, slices) {
      circles ??= readCircles(db);
      const { kinds } = circles;
      const wantedKinds = relationship === undefined ? TIE_KINDS : KINDS[relationship];
      const isWanted = (circle: number) => wantedKinds.includes(kindOf(kinds, circle));
      const wanted = organization === undefined ? kinds.keys() : await named(organization, slices);
      return markPeople(circles, [...wanted].filter(isWanted), donorCount, slices);
    },
  };
}

/** The columns of circles (`connections/tie-table.ts`). */
interface Circles {
  starts: Uint32Array;
  donors: Uint32Array;
  kinds: Uint8Array;
}

const KINDS: Record<NonNullable<TieFilter['relationship']>, readonly TieKind[]> = {
  sits_on_board_of: ['board'],
  works_for: ['work', 'service'],
  donates_to: ['gift'],
  attends: ['school'],
};

function kindOf(kinds: Uint8Array, circle: number): TieKind {
  return tieKindAt(kinds[circle] ?? 0);
}

function readCircles(db: Database): Circles {
  return {
    starts: readColumn(db, 'tie_columns', 'circleStarts', Uint32Array),
    donors: readColumn(db, 'tie_columns', 'memberDonors', Uint32Array),
    kinds: readColumn(db, 'tie_columns', 'circleKinds', Uint8Array),
  };
}

/** The maximum number of names that are read before other requests can run. */
const NAMES_AT_ONCE = 5_000;

/**
 * Prepares the search for organisations. The database looks up the longest word of the name, or its stem, so that only
 * a few names must be compared. Names with accents, dots or apostrophes are always compared, because the database does
 * not ignore these characters.
 */
function prepareNamed(db: Database): (organization: string, slices: Slices) => Promise<number[]> {
  const select = db.prepare<[number, number, string], { circle: number; name: string }>(
    `select circle, name from circle_names
     where circle >= ? and circle < ?
       and (instr(lower(name), ?) > 0 or name glob '*[^ -~]*' or name glob '*[.'']*')`,
  );
  const last = db.prepare<[], number | null>('select max(circle) from circle_names').pluck();
  return async (organization, slices) => {
    const fits = createTextTest(organization);
    const stem = longestStem(organization);
    const end = (last.get() ?? -1) + 1;
    const found: number[] = [];
    for (let from = 0; from < end; from += NAMES_AT_ONCE) {
      if (slices.isOver()) await slices.next();
      for (const { circle, name } of select.all(from, from + NAMES_AT_ONCE, stem)) {
        if (fits(name)) found.push(circle);
      }
    }
    return found;
  };
}

async function markPeople(
  { starts, donors }: Circles,
  circles: readonly number[],
  donorCount: number,
  slices: Slices,
): Promise<Uint8Array> {
  const marks = new Uint8Array(donorCount);
  for (const circle of circles) {
    if (slices.isOver()) await slices.next();
    for (const donor of donors.subarray(starts[circle] ?? 0, starts[circle + 1] ?? 0)) {
      marks[donor] = 1;
    }
  }
  return marks;
}
