/**
 * Reads the `.env` file next to the settings file. The file contains variables that the environment itself does not
 * set.
 */
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { ConfigurationError, messageOf } from '../core/errors.ts';
import type { Environment } from './environment.ts';

/** Returns the path of the `.env` file next to a settings file. Both paths are absolute. */
export function getEnvironmentFile(settingsFile: string): string {
  return join(dirname(settingsFile), '.env');
}

/**
 * Returns the environment together with the variables in the `.env` file. Variables that the environment already sets
 * do not change.
 */
export async function withEnvironmentFile(options: {
  /** The settings file. A relative path is relative to `cwd`. */
  path: string;
  cwd: string;
  env: Environment;
}): Promise<Environment> {
  const file = getEnvironmentFile(resolve(options.cwd, options.path));
  const isSet = ([, value]: [string, string | undefined]) => Boolean(value);
  const set = Object.fromEntries(Object.entries(options.env).filter(isSet));
  return { ...options.env, ...(await readVariables(file)), ...set };
}

async function readVariables(file: string): Promise<Environment> {
  try {
    return parseEnv(decodeText(await readFile(file)));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    // A folder named `.env` belongs to a different program.
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return {};
    throw new ConfigurationError(
      `${file} cannot be read: ${messageOf(error)}. It might contain variables for the settings, so allow the user who runs donor-sync to read it.`,
      { code: 'environment_file_unreadable', cause: error, details: { path: file } },
    );
  }
}

/**
 * Decodes the file. Windows editors put a byte order mark at the start of a file, and the older Windows shell writes
 * UTF-16.
 */
function decodeText(bytes: Buffer): string {
  const isWide = bytes[0] === 0xff && bytes[1] === 0xfe;
  return new TextDecoder(isWide ? 'utf-16le' : 'utf-8').decode(bytes);
}
