import { join, resolve } from 'node:path';

/** The program as it is installed. Run `npm run build` first. */
export const PROGRAM = join(import.meta.dirname, '..', 'dist', 'src', 'main.js');

/** Returns the built program of another folder. */
export function programIn(folder: string): string {
  return resolve(folder, 'dist', 'src', 'main.js');
}
