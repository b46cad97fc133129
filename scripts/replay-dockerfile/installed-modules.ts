import { copyFile, link, mkdir, readdir, readlink, symlink } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Copies all installed modules from one folder to another, as `npm ci` does. The function links files if possible,
 * because copying half a gigabyte takes long. It does not copy npm's own list of installed modules, because npm changes
 * this list. npm creates the list again if it is missing.
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

/** Links a file, or copies it if linking is not possible. Afterwards, nothing may write to either file. */
export async function bringFile(from: string, to: string): Promise<void> {
  await link(from, to).catch(() => copyFile(from, to));
}
