import { rm } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { openCliWorld } from '../../../helpers/cli.ts';
import { closedAfterTest } from '../../../helpers/closed-after-test.ts';
import {
  ASKED,
  expectAllOf,
  expectRows,
  idsOf,
  LAYOUTS,
  openShortFile,
  type ShortFile,
  WELL,
} from './a-short-file.ts';

const open = closedAfterTest(openCliWorld);

describe.each(LAYOUTS)('a night without most rows, with %s', (layout) => {
  /**
   * Returns the rows that a user who works in the file would save. The rows contain donor-sync's values if the product
   * writes into the same file.
   */
  const shown = ({ exported, paid }: ShortFile) =>
    layout === 'the file itself' ? [...paid.values()] : exported;

  it('costs no row, no value and no credit', async () => {
    const file = await openShortFile(open, { layout });
    const whole = shown(file);
    await file.export(whole.slice(0, 50));
    expect(await file.sync()).toMatchObject(ASKED);
    if (layout === 'a separate output') await expectRows(file, file.paid.keys());
    await file.export(whole);
    expect(await file.sync()).toMatchObject(WELL);
    await expectAllOf(file);
  });

  it('costs nothing if the departure is approved, and 24 more rows are missing the next time', async () => {
    const file = await openShortFile(open, { layout });
    const whole = shown(file);
    await file.export(whole.slice(0, 250));
    expect(await file.sync()).toMatchObject(ASKED);
    expect(await file.answer('approve')).toBe(50);
    expect(await file.sync()).toMatchObject(WELL);
    expect([...(await file.output()).keys()]).toEqual(idsOf(whole.slice(0, 250)));
    await file.export(whole.slice(0, 226));
    expect(await file.sync()).toMatchObject(WELL);
    expect([...(await file.output()).keys()]).toEqual(idsOf(whole.slice(0, 226)));
    await file.export(file.exported);
    expect(await file.sync()).toMatchObject(WELL);
    await expectAllOf(file);
  });

  it('costs nothing if the whole file is a fresh export each time', async () => {
    const file = await openShortFile(open, { layout });
    await file.export(file.exported.slice(0, 50));
    expect(await file.sync()).toMatchObject(ASKED);
    await expectRows(file, idsOf(file.exported.slice(0, 50)));
    await file.export(file.exported);
    expect(await file.sync()).toMatchObject(WELL);
    await expectAllOf(file);
  });
});

describe('rows that someone adds again to the file itself', () => {
  it('get their values again, although no user has answered', async () => {
    const file = await openShortFile(open, { layout: 'the file itself', people: 60 });
    const whole = [...file.paid.values()];
    await file.export(whole.slice(0, 20));
    expect(await file.sync()).toMatchObject(ASKED);
    // The kept rows have our columns. The other rows come from a different program and do not have these columns.
    const blank = Object.fromEntries(Object.keys(whole[0] ?? {}).map((name) => [name, '']));
    const added = file.exported.slice(20).map((row) => ({ ...blank, ...row }));
    await file.export([...whole.slice(0, 20), ...added]);
    expect(await file.sync()).toMatchObject(WELL);
    await expectAllOf(file);
  });
});

describe('an output that someone deletes', () => {
  it('is whole again after the next run, without a credit', async () => {
    const file = await openShortFile(open, { people: 60 });
    await rm(file.here.path('out.csv'));
    expect(await file.sync()).toMatchObject(WELL);
    await expectAllOf(file);
  });

  it('is whole again if that was the short night', async () => {
    const file = await openShortFile(open, { people: 60 });
    await rm(file.here.path('out.csv'));
    const short = file.exported.slice(0, 20);
    await file.export(short);
    expect(await file.sync()).toMatchObject(ASKED);
    await expectRows(file, idsOf(short));
    await file.export(file.exported);
    expect(await file.sync()).toMatchObject(WELL);
    await expectAllOf(file);
  });

  it('has no value that a user had undone', async () => {
    const file = await openShortFile(open, { people: 20 });
    expect((await file.here.run(['undo', file.run, '--yes'])).exitCode).toBe(0);
    await rm(file.here.path('out.csv'));
    expect(await file.sync()).toMatchObject(WELL);
    const rows = [...(await file.output()).values()];
    expect(rows.filter((row) => row['Donor ID'] || row['Donor Age'])).toEqual([]);
  });
});

describe('one of our columns that someone deletes', () => {
  it.each(LAYOUTS)(
    'is filled again, and what a user has emptied stays empty, in %s',
    async (layout) => {
      const file = await openShortFile(open, { layout, people: 40 });
      const [emptied = ''] = file.donors;
      const output = layout === 'the file itself' ? 'riverside.csv' : 'out.csv';
      const edited = [...file.paid.values()].map(({ 'Donor Age': _, ...row }) =>
        row['Id'] === emptied ? { ...row, 'Donor Net Worth': '' } : row,
      );
      await file.here.saveRows(edited, output);
      expect(await file.sync()).toMatchObject(WELL);
      const rows = await file.output();
      expect(rows.get(emptied)?.['Donor Net Worth']).toBe('');
      await expectAllOf({
        ...file,
        paid: new Map(
          [...file.paid].map(([id, row]) => [
            id,
            id === emptied ? { ...row, 'Donor Net Worth': '' } : row,
          ]),
        ),
      });
    },
  );
});
