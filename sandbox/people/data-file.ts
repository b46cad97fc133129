/** The data files beside this code. */

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { z } from 'zod';

/** How far above this file the package's folder may be (compiled code lies one floor deeper). */
const MAX_FLOORS_UP = 6;

/** Reads a CSV file of `sandbox/people/data` and checks every row; throws where one is wrong. */
export function readDataFile<T>(name: string, row: z.ZodType<T>): T[] {
  const path = join(packageFolder(), 'sandbox', 'people', 'data', name);
  return z.array(row).parse(parse(readFileSync(path), { columns: true }));
}

/** The data stay where they are when the code is compiled, so they are found from the package's root. */
function packageFolder(): string {
  let folder = import.meta.dirname;
  for (let floor = 0; floor < MAX_FLOORS_UP; floor++) {
    if (existsSync(join(folder, 'package.json'))) return folder;
    folder = dirname(folder);
  }
  throw new Error(`No package.json above ${import.meta.dirname}`);
}
