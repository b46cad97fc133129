import { readFile, stat, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { aWorkbook } from '../../helpers/a-workbook.ts';
import { type CliWorld, openCliWorld } from '../../helpers/cli.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { runsSchema } from './documents.ts';

const open = closedAfterTest(openCliWorld);

type Rows = readonly Record<string, string>[];

const KINDS: readonly [string, (rows: Rows) => Buffer][] = [
  [
    'a workbook',
    (rows) =>
      aWorkbook({
        Donors: [Object.keys(rows[0] ?? {}), ...rows.map((row) => Object.values(row))],
      }),
  ],
  [
    'a text in UTF-16',
    (rows) => {
      const lines = [Object.keys(rows[0] ?? {}), ...rows.map((row) => Object.values(row))];
      const text = lines
        .map((cells) => cells.map((one) => JSON.stringify(one)).join(','))
        .join('\n');
      return Buffer.from(`\uFEFF${text}\n`, 'utf16le');
    },
  ],
];

/** Returns commands that open the contacts, and commands that would write to them. */
function commandsFor(run: string, contact: string): readonly (readonly string[])[] {
  return [
    ['sync'],
    ['sync', '--full'],
    ['sync', '--contact', contact],
    ['sync', 'riverside', '--redeliver', '--yes'],
    ['plan'],
    ['undo', run, '--yes'],
    ['forget', contact, '--also-in-crm', '--yes'],
    ['fields', 'create'],
    ['fields', 'check'],
    ['doctor'],
  ];
}

describe.each(KINDS)('an input that has become %s, without crm.output', (_, encode) => {
  it('is refused by every command that opens it, and replaced by none with a CSV file', async () => {
    const world = await open();
    const { runs } = await world.runJson(['sync'], runsSchema);
    const rows = await world.rows();
    const contact = rows.find((row) => row['Donor ID'])?.['Id'] ?? '';
    const spent = await world.spent();
    const content = encode(rows);
    await writeFile(world.path('riverside.csv'), content);
    const before = await stateOf(world);
    const accepted: string[] = [];
    for (const argv of commandsFor(runs[0]?.id ?? '', contact)) {
      const { exitCode, stdout, stderr } = await world.run(argv);
      const said = `${stdout}${stderr}`;
      const isRefused = exitCode !== 0 && /crm\.output/.test(said);
      if (!isRefused) accepted.push(`${argv.join(' ')}: ${exitCode} ${said}`);
      expect(await stateOf(world), argv.join(' ')).toEqual(before);
    }
    expect(accepted).toEqual([]);
    // The erasure of donor-sync's own data needs no file, and must not wait for a file.
    expect((await world.run(['forget', contact, '--yes'])).exitCode).toBe(0);
    expect(await stateOf(world)).toEqual(before);
    expect(await readFile(world.path('riverside.csv'))).toEqual(content);
    expect(await world.spent()).toBe(spent);
  });
});

async function stateOf(world: CliWorld) {
  const { size, mtimeMs, ino } = await stat(world.path('riverside.csv'));
  return { size, mtimeMs, ino };
}
