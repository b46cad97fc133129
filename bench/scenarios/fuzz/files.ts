/** The edges for files that other programs can change: backups, the erasure log, and variables next to the settings. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateKey, parseKeyRing } from '../../../src/database/encryption/key-ring.ts';
import { openSealedFile, sealFile } from '../../../src/database/encryption/sealed-file.ts';
import { openErasureLog } from '../../../src/privacy/statements/erasure-log.ts';
import { withEnvironmentFile } from '../../../src/settings/environment-file.ts';
import { type Edge, requireSame, requireThat } from './edge.ts';

const ENTRY = {
  ...{ what: 'erased', at: 1_800_000_000_000, integration: 'riverside', contact: 'f1' },
  person: { name: 'f2', addresses: ['f3'], employers: [] },
};

export async function openFileEdge(): Promise<Edge> {
  const folder = await mkdtemp(join(tmpdir(), 'donor-sync-fuzz-'));
  const at = (name: string) => join(folder, name);
  const keyRing = parseKeyRing(generateKey('2026'));
  await writeFile(at('inside'), 'what is inside');
  await sealFile(at('inside'), at('made'), keyRing, 1_800_000_000_000);
  // The bytes of a backup as text, because an input is a text.
  const backup = (await readFile(at('made'))).toString('latin1');
  const line = `\n${JSON.stringify(ENTRY)}\n`;
  const variables = 'PARTNER_API_KEY=\'a key\'\nexport NAME="two\\nlines" # why\nEMPTY=\n';
  return {
    name: 'files next to the database',
    share: 15,
    examples: [backup, line, line.repeat(3), variables],
    async read({ bytes, isExample }) {
      const text = bytes.toString('utf8');
      if (!isExample || text === backup) {
        await writeFile(at('backup'), Buffer.from(text, 'latin1'));
        const { bytes: size } = await openSealedFile(at('backup'), null, keyRing);
        requireSame('a backup', backup, text);
        requireSame('its size', 14, size);
      }
      await writeFile(at('log'), bytes);
      const entries = await openErasureLog(at('log')).read();
      if (isExample && text.startsWith('\n'))
        requireThat(entries.length === text.split('erased').length - 1, 'an erasure is lost');
      await writeFile(at('.env'), bytes);
      const env = { SET: 'stays' };
      const read = await withEnvironmentFile({ path: 'a.yaml', cwd: folder, env });
      requireSame('a variable', 'stays', read['SET']);
      if (isExample && text === variables) requireSame('a key', 'a key', read['PARTNER_API_KEY']);
    },
    close: () => rm(folder, { recursive: true }),
  };
}
