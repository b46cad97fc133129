import { copyFile, link, mkdir, readdir, readlink, symlink } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Brings all modules that are installed in one folder into another, as `npm ci` would. Files are
 * linked where that is possible: half a gigabyte takes its time to copy. The list that npm keeps of
 * what it has installed is left out, since npm writes into it, and makes it again where it is missing.
 */
export async function bringInstalledModules(from: string, to: string): Promise<void> {
  await bringFolder(join(from, 'node_modules'), join(to, 'node_modules'));
}

const LIST_OF_NPM = '.package-lock.json';

async function bringFolder(from: string, to: string): Promise<void> {
  await mkdir(to);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (entry.name === LIST_OF_NPM) continue;
    const paths = [join(from, entry.name), join(to, entry.name)] as const;
    if (entry.isDirectory()) await bringFolder(...paths);
    else if (entry.isSymbolicLink()) await symlink(await readlink(paths[0]), paths[1]);
    else await bringFile(...paths);
  }
}

/** Links a file, or copies it where a link is not possible. Neither of the two may be written into. */
export async function bringFile(from: string, to: string): Promise<void> {
  await link(from, to).catch(() => copyFile(from, to));
}
