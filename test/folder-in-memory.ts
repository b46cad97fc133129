import { accessSync, constants, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder in which Linux keeps files in memory. */
const SHARED_MEMORY = '/dev/shm';

/** All files of a test run together need less than a quarter of this size. */
const NEEDED_BYTES = 4 * 1_024 ** 3;

/**
 * The folder must have enough space, and programs must be able to start from it. Returns undefined if the machine has
 * no such folder. On a disk, a database waits at each commit, which takes 90 percent of a test's time. A folder in
 * memory is safe because tests kill processes but never the machine.
 */
export function findFolderInMemory(): string | undefined {
  let probe: string | undefined;
  try {
    const { bavail, bsize } = statfsSync(SHARED_MEMORY);
    if (bavail * bsize < NEEDED_BYTES) return undefined;
    probe = mkdtempSync(join(SHARED_MEMORY, 'donor-sync-probe-'));
    const program = join(probe, 'program');
    writeFileSync(program, '', { mode: 0o700 });
    accessSync(program, constants.X_OK);
    return SHARED_MEMORY;
  } catch {
    return undefined;
  } finally {
    if (probe !== undefined) rmSync(probe, { recursive: true });
  }
}
