import { existsSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Returns the absolute path of a file that the program reads as it is, from its path below the root of the sources. The built program is in other folders than the sources. Both have these files at the same path relative to the nearest package.json.
 */
export function ownFile(path: string): string {
  return join(topFolder(import.meta.dirname), path);
}

/** Returns a thread's program. This is a source file, given without its extension, or its built version. */
export function ownProgram(path: string): URL {
  return pathToFileURL(ownFile(path + extname(import.meta.filename)));
}

function topFolder(folder: string): string {
  const isTop = existsSync(join(folder, 'package.json')) || folder === dirname(folder);
  return isTop ? folder : topFolder(dirname(folder));
}
