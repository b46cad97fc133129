import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Returns a path for a sandbox's database, in a folder that is removed after the test. */
export async function aDatabaseFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'donor-sync-sandbox-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return join(folder, 'sandbox.db');
}
