/** Where a link that lets its holder in may go: to a terminal, or into a file that only this user can read. */
import { open, readFile, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ConfigurationError, messageOf } from '../../../core/errors.ts';
import { type Output, usageError } from '../terminal/output.ts';

/** A place for one link. */
export interface LinkPlace {
  /** The whole path of the file; null for the terminal. */
  file: string | null;
  /** Puts the link there. On a terminal, does nothing: the caller prints it. */
  write(link: string): Promise<void>;
  /** Removes the file, whose link no longer counts. */
  drop(): Promise<void>;
}

/**
 * Opens the file before there is a link, so that no link is created that nobody sees. Throws a ConfigurationError if it
 * cannot be created. Without a file, stdout has to be a terminal: pipes and logs keep what they get.
 */
export async function openLinkPlace(
  cwd: string,
  out: string | undefined,
  output: Pick<Output, 'isTerminal' | 'isJson'>,
): Promise<LinkPlace> {
  if (out === undefined) {
    if (output.isTerminal && !output.isJson) return ON_TERMINAL;
    throw usageError(
      'The link lets its holder in, so it is shown on a terminal only, and never with --json. Nothing was changed. Write it into a file that only you can read: --out FILE',
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

/** Never follows a symbolic link, and never replaces a file. */
async function create(file: string) {
  try {
    return await open(file, 'wx', MODE);
  } catch (cause) {
    throw new ConfigurationError(
      `The link cannot be written into a new file: ${messageOf(cause)}. Nothing was changed. Name a file that does not exist yet, in a folder where you may write.`,
      { code: 'link_file_unwritable', cause },
    );
  }
}

/** An empty file, or one with an earlier link alone, is replaced: a service starts with the same options again. */
async function hasEarlierLink(file: string): Promise<boolean> {
  const text = await readFile(file, 'utf8').catch(() => null);
  return text !== null && /^https?:\/\/\S+\/(first-visit|join)\/[\w-]{43}\n$|^$/.test(text);
}
