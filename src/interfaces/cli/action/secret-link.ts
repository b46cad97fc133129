/** A link gives access to anyone. It goes to a terminal or to a private file. */
import { open, readFile, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ConfigurationError, messageOf } from '../../../core/errors.ts';
import { type Output, usageError } from '../terminal/output.ts';

/** The output for one link. */
export interface LinkPlace {
  /** The absolute path of the file, or null for the terminal. */
  file: string | null;
  /** Does nothing on a terminal, where the caller prints the link. */
  write(link: string): Promise<void>;
  drop(): Promise<void>;
}

/**
 * Opened before the link exists, so no link is lost. Throws a ConfigurationError if the file cannot be created. Without
 * a file, stdout must be a terminal, because pipes and logs store text.
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

/** Never follows a symbolic link, and never replaces a file. */
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

/** True for an empty file or an earlier link. A restarted service replaces its own link. */
async function hasEarlierLink(file: string): Promise<boolean> {
  const text = await readFile(file, 'utf8').catch(() => null);
  return text !== null && /^https?:\/\/\S+\/(first-visit|join)\/[\w-]{43}\n$|^$/.test(text);
}
