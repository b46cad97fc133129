import { join, resolve } from 'node:path';

/** The path of the built program, which `npm run build` creates. */
export const PROGRAM = join(import.meta.dirname, '..', 'dist', 'src', 'main.js');

/** Returns the path of the built program in another folder. */
export function programIn(folder: string): string {
  return resolve(folder, 'dist', 'src', 'main.js');
}
