import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ConfigurationError, messageOf } from '../../../core/errors.ts';

/**
 * The content of a JSON file with fault rules, not checked yet: the sandbox knows its rules. Without
 * a file there are none. A ConfigurationError that names the file if it cannot be read.
 */
export async function readFaultFile(path: string | undefined, cwd: string): Promise<unknown> {
  if (path === undefined) return [];
  try {
    return JSON.parse(await readFile(resolve(cwd, path), 'utf8'));
  } catch (error) {
    throw new ConfigurationError(`The fault file ${path} cannot be read: ${messageOf(error)}`, {
      code: 'faults_unreadable',
      cause: error,
      details: { path },
    });
  }
}
