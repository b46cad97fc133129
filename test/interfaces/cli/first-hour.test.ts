/** Tests a user's first hour with a messy export, from `init` to the enhanced file. */
import { readFile, stat, writeFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openCliWorld } from '../../helpers/cli.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { runsSchema } from './documents.ts';

const open = closedAfterTest(openCliWorld);

const NO_CONTACT = 12;

/**
 * Returns the rows as spreadsheets in Europe save them: with a byte order mark, semicolons, and full names in one
 * column.
 */
function messyFile(rows: readonly Record<string, string>[]): string {
  const lines = rows.map((row, at) => {
    const { Id = '', First = '', Last = '', Address = '', Employer = '' } = row;
    const name = First === '' || Last === '' ? `${First}${Last}` : `${Last}, ${First}`;
    const cells = [Id, name, Address, Employer, at < NO_CONTACT ? 'Yes' : '', 'a "note"'];
    return cells.map((cell) => (/[;"]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell));
  });
  const text = lines.map((cells) => cells.join(';'));
  // Adds three bad rows. One has too few cells, one has no ID, and one has a quote that is never closed.
  text[50] = text[50]?.split(';').slice(0, 3).join(';') ?? '';
  text[150] = `;${lines[150]?.slice(1).join(';')}`;
  text[250] = `${lines[250]?.[0]};"${lines[250]?.slice(1, 5).join(';')};`;
  return `\uFEFFConstituent ID;Name;Street Address;Employer;Do Not Contact;Notes;Notes\r\n${text
    .map((line) => `${line};\r\n`)
    .join('')}`;
}

describe('a messy CSV file of 300', () => {
  it('becomes a right enhanced file in six commands, without a hand edit and a wasted credit', async () => {
    const world = await open({ people: 300, service: { donors: 2_000 } });
    const people = await world.rows();
    await writeFile(world.path('export.csv'), messyFile(people));
    await writeFile(world.path('key.txt'), world.service.apiKey);
    const env = { PARTNER_API_KEY: '', DONOR_SYNC_CONFIG: 'riverside.yaml' };
    const run = async (...args: string[]) => {
      const ended = await world.run(args, env);
      expect(ended, args.join(' ')).toMatchObject({ exitCode: 0 });
      return ended.stdout;
    };

    const init = await run(
      ...['init', '--yes', '--crm', 'csv', '--csv-path', 'export.csv', '--csv-bad-rows', 'skip'],
      ...['--name', 'Riverside', '--schedule', 'none', '--budget-per-run', '400'],
      ...['--partner-url', world.service.baseUrl, '--partner-key-file', 'key.txt'],
    );
    expect(init).toContain('Never sent to the service: contacts marked in "Do Not Contact"');
    expect(init).not.toContain('export PARTNER_API_KEY');
    expect((await stat(world.path('.env'))).mode & 0o777).toBe(0o600);
    const doctor = await run('doctor');
    expect(doctor).toContain('3 rows cannot be read and are skipped: 52, 152, 252');
    await run('plan');
    expect(await world.spent()).toBe(0);
    const { runs } = runsSchema.parse(JSON.parse(await run('sync', '--json')));
    const listed = await run('runs', runs[0]?.id ?? '', '--outcome', 'skipped');
    await run('status');

    const named = ({ First, Last }: Record<string, string>) => First !== '' && Last !== '';
    const bad = new Set([50, 150, 250]);
    const asked = people.filter(
      (person, at) => at >= NO_CONTACT && !bad.has(at) && named(person),
    ).length;
    // A person who has two ids is paid for once.
    const submitted = runs[0]?.contacts.submitted ?? 0;
    expect(submitted).toBeGreaterThanOrEqual(asked - 2);
    expect(await world.spent()).toBe(submitted);
    expect(runs[0]).toMatchObject({ status: 'succeeded', contacts: { read: 300, chosen: asked } });
    for (const row of ['row 52', 'row 152', 'row 252']) expect(listed).toContain(row);
    expect(listed).toContain('its row in the file cannot be read');

    const before = await readFile(world.path('export.csv'), 'utf8');
    const after = await readFile(world.path('export-enhanced.csv'), 'utf8');
    expect(after.charCodeAt(0)).toBe(0xfeff);
    const unbroken = (text: string) =>
      text.split('\r\n').filter((_, at) => ![51, 151, 251].includes(at));
    const [inputs, outputs] = [unbroken(before), unbroken(after)];
    for (const [at, line] of inputs.entries()) expect(outputs[at]?.startsWith(line)).toBe(true);
    const enhanced = readRows(outputs.join('\r\n'));
    const known = enhanced.filter((row) => row['Donor ID'] !== '');
    expect(known.length).toBeGreaterThan(asked / 2);
    expect(known.filter((row) => row['Do Not Contact'] === 'Yes')).toEqual([]);
    const again = runsSchema.parse(JSON.parse((await world.run(['sync', '--json'], env)).stdout));
    expect(again.runs[0]?.credits.enhancements.spent).toBe(0);
  });
});

function readRows(text: string): Record<string, string>[] {
  const rows: unknown = parse(text, { columns: true, bom: true, delimiter: ';' });
  return z.array(z.record(z.string(), z.string())).parse(rows);
}
