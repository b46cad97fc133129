/** The data files beside this code. */

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { z } from 'zod';

/** How far above this file the package's folder may be (compiled code lies one floor deeper). */
const MAX_FLOORS_UP = 6;

/** Reads a CSV file of `people/data` and checks every row; throws where one is wrong. */
export function readDataFile<T>(name: string, row: z.ZodType<T>): T[] {
  const path = dataPath(name);
  return z.array(row).parse(parse(readFileSync(path), { columns: true }));
}

/** Where a file or folder of `people/data` is. */
export function dataPath(name: string): string {
  return join(dataFolder(), name);
}

/** The data stay where they are when the code is compiled: they are looked for upwards. */
function dataFolder(): string {
  let folder = import.meta.dirname;
  for (let floor = 0; floor < MAX_FLOORS_UP; floor++) {
    const data = join(folder, 'people', 'data');
    if (existsSync(data)) return data;
    folder = dirname(folder);
  }
  throw new Error(`No people/data above ${import.meta.dirname}`);
}
