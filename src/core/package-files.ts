/**
 * Reads files of packages, such as browser files and word lists. The build copies them (`scripts/package-files.ts`), so
 * that their packages do not have to be installed. If donor-sync runs from its sources, it reads the files in the
 * installed packages.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { ownFile } from './own-file.ts';

/** The extension of compressed copies. */
export const COMPRESSED = '.br';

/** Returns the content of a file in a package. */
export function readPackageFile(name: string, file: string): Buffer {
  const path = join(packageFolder(name), file);
  const compressed = path + COMPRESSED;
  return existsSync(compressed)
    ? brotliDecompressSync(readFileSync(compressed))
    : readFileSync(path);
}

export function listPackageFolder(name: string, folder: string): string[] {
  const files = readdirSync(join(packageFolder(name), folder));
  return files.map((file) =>
    file.endsWith(COMPRESSED) ? file.slice(0, -COMPRESSED.length) : file,
  );
}

/**
 * Returns the folder of a package. The folder is searched, because not every package allows its files to be found by
 * name.
 */
function packageFolder(name: string): string {
  const places = [
    ownFile('packages'),
    ...(createRequire(import.meta.url).resolve.paths(name) ?? []),
  ];
  const folder = places.map((place) => join(place, name)).find((path) => existsSync(path));
  if (folder === undefined) throw new Error(`The package ${name} is not installed.`);
  return folder;
}
