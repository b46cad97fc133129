/** How common names are among the people of the United States, never among the donors of a file. */

import { z } from 'zod';
import { readDataFile } from '../../people/data-file.ts';
import { words } from './words.ts';

/** The share of all people who bear a name; names are comparable ones. */
export interface Population {
  first(name: string): number;
  last(name: string): number;
  /** Whether it is one of the common first names. */
  isFirstName(name: string): boolean;
}

/** The people counted in the census from which the last names are. */
const PEOPLE_2010 = 295_000_000;

/** A name outside the lists is rare, not unique: some thousand people bear it. */
const UNLISTED_SHARE = 2e-5;

const firstNameRow = z.object({ name: z.string(), births_1940_1990: z.coerce.number() });
const surnameRow = z.object({ surname: z.string(), count_2010: z.coerce.number() });

let population: Population | undefined;

/** The population; the files are read when it is first asked for. */
export function readPopulation(): Population {
  population ??= fromFiles();
  return population;
}

function fromFiles(): Population {
  const births = readDataFile('first_names.csv', firstNameRow).map((row) => ({
    name: row.name,
    count: row.births_1940_1990,
  }));
  const allBirths = births.reduce((sum, { count }) => sum + count, 0);
  const surnames = readDataFile('surnames.csv', surnameRow).map((row) => ({
    name: row.surname,
    count: row.count_2010,
  }));
  const firsts = sharesOf(births, allBirths);
  const lasts = sharesOf(surnames, PEOPLE_2010);
  return {
    first: (name) => firsts.get(name) ?? UNLISTED_SHARE,
    last: (name) => lasts.get(name) ?? UNLISTED_SHARE,
    isFirstName: (name) => firsts.has(name),
  };
}

/** A first name that both sexes bear counts for both. */
function sharesOf(rows: readonly { name: string; count: number }[], all: number) {
  const shares = new Map<string, number>();
  for (const { name, count } of rows) {
    const key = words(name).join('');
    shares.set(key, (shares.get(key) ?? 0) + count / all);
  }
  return shares;
}
