import { existsSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Returns the absolute path of a file that donor-sync reads unchanged. The given path is relative to the root of the
 * sources. The built program and the sources are in different folders. In both folders, these files have the same path
 * relative to package.json.
 */
export function ownFile(path: string): string {
  return join(topFolder(import.meta.dirname), path);
}

/** Returns a thread's source file or its built version. `name` has no extension. */
export function ownProgram(path: string): URL {
  return pathToFileURL(ownFile(path + extname(import.meta.filename)));
}

function topFolder(folder: string): string {
  const isTop = existsSync(join(folder, 'package.json')) || folder === dirname(folder);
  return isTop ? folder : topFolder(dirname(folder));
}
