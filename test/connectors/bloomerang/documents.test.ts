import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import defaultFields from '../../../config/fields.bloomerang.json' with { type: 'json' };
import { NOT_VERIFIED } from '../../../connectors/bloomerang/not-verified.ts';

const ROOT = join(import.meta.dirname, '../../..');

const guide = readFile(join(ROOT, 'docs/guides/getting-started-bloomerang.md'), 'utf8');

it('the guide has the table of what is not verified, as doctor shows it', async () => {
  const [, section = ''] = (await guide).split('## Not verified on a real account');
  const rows = [...section.matchAll(/^\| (.+?) \| (.+?) \|$/gm)].slice(2);
  expect(rows.map(([, question, answer]) => ({ question, answer }))).toEqual(NOT_VERIFIED);
});

it('the guide names every field of the default map, because an administrator has to create it', async () => {
  const [, section = ''] = (await guide).split('## 2. Create the custom fields');
  const [table = ''] = section.split('## 3.');
  const names = [...table.matchAll(/^\| (.+?) \| .+? \|$/gm)].flatMap(([, cell = '']) =>
    cell.split(', '),
  );
  for (const { to } of defaultFields) expect(names).toContain(to);
});
