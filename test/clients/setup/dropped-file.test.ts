/** Compares the preview of a file on the page with the data that the connector reads from the same file. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { readCsvHeader } from '../../../src/clients/setup/csv-header.ts';
import { PREVIEW_BYTES, previewFile } from '../../../src/clients/setup/dropped-file.ts';
import { toArray } from '../../connectors/connector-options.ts';
import { openCsvFolder } from '../../connectors/csv-folder.ts';
import { aWorkbook } from '../../helpers/a-workbook.ts';
import { leastCpuTimeMs } from '../../helpers/cpu-time.ts';

const COLUMNS = ['Id', 'Name', 'Note'];
const BEN = ['2', 'Ben', 'y'];

/** CSV parsers often disagree about how to read these files. */
const FILES: [string, string | Buffer, string[][]][] = [
  [
    'a quote in the middle',
    'Id,Name,Note\n1,Ada "V,12" pipe\n2,Ben,y\n',
    [['1', 'Ada "V', '12" pipe'], BEN],
  ],
  ['text behind a closing quote', 'Id,Name,Note\n1,"Ada" Vale,x\n2,Ben,y\n', [BEN]],
  ['a quote that is never closed', 'Id,Name,Note\n1,"Ada,x\n2,Ben,y\n', [BEN]],
  ['a space before a quote', 'Id,Name,Note\n1, "Ada, V",x\n2,Ben,y\n', [BEN]],
  ['doubled quotes', 'Id,Name,Note\n1,"Ada ""V""",x\n2,Ben,y\n', [['1', 'Ada "V"', 'x'], BEN]],
  [
    'line breaks in quotes',
    'Id,Name,Note\r\n1,Ada,"a\r\nb"\r\n2,Ben,y\r\n',
    [['1', 'Ada', 'a\r\nb'], BEN],
  ],
  ['two kinds of line ends', 'Id,Name,Note\r\n1,Ada,"a\nb"\n2,Ben,y', [['1', 'Ada', 'a\nb'], BEN]],
  ['a byte order mark before quotes', '\uFEFF"Id","Name","Note"\n2,Ben,y\n', [BEN]],
  ['semicolons', 'Id;Name;Note\n1;Ada;"a;b, c, d"\n2;Ben;y\n', [['1', 'Ada', 'a;b, c, d'], BEN]],
  ['tabs', 'Id\tName\tNote\n1\tAda, V\tx\n', [['1', 'Ada, V', 'x']]],
  ['blank rows', 'Id,Name,Note\n,,\n\n2,Ben,y\n,,\n', [BEN]],
  ['a row that is too short', 'Id,Name,Note\n1,Ada\n2,Ben,y\n', [BEN]],
  ['a guard against formulas', "Id,Name,Note\n1,Ada,'=1+1\n", [['1', 'Ada', '=1+1']]],
  ['Latin-1', Buffer.from('Id,Name,Note\n1,Zo\xeb,x\n', 'latin1'), [['1', 'Zoë', 'x']]],
  [
    'UTF-16',
    Buffer.from('\uFEFFId;Name;Note\r\n1;Zoë;"a;b"\r\n', 'utf16le'),
    [['1', 'Zoë', 'a;b']],
  ],
  [
    'UTF-16 without a mark',
    Buffer.from('Id\tName\tNote\n1\tZoë\tx\n', 'utf16le'),
    [['1', 'Zoë', 'x']],
  ],
];

describe('the preview of a file', () => {
  it.each(FILES)('shows what the connector reads: %s', async (_, content, rows) => {
    expect(await previewFile(Buffer.from(content))).toEqual({ columns: COLUMNS, rows });
    expect(await readByConnector(content)).toEqual(rows);
  });

  it('names columns as settings do', async () => {
    expect(await previewFile(Buffer.from('Id,Team,Team\n1,a,b\n'))).toEqual({
      columns: ['Id', 'Team (1)', 'Team (2)'],
      rows: [['1', 'a', 'b']],
    });
  });

  it('says why the connector would refuse it', async () => {
    expect(await previewFile(Buffer.from('Id,Name,Note\r1,Ada,x\r'))).toEqual({
      problem:
        'The file cannot be used: lines end with only a carriage return; save the file as CSV again.',
    });
    expect(await previewFile(Buffer.from('Id,"Na"me,Note\n1,Ada,x\n'))).toEqual({
      problem: expect.stringContaining('text follows the closing quote of a column name'),
    });
  });

  it('is no table for a workbook, of which a beginning says nothing', async () => {
    const workbook = aWorkbook({ Donors: [COLUMNS, BEN] });
    expect(await previewFile(workbook)).toBe('workbook');
  });

  it('shows five rows, and no row that is cut in two', async () => {
    const short = Buffer.from(`Id,Name,Note\n${'2,Ben,y\n'.repeat(9)}`);
    expect(await previewFile(short)).toEqual({ columns: COLUMNS, rows: Array(5).fill(BEN) });
    const long = `2,Ben,${'y'.repeat(60_000)}\n`;
    const cut = beginningOf(Buffer.from(`Id,Name,Note\n${long.repeat(5)}`));
    expect(await previewFile(cut)).toMatchObject({ rows: { length: 4 } });
  });

  it('reads a text whose last character is cut in two', async () => {
    const rows = '2,Ben,😀\n'.repeat(PREVIEW_BYTES / 10);
    for (const blanks of ['', ' ', '  ', '   ']) {
      const text = `Id,Name,Note${blanks}\n${rows}`;
      for (const content of [Buffer.from(text), Buffer.from(`\uFEFF${text}`, 'utf16le')]) {
        expect(await previewFile(beginningOf(content))).toMatchObject({
          columns: COLUMNS,
          rows: [['2', 'Ben', '😀'], {}, {}, {}, {}],
        });
      }
    }
  });

  it.each([
    ['brackets', 'Id,First,Last,', '('],
    ['columns without end', 'Id,First,Last', ',Column'],
    ['quotes', 'Id,First,Last\n', '"'],
    ['rows that each leave a quote open', 'Id,First,Last\n', '"\n'],
    ['a value that does not end', 'Id,First,Last\n1,"', '""'],
    ['commas', 'Id,First,Last\n', ',,,,,,,,'],
    ['line ends', 'Id,First,Last\n', '\r'],
    ['all delimiters', 'Id;First,Last\tName|', ';,\t|'],
    ['columns of one name', 'Id,First\n', 'a,'],
  ])(
    'takes no time that others would notice, of whatever it consists: %s',
    async (_, start, piece) => {
      const content = Buffer.from(start + piece.repeat(PREVIEW_BYTES / piece.length));
      expect(await leastCpuTimeMs(300, () => previewFile(beginningOf(content)))).toBeLessThan(300);
    },
  );
});

function beginningOf(content: Buffer): Buffer {
  return content.subarray(0, PREVIEW_BYTES);
}

/** Reads the rows that a run would read with the set-up's settings. Excludes unreadable rows. */
async function readByConnector(content: string | Buffer): Promise<(string | null)[][]> {
  const folder = await openCsvFolder();
  onTestFinished(() => folder.close());
  await folder.write('in.csv', content);
  const header = await readCsvHeader(folder.path('in.csv'), '/');
  if ('problem' in header) throw new Error(header.problem);
  const connector = await folder.connector({
    settings: {
      output: folder.path('out.csv'),
      encoding: header.encoding,
      badRows: 'skip',
      columns: { id: 'Id', firstName: 'Name', lastName: 'Note', addresses: [], employers: [] },
    },
  });
  const pages = await toArray(connector.readPages(null));
  await connector.close();
  return pages
    .flatMap(({ contacts }) => contacts)
    .filter(({ excluded }) => excluded !== 'row_unreadable')
    .map(({ id, firstName, lastName }) => [id, firstName, lastName]);
}
