import { join, resolve } from 'node:path';

/** Run `npm run build` first. */
export const PROGRAM = join(import.meta.dirname, '..', 'dist', 'src', 'main.js');

/** Returns the path of the built program in a different folder. */
export function programIn(folder: string): string {
  return resolve(folder, 'dist', 'src', 'main.js');
}
