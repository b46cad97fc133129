import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { withEnvironmentFile } from '../../src/settings/environment-file.ts';

it.each([
  ['as it is', Buffer.from("KEY='a b'\n")],
  ['with the line ends of Windows', Buffer.from('OTHER=1\r\nKEY="a b"\r\n')],
  ['for a shell', Buffer.from('export KEY="a b" # the key\n')],
  ['with the mark that editors of Windows put first', Buffer.from('\u{feff}KEY=a b\n')],
  [
    'in UTF-16, as the older shell of Windows writes it',
    Buffer.from('\u{feff}KEY=a b\n', 'utf16le'),
  ],
])('reads a file of variables %s', async (_, bytes) => {
  const cwd = await mkdtemp(join(tmpdir(), 'donor-sync-env-'));
  await writeFile(join(cwd, '.env'), bytes);
  const env = await withEnvironmentFile({ path: 'donor-sync.yaml', cwd, env: {} });
  expect(env['KEY']).toBe('a b');
  await rm(cwd, { recursive: true });
});
