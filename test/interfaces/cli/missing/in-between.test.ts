/** Tests commands for other contacts while rows are missing. Each of these commands writes the output. */
import { describe, expect, it } from 'vitest';
import { openCliWorld } from '../../../helpers/cli.ts';
import { closedAfterTest } from '../../../helpers/closed-after-test.ts';
import {
  ASKED,
  expectAllOf,
  expectRows,
  idsOf,
  LAYOUTS,
  type Layout,
  openShortFile,
  type Row,
  type ShortFile,
  WELL,
} from './a-short-file.ts';

const open = closedAfterTest(openCliWorld);

const PEOPLE = 90;
const SHORT = 30;

/** Contacts that have a profile, and a short file that contains only some of these contacts. */
interface Night extends ShortFile {
  short: readonly Row[];
  whole: readonly Row[];
  present: readonly string[];
  missing: readonly string[];
  /** The contacts that are missing from the short file. */
  absent: readonly string[];
}

async function openNight(layout: Layout): Promise<Night> {
  const file = await openShortFile(open, { layout, people: PEOPLE });
  // If the output is separate, the input is a different program's export. Otherwise a user saves the file.
  const whole = layout === 'the file itself' ? [...file.paid.values()] : file.exported;
  const short = whole.slice(0, SHORT);
  const inShort = new Set(idsOf(short));
  const present = file.donors.filter((id) => inShort.has(id));
  const missing = file.donors.filter((id) => !inShort.has(id));
  const absent = idsOf(whole).filter((id) => !inShort.has(id));
  expect(present.length).toBeGreaterThan(10);
  expect(missing.length).toBeGreaterThan(30);
  return { ...file, short, whole, present, missing, absent };
}

/** The commands, each with its exit code and the contacts whose values it removes. */
const COMMANDS: Record<string, (night: Night) => { args: string[]; exit: number; gone: string[] }> =
  {
    'undo of the first run': ({ run, present }) => ({
      args: ['undo', run, '--yes'],
      exit: 0,
      gone: [...present],
    }),
    'forget of a contact of the short file': ({ present: [id = ''] }) => ({
      args: ['forget', id, '--also-in-crm', '--yes'],
      exit: 0,
      gone: [id],
    }),
    'sync --contact of a contact of the short file': ({ present: [id = ''] }) => ({
      args: ['sync', '--contact', id],
      exit: 0,
      gone: [],
    }),
    'sync --contact of a missing contact': ({ missing: [id = ''] }) => ({
      args: ['sync', '--contact', id],
      exit: 0,
      gone: [],
    }),
    'holds without an answer': () => ({ args: ['holds', '--show'], exit: 0, gone: [] }),
  };

describe.each(LAYOUTS)('while rows are missing from %s', (layout) => {
  it.each(Object.keys(COMMANDS))('%s costs none of them a value', async (name) => {
    const night = await openNight(layout);
    const command = COMMANDS[name]?.(night);
    if (command === undefined) throw new Error(`no command ${name}`);
    const { args, gone } = command;
    await night.export(night.short);
    // The command runs before any run has read the short file, and again after the decision has opened.
    const before = await night.here.run(args);
    expect([before.exitCode, before.stderr]).toEqual([expect.any(Number), expect.any(String)]);
    expect(before.exitCode).not.toBe(1);
    await expectKept(night, layout);
    expect(await night.sync()).toMatchObject(ASKED);
    await expectKept(night, layout);
    if (!name.startsWith('forget') && !name.startsWith('undo')) {
      const { exitCode } = await night.here.run(args);
      expect(exitCode).toBe(name.includes('a missing contact') ? 3 : 0);
      await expectKept(night, layout);
    }
    const erased = name.startsWith('forget') ? gone : [];
    await night.export(night.whole.filter(({ Id }) => !erased.includes(Id ?? '')));
    expect((await night.sync()).report?.reason).toBeNull();
    const kept = new Set(gone);
    const rows = await night.output();
    // If the product writes into the file itself, a user has restored the rows and their values after the undo.
    const isBack = layout === 'the file itself' && name.startsWith('undo');
    for (const id of isBack ? [] : gone) expect(rows.get(id)?.['Donor ID'] ?? '').toBe('');
    for (const id of night.paid.keys()) {
      if (!kept.has(id)) expect([id, rows.get(id)]).toEqual([id, night.paid.get(id)]);
    }
    expect(await night.here.spent()).toBe(night.credits);
  });

  it('nothing that a user has undone or emptied comes back with the others', async () => {
    const night = await openNight(layout);
    const [emptied = ''] = night.missing;
    // A user clears one value in the output. After all rows have returned, a different run is undone.
    const output = layout === 'the file itself' ? 'riverside.csv' : 'out.csv';
    const edited = [...night.paid.values()].map((row) =>
      row['Id'] === emptied ? { ...row, 'Donor ID': '' } : row,
    );
    await night.here.saveRows(edited, output);
    await night.export(layout === 'the file itself' ? edited.slice(0, SHORT) : night.short);
    expect(await night.sync()).toMatchObject(ASKED);
    await night.export(layout === 'the file itself' ? edited : night.whole);
    expect(await night.sync()).toMatchObject(WELL);
    const rows = await night.output();
    expect(rows.get(emptied)).toEqual({ ...night.paid.get(emptied), 'Donor ID': '' });
    await expectRows(
      night,
      [...night.paid.keys()].filter((id) => id !== emptied),
    );
    expect((await night.here.run(['undo', night.run, '--yes'])).exitCode).toBe(0);
    await night.export(night.exported.slice(0, SHORT));
    expect(await night.sync()).toMatchObject(ASKED);
    await night.export(night.exported);
    expect(await night.sync()).toMatchObject(WELL);
    const undone = await night.output();
    expect([...undone.values()].filter((row) => row['Donor ID'] || row['Donor Age'])).toEqual([]);
  });
});

/** The file itself has only the rows that a user left in it. */
async function expectKept(night: Night, layout: Layout): Promise<void> {
  if (layout === 'a separate output') await expectRows(night, night.absent);
  else expect([...(await night.output()).keys()]).toEqual(idsOf(night.short));
}

describe('a missing row in a separate output', () => {
  it('leaves with the contact if that is erased', async () => {
    const night = await openNight('a separate output');
    await night.export(night.short);
    expect(await night.sync()).toMatchObject(ASKED);
    const [id = ''] = night.missing;
    expect((await night.here.run(['forget', id, '--also-in-crm', '--yes'])).exitCode).toBe(0);
    await expectRows(
      night,
      night.absent.filter((other) => other !== id),
    );
    expect((await night.output()).get(id)?.['Donor ID'] ?? '').toBe('');
    await night.export(night.whole);
    expect((await night.sync()).report?.reason).toBeNull();
    await expectAllOf({ ...night, paid: without(night.paid, id) }, [id]);
  });
});

function without(rows: ReadonlyMap<string, Row>, id: string): Map<string, Row> {
  return new Map([...rows].filter(([other]) => other !== id));
}
