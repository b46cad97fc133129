import { join } from 'node:path';

/** The program as it is installed: `npm run build` has to come first. */
export const PROGRAM = join(import.meta.dirname, '..', 'dist', 'src', 'main.js');
