import { existsSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Returns the absolute path of a file that the program reads unchanged, from its path relative to the root of
 * the sources. The built program is in different folders than its sources, but both have these files at the
 * same path below the folder of their package.json.
 */
export function ownFile(path: string): string {
  return join(topFolder(import.meta.dirname), path);
}

/** Returns the program of a thread: a source file, named without its extension, or its built version. */
export function ownProgram(path: string): URL {
  return pathToFileURL(ownFile(path + extname(import.meta.filename)));
}

function topFolder(folder: string): string {
  const isTop = existsSync(join(folder, 'package.json')) || folder === dirname(folder);
  return isTop ? folder : topFolder(dirname(folder));
}
