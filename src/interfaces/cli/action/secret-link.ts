/** Writes a secret link to a terminal or to a private file, because the link gives access to anyone. */
import { open, readFile, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ConfigurationError, messageOf } from '../../../core/errors.ts';
import { type Output, usageError } from '../terminal/output.ts';

/** The place to which one link is written. */
export interface LinkPlace {
  /** The absolute path of the file, or null for the terminal. */
  file: string | null;
  /** Writes the link to the file. Does nothing on a terminal, because the caller prints the link there. */
  write(link: string): Promise<void>;
  drop(): Promise<void>;
}

/**
 * Opens the place before the link exists, so that no link is lost. Throws a ConfigurationError if the file cannot be
 * created. If no file is named, stdout must be a terminal, because pipes and logs store text.
 */
export async function openLinkPlace(
  cwd: string,
  out: string | undefined,
  output: Pick<Output, 'isTerminal' | 'isJson'>,
): Promise<LinkPlace> {
  if (out === undefined) {
    if (output.isTerminal && !output.isJson) return ON_TERMINAL;
    throw usageError(
      'Anyone with the link gets access, so it is shown only in a terminal and never with --json. Nothing was changed. To write it into a file that only you can read, add --out FILE',
    );
  }
  const file = resolve(cwd, out);
  if (await hasEarlierLink(file)) await rm(file);
  const handle = await create(file);
  let isOpen = true;
  const close = async () => {
    if (isOpen) await handle.close();
    isOpen = false;
  };
  return {
    file,
    async write(link) {
      try {
        await handle.writeFile(`${link}\n`);
      } finally {
        await close();
      }
    },
    async drop() {
      await close();
      await rm(file, { force: true });
    },
  };
}

const ON_TERMINAL: LinkPlace = { file: null, async write() {}, async drop() {} };

const MODE = 0o600;

/** Creates the file. Never follows a symbolic link, and never replaces another file. */
async function create(file: string) {
  try {
    return await open(file, 'wx', MODE);
  } catch (cause) {
    throw new ConfigurationError(
      `The link cannot be written into a new file: ${messageOf(cause)}. Nothing was changed. Name a file that does not exist yet, in a folder that you can write to.`,
      { code: 'link_file_unwritable', cause },
    );
  }
}

/**
 * True if the file is empty or contains an earlier link. A restarted service replaces the link that it wrote earlier.
 */
async function hasEarlierLink(file: string): Promise<boolean> {
  const text = await readFile(file, 'utf8').catch(() => null);
  return text !== null && /^https?:\/\/\S+\/(first-visit|join)\/[\w-]{43}\n$|^$/.test(text);
}
