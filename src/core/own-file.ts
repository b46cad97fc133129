import { existsSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * The path of a file that the program reads as it is, given from the top of the sources. The built
 * program lies in other folders than its sources do; both have these files in the same places below the
 * folder of their package.json.
 */
export function ownFile(path: string): string {
  return join(topFolder(import.meta.dirname), path);
}

/** The program of a thread: a file of the sources, given without its ending, or what was built of it. */
export function ownProgram(path: string): URL {
  return pathToFileURL(ownFile(path + extname(import.meta.filename)));
}

function topFolder(folder: string): string {
  const isTop = existsSync(join(folder, 'package.json')) || folder === dirname(folder);
  return isTop ? folder : topFolder(dirname(folder));
}
