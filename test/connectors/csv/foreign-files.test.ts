import { readFile, stat } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { aWorkbook, zip } from '../../helpers/a-workbook.ts';
import { toArray } from '../connector-options.ts';
import { COLUMNS, type ConnectorChoices, type CsvFolder, openCsvFolder } from '../csv-folder.ts';

const HEAD = ['Id', 'First', 'Last', 'Street', 'City', 'Employer'];
const ROWS = [
  HEAD,
  ['007', 'Zoë', 'Vale', '1 Elm "Old" St', 'Ames, IA', 'Acme'],
  ['008', 'Ben', 'Hill', '', '', ''],
];
const WORKBOOK = aWorkbook({ Donors: ROWS });

const wide = (mark: string) =>
  Buffer.from(
    `${mark}${ROWS.map((row) => row.map(quoted).join('\t')).join('\r\n')}\r\n`,
    'utf16le',
  );
const quoted = (text: string) => (text.includes('"') ? `"${text.replaceAll('"', '""')}"` : text);

const FILES: Readonly<Record<string, Buffer>> = {
  'UTF-16, little end first': wide('\uFEFF'),
  'UTF-16, big end first': Buffer.from(wide('\uFEFF')).swap16(),
  'UTF-16 without a mark': wide(''),
  'a workbook': WORKBOOK,
};

describe('a file that is no UTF-8', () => {
  let folder: CsvFolder;
  beforeEach(async () => {
    folder = await openCsvFolder();
  });
  afterEach(() => folder.close());

  const withOutput = (options: ConnectorChoices = {}): ConnectorChoices => ({
    ...options,
    settings: { output: folder.path('out.csv'), ...options.settings },
  });

  async function read(content: Buffer, options: ConnectorChoices = {}) {
    await folder.write('in.csv', content);
    const connector = await folder.connector(withOutput(options));
    const pages = await toArray(connector.readPages(null));
    await connector.close();
    return pages.flatMap(({ contacts }) => contacts);
  }

  describe.each(Object.entries(FILES))('%s', (_, content) => {
    it('is read, and its results are a CSV file beside it', async () => {
      await folder.write('in.csv', content);
      const connector = await folder.connector(withOutput());
      const [page] = await toArray(connector.readPages(null));
      expect(page?.contacts).toMatchObject([
        {
          ...{ id: '007', firstName: 'Zoë', lastName: 'Vale' },
          addresses: ['1 Elm "Old" St, Ames, IA'],
          employers: ['Acme'],
        },
        { id: '008', firstName: 'Ben', addresses: [], employers: [] },
      ]);
      await connector.createFields([
        { name: 'Age', label: 'Age', type: 'number', description: '' },
      ]);
      await toArray(connector.write([{ id: '008', values: { Age: 57 } }]));
      await connector.finish();
      await connector.close();
      const written: unknown = parse(await folder.read('out.csv'), {
        ...{ columns: true, bom: true, delimiter: content === WORKBOOK ? ',' : '\t' },
      });
      expect(written).toMatchObject([
        { Id: '007', First: 'Zoë', Street: '1 Elm "Old" St', Age: '' },
        { Id: '008', Age: '57' },
      ]);
      expect(await readFile(folder.path('in.csv'))).toEqual(content);
    });

    it.each([
      ['without an output', () => ({})],
      ['with itself as the output', () => ({ settings: { output: folder.path('in.csv') } })],
    ])('is refused %s, by all that opens it, and stays as it is', async (_name, options) => {
      await folder.write('in.csv', content);
      const { size, mtimeMs } = await stat(folder.path('in.csv'));
      await expect(folder.connector(options())).rejects.toThrow(
        /is a (UTF-16 text|workbook).*crm\.output.*Nothing was changed/,
      );
      const findings = await folder.check(options());
      expect(findings).toMatchObject([
        { ok: false, message: expect.stringContaining('crm.output') },
      ]);
      expect(await stat(folder.path('in.csv'))).toMatchObject({ size, mtimeMs });
    });
  });

  it('has its ids, ZIP codes and dates as a spreadsheet shows them', async () => {
    const columns = { ...COLUMNS, addresses: ['Street', 'ZIP'] };
    const contacts = await read(
      aWorkbook({
        Donors: [
          ['Id', 'First', 'Last', 'Street', 'ZIP', 'Employer', 'Died'],
          [
            { number: 42, format: 'zip' },
            'Ada',
            'Vale',
            '1 Elm St',
            { number: 501, format: 'zip' },
            'A',
            { number: 43_894, format: 'date' },
          ],
          [
            { number: 123_456_789_012_345 },
            'Ben',
            'Hill',
            '2 Elm St',
            '00501',
            { number: 7 },
            null,
          ],
          ['9007199254740993123', 'Cem', 'Oz', '', { number: 90_210 }, true, null],
        ],
      }),
      { settings: { columns }, contacts: { deceasedField: 'Died' } },
    );
    expect(contacts).toMatchObject([
      { id: '00042', addresses: ['1 Elm St, 00501'], excluded: 'deceased' },
      { id: '123456789012345', addresses: ['2 Elm St, 00501'], employers: ['7'] },
      { id: '9007199254740993123', addresses: ['90210'], employers: ['TRUE'] },
    ]);
  });

  it('is read from the sheet of the settings, else from the first with a table', async () => {
    const other = [HEAD, ['1', 'Eve', 'Moss', '', '', '']];
    const title = [['Donors of 2026'], [], ...ROWS, [null, null]];
    const workbook = aWorkbook({ Notes: [['only a note']], Donors: title, Others: other });
    expect((await read(workbook)).map(({ id }) => id)).toEqual(['007', '008']);
    const chosen = await read(workbook, { settings: { sheet: 'Others' } });
    expect(chosen.map(({ firstName }) => firstName)).toEqual(['Eve']);
    await expect(read(workbook, { settings: { sheet: 'Board' } })).rejects.toThrow(
      'it has no sheet "Board"; its sheets are "Notes", "Donors", "Others"',
    );
  });

  it('is refused in words if it cannot be read', async () => {
    await expect(read(WORKBOOK.subarray(0, 900))).rejects.toThrow('cannot be read as a workbook');
    await expect(read(zip({ 'a.txt': 'x' }))).rejects.toThrow('cannot be read as a workbook');
    const broken = Buffer.concat([wide('\uFEFF'), Buffer.from([0x00, 0xd8, 0x41, 0x00])]);
    await expect(read(broken)).rejects.toThrow('starts as UTF-16 text');
    await expect(read(WORKBOOK, { settings: { output: folder.path('out.xlsx') } })).rejects.toThrow(
      'crm.output has the name of a workbook',
    );
  });
});
