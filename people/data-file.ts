/** Reads the data files in `people/data`. */

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { z } from 'zod';

/** The maximum number of folders between this file and the package's folder. Compiled code is one folder deeper. */
const MAX_FLOORS_UP = 6;

/** Reads a CSV file in `people/data` and checks every row. Throws if a row is invalid. */
export function readDataFile<T>(name: string, row: z.ZodType<T>): T[] {
  const path = dataPath(name);
  return z.array(row).parse(parse(readFileSync(path), { columns: true }));
}

/** Returns the path of a file or folder in `people/data`. */
export function dataPath(name: string): string {
  return join(dataFolder(), name);
}

/**
 * Returns the folder that contains the data. The folder is not copied when the code is compiled, so the function
 * searches the parent folders.
 */
function dataFolder(): string {
  let folder = import.meta.dirname;
  for (let floor = 0; floor < MAX_FLOORS_UP; floor++) {
    const data = join(folder, 'people', 'data');
    if (existsSync(data)) return data;
    folder = dirname(folder);
  }
  throw new Error(`No people/data above ${import.meta.dirname}`);
}
