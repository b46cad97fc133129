/** Stores the key in a file that only its owner can read and that git ignores. */
import { chmod, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Stores a variable and keeps the rest of the file. Resolves when the file is saved on disk. */
export async function saveVariable(file: string, name: string, value: string): Promise<void> {
  await ignoreInGit(file);
  const text = (await readText(file)) ?? '';
  const lines = text.split('\n').filter((line) => !isAssignment(line, name));
  const kept = lines.join('\n').trimEnd();
  await writePrivately(file, `${kept === '' ? '' : `${kept}\n`}${name}='${value}'\n`);
}

function isAssignment(line: string, name: string): boolean {
  return (
    line
      .trim()
      .replace(/^export\s+/, '')
      .split('=')[0]
      ?.trim() === name
  );
}

/** Writes the file. A new file replaces the old file, so that other users can never read the key. */
async function writePrivately(file: string, text: string): Promise<void> {
  const fresh = `${file}.donor-sync-new`;
  await rm(fresh, { force: true });
  try {
    await writeFile(fresh, text, { mode: 0o600, flag: 'wx', flush: true });
    await chmod(fresh, 0o600);
    await rename(fresh, file);
  } finally {
    await rm(fresh, { force: true });
  }
}

/** Adds the file to the `.gitignore` next to it. */
async function ignoreInGit(file: string): Promise<void> {
  const list = join(dirname(file), '.gitignore');
  const text = (await readText(list)) ?? '';
  const name = basename(file);
  const rules = text.split('\n').map((line) => line.trim());
  if (rules.some((rule) => [name, `/${name}`, `${name}*`].includes(rule))) return;
  const start = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  await writeFile(list, `${start}${name}\n`);
}

async function readText(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
