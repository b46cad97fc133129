/** Who is tied to organisations of a name, from the circles that the connections are made of. */

import { entryAt } from '../../people/random.ts';
import { TIE_KINDS, type TieKind } from '../connections/formula.ts';
import type { Database } from '../database.ts';
import { readColumn } from './columns.ts';
import type { TieFilter } from './criteria.ts';
import { createTextTest, longestWord } from './texts.ts';

/** Finds the people of organisations. */
export interface Organisations {
  /** For each donor 1 if one of their ties may be the one that is sought; the rest is to be checked. */
  peopleOf(tie: TieFilter): Uint8Array;
}

/** Opens the circles of a database; the columns are read when they are first asked for. */
export function openOrganisations(db: Database, donorCount: number): Organisations {
  let circles: Circles | undefined;
  const named = prepareNamed(db);
  return {
    peopleOf({ relationship, organization }) {
      circles ??= readCircles(db);
      const { kinds } = circles;
      const wantedKinds = relationship === undefined ? TIE_KINDS : KINDS[relationship];
      const isWanted = (circle: number) => wantedKinds.includes(kindOf(kinds, circle));
      const wanted = organization === undefined ? kinds.keys() : named(organization);
      return markPeople(circles, [...wanted].filter(isWanted), donorCount);
    },
  };
}

/** Numbers as in `connections/tie-table.ts`. */
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
  return entryAt(TIE_KINDS, kinds[circle] ?? 0);
}

function readCircles(db: Database): Circles {
  return {
    starts: readColumn(db, 'tie_columns', 'circleStarts', Uint32Array),
    donors: readColumn(db, 'tie_columns', 'memberDonors', Uint32Array),
    kinds: readColumn(db, 'tie_columns', 'circleKinds', Uint8Array),
  };
}

/**
 * The database looks for the longest word of a name, which leaves few to compare. Names with signs
 * that a comparison drops (accents, dots, apostrophes) are all compared.
 */
function prepareNamed(db: Database): (organization: string) => number[] {
  const select = db.prepare<[string], { circle: number; name: string }>(
    `select circle, name from circle_names
     where instr(lower(name), ?) > 0 or name glob '*[^ -~]*' or name glob '*[.'']*'`,
  );
  return (organization) => {
    const fits = createTextTest(organization);
    return select
      .all(longestWord(organization))
      .filter(({ name }) => fits(name))
      .map(({ circle }) => circle);
  };
}

function markPeople(
  { starts, donors }: Circles,
  circles: readonly number[],
  donorCount: number,
): Uint8Array {
  const marks = new Uint8Array(donorCount);
  for (const circle of circles) {
    for (const donor of donors.subarray(starts[circle] ?? 0, starts[circle + 1] ?? 0)) {
      marks[donor] = 1;
    }
  }
  return marks;
}
