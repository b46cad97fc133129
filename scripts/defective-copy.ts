/** Copies the sources and adds a deliberate defect. A test must then find the defect. */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const CHECKOUT = join(import.meta.dirname, '..');

/**
 * Copies files and folders to a place outside the checkout, applies a patch to the copy, runs the work, and removes the
 * copy.
 */
export async function withDefect<Result>(
  patch: string,
  sources: readonly string[],
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'donor-sync-mutant-'));
  try {
    for (const source of sources) {
      await cp(join(CHECKOUT, source), join(folder, source), { recursive: true });
    }
    await symlink(join(CHECKOUT, 'node_modules'), join(folder, 'node_modules'));
    await promisify(execFile)('git', ['apply', patch], { cwd: folder });
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}
