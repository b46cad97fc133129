/** Reads names in the United States, with their frequencies. */

import { z } from 'zod';
import { readDataFile } from './data-file.ts';
import { createWeighted, type PickWeighted } from './weighted.ts';

/** The two sexes in the first-name lists of the Social Security Administration. */
export type Sex = 'F' | 'M';

/** Functions that pick names by their frequency. */
export interface Names {
  first: Record<Sex, PickWeighted<string>>;
  last: PickWeighted<string>;
}

const firstNameRow = z.object({
  name: z.string(),
  sex: z.enum(['F', 'M']),
  births_1940_1990: z.coerce.number(),
});
const surnameRow = z.object({ surname: z.string(), count_2010: z.coerce.number() });

let names: Names | undefined;

/** Reads the names. The files are read when they are first used. */
export function readNames(): Names {
  names ??= namesFromFiles();
  return names;
}

function namesFromFiles(): Names {
  const firstNames = readDataFile('first_names.csv', firstNameRow);
  const surnames = readDataFile('surnames.csv', surnameRow);
  return {
    first: { F: firstNamesOf('F', firstNames), M: firstNamesOf('M', firstNames) },
    last: createWeighted(
      surnames.map(({ surname, count_2010 }) => ({ entry: surname, weight: count_2010 })),
    ),
  };
}

function firstNamesOf(sex: Sex, rows: z.infer<typeof firstNameRow>[]): PickWeighted<string> {
  const ofSex = rows.filter((row) => row.sex === sex);
  return createWeighted(
    ofSex.map(({ name, births_1940_1990 }) => ({ entry: name, weight: births_1940_1990 })),
  );
}
