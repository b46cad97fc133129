import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ConfigurationError, messageOf } from '../../core/errors.ts';
import { hasCode } from '../system-error.ts';

const FILE_MODE = 0o600;

/**
 * Reads the key file, or creates it with `generate()`. If several processes create it at the same time, all of them
 * read the first key. Throws a ConfigurationError if the file is not readable.
 */
export async function readOrCreateKeyFile(path: string, generate: () => string): Promise<string> {
  try {
    return (await readIfExists(path)) ?? (await create(path, generate()));
  } catch (error) {
    throw new ConfigurationError(
      `The key file ${path} cannot be used: ${messageOf(error)}. Make it readable, or set DONOR_SYNC_SECRET_KEY.`,
      { code: 'key_file_unusable', cause: error },
    );
  }
}

async function readIfExists(path: string): Promise<string | null> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}

/**
 * Writes the file under a different name and then links it. Linking never replaces a file. Therefore, no process reads
 * an incomplete key, and no existing key is lost.
 */
async function create(path: string, key: string): Promise<string> {
  const folder = dirname(path);
  const draft = `${path}.${randomUUID()}`;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    await writeDurably(draft, `${key}\n`);
    await link(draft, path).catch((error: unknown) => {
      if (!hasCode(error, 'EEXIST')) throw error;
    });
  } finally {
    await unlink(draft).catch(() => undefined);
  }
  await syncFolder(folder);
  return (await readFile(path, 'utf8')).trim();
}

async function writeDurably(path: string, text: string): Promise<void> {
  await using file = await open(path, 'wx', FILE_MODE);
  await file.writeFile(text);
  await file.sync();
}

async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder, 'r');
  await handle.sync();
}
