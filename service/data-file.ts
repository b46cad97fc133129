/** Reads the lists of names and cities for matching and search. The generator of fictional people uses other lists. */

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { z } from 'zod';

/** The maximum number of folders between this file and the package's folder. Compiled code is one folder deeper. */
const MAX_FLOORS_UP = 6;

/** Reads a CSV file in `service/data` and checks every row. Throws if a row is invalid. */
export function readDataFile<T>(name: string, row: z.ZodType<T>): T[] {
  return z.array(row).parse(parse(readFileSync(join(dataFolder(), name)), { columns: true }));
}

/** Returns the folder with the data files, which the function searches in the parent folders of the compiled code. */
function dataFolder(): string {
  let folder = import.meta.dirname;
  for (let floor = 0; floor < MAX_FLOORS_UP; floor += 1) {
    const data = join(folder, 'service', 'data');
    if (existsSync(data)) return data;
    folder = dirname(folder);
  }
  throw new Error(`No service/data above ${import.meta.dirname}`);
}
