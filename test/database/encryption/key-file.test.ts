import { writeFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readOrCreateKeyFile } from '../../../src/database/encryption/key-file.ts';

it('keeps the key that another process made in the meantime, and leaves no draft', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'donor-sync-key-file-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'store.db.key');
  const key = await readOrCreateKeyFile(path, () => {
    writeFileSync(path, 'theirs\n');
    return 'ours';
  });
  expect(key).toBe('theirs');
  expect(await readFile(path, 'utf8')).toBe('theirs\n');
  expect(await readdir(folder)).toEqual(['store.db.key']);
});
