import { join, resolve } from 'node:path';

/** The program as it is installed: `npm run build` has to come first. */
export const PROGRAM = join(import.meta.dirname, '..', 'dist', 'src', 'main.js');

/** The program of another folder that was built. */
export function programIn(folder: string): string {
  return resolve(folder, 'dist', 'src', 'main.js');
}
