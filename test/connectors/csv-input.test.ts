import { mkdir, stat } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../src/core/errors.ts';
import { toArray } from './connector-options.ts';
import { COLUMNS, type ConnectorChoices, type CsvFolder, openCsvFolder } from './csv-folder.ts';

const HEADER = 'Id,First,Last,Street,City,Employer';

let folder: CsvFolder;
beforeEach(async () => {
  folder = await openCsvFolder();
});
afterEach(() => folder.close());

/** Returns the error that is thrown when a file with this content is opened. */
async function refusal(
  content: string | Buffer,
  options?: ConnectorChoices,
): Promise<ConfigurationError> {
  await folder.write('in.csv', content);
  try {
    await (await folder.connector(options)).close();
  } catch (error) {
    if (error instanceof ConfigurationError) return error;
    throw error;
  }
  throw new Error('The file was accepted.');
}

async function contactsIn(content: string | Buffer, options?: ConnectorChoices) {
  await folder.write('in.csv', content);
  const connector = await folder.connector(options);
  const pages = await toArray(connector.readPages(null));
  await connector.close();
  return pages.flatMap(({ contacts }) => contacts);
}

describe('an unusable CSV file', () => {
  it('is one that does not exist, is a folder, or has not a single byte', async () => {
    await expect(folder.connector({ settings: { path: folder.path('none.csv') } })).rejects.toThrow(
      /none\.csv.*no such file/,
    );
    await mkdir(folder.path('folder'));
    await expect(folder.connector({ settings: { path: folder.path('folder') } })).rejects.toThrow(
      ConfigurationError,
    );
    expect((await refusal('')).message).toContain('line 1: the file is empty (0 bytes)');
  });

  it('lists all missing columns at once, with those that are there and near misses', async () => {
    const { message, details } = await refusal('ID,Frist,Nachname,Street,City\n1,a,b,c,d\n');
    expect(message).toContain('no column "Id" (crm.columns.id). Did you mean "ID"?');
    expect(message).toContain('no column "First" (crm.columns.firstName). Did you mean "Frist"?');
    expect(message).toContain('no column "Last" (crm.columns.lastName).\n');
    expect(message).toContain('no column "Employer" (crm.columns.employers).');
    expect(message).toContain('the file has the columns ID, Frist, Nachname, Street, City.');
    expect(details['problems']).toHaveLength(5);
  });

  it('has no header: its first contact is not repeated, since errors are kept and logged', async () => {
    const { message, details } = await refusal(
      'C1,Marvella,Lost,"17 Hollyhock Lane","17 Hollyhock Lane",Zyxcorp\nC2,Bea,Lee,,,\n',
    );
    expect(message).toContain('no column "Last" (crm.columns.lastName).\n');
    expect(message).toContain('the first line must be the header row');
    const said = JSON.stringify([message, details]);
    for (const cell of ['Marvella', 'Lost', 'Hollyhock', 'Zyxcorp'])
      expect(said).not.toContain(cell);
  });

  it('misses the column of the opt-out', async () => {
    const { message } = await refusal(`${HEADER}\n`, { contacts: { optOutField: 'Opt out' } });
    expect(message).toContain('no column "Opt out" (contacts.optOutField)');
  });

  it('names columns twice', async () => {
    const { message } = await refusal(`${HEADER},Note,Street\n`);
    expect(message).toContain('"Street" is the name of 2 columns (4, 8)');
    expect(message).toContain('"Street (1)"');
  });

  it('has ids twice, or none', async () => {
    const { message, details } = await refusal(
      `${HEADER}\n1,a,b,c,d,e\n2,a,b,c,d,e\n1,a,b,c,d,e\n  ,Marigold,b,c,d,e\n2,a,b,c,d,e\n`,
    );
    expect(details['problems']).toEqual([
      { line: 4, message: 'the id "1" is already the id of line 2.' },
      { line: 5, message: 'the row has no id in "Id".' },
      { line: 6, message: 'the id "2" is already the id of line 3.' },
    ]);
    expect(message).not.toContain('Marigold');
  });

  it('was cut off in the middle of a row', async () => {
    const { message } = await refusal(`${HEADER}\n1,a,b,c,d,e\n2,a,b`);
    expect(message).toContain('line 3: the row has 3 cells, but the header has 6.');
    expect(message).toContain('cut off');
  });

  it('was cut off in the middle of a quoted cell', async () => {
    const { message } = await refusal(`${HEADER}\n1,a,b,c,d,e\n2,a,b,"Main Str`);
    expect(message).toContain('line 3: a quote that starts a cell of this row is never closed.');
  });

  it('has text behind a closing quote, or more cells than the header', async () => {
    const { details } = await refusal(`${HEADER}\n1,"a"x,b,c,d,e\n2,a,b,c,d,e,f\n`);
    expect(details['problems']).toEqual([
      { line: 2, message: expect.stringContaining('closing quote') },
      { line: 3, message: 'the row has 7 cells, but the header has 6.' },
    ]);
  });

  it('counts the lines of quoted cells', async () => {
    const { details } = await refusal(`${HEADER}\n1,a,b,"c\nd\r\ne",f,g\n2,a\n`);
    expect(details['problems']).toMatchObject([{ line: 5 }]);
  });

  it('holds NUL characters', async () => {
    const { message } = await refusal(`${HEADER}\n1,a\0b,b,c,d,e\n`);
    expect(message).toContain('line 2: the row holds a NUL character.');
  });

  it('is Latin-1 without saying so: the first such line is named, once', async () => {
    const text = `${HEADER}\n1,Ann,b,c,d,e\n2,Zoë,b,c,d,e\n3,Jörg,b,c,d,e\n`;
    const { details, message } = await refusal(Buffer.from(text, 'latin1'));
    expect(details['problems']).toMatchObject([{ line: 3 }]);
    expect(message).toContain('crm.encoding to latin1');
  });

  it('has lines that end with a carriage return alone, with quotes in its header or without', async () => {
    const returns = /line 1: lines end with only a carriage return/;
    expect((await refusal(`${HEADER}\r1,Ann,Lee,,,\r`)).message).toMatch(returns);
    expect((await refusal(`Id,"First",${HEADER.slice(9)}\r1,Ann,Lee,,,\r`)).message).toMatch(
      returns,
    );
    expect((await refusal(`${HEADER},"Note"\r1,Ann,Lee,,,,\r`)).message).toMatch(returns);
  });

  it('is refused with a reason if it is UTF-16 or a workbook', async () => {
    const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(HEADER, 'utf16le')]);
    expect((await refusal(utf16)).message).toContain('UTF-16');
    expect((await refusal(Buffer.from('PK\x03\x04rest'))).message).toContain('workbook');
  });

  it('has another delimiter than the settings say', async () => {
    const content = `${HEADER.replaceAll(',', ';')}\n1;a;b;c;d;e\n`;
    const { message } = await refusal(content, { settings: { delimiter: ',' } });
    expect(message).toContain('separated by ";": set crm.delimiter to that');
  });

  it('is reported with its first twenty problems', async () => {
    const { details, message } = await refusal(`${HEADER}\n${'1,2\n'.repeat(100)}`);
    expect(details['problems']).toHaveLength(20);
    expect(message).toContain('… and perhaps more.');
  });

  it('stays as it is, and nothing is left beside it', async () => {
    const content = `${HEADER}\n1,a\n`;
    await refusal(content, { settings: { output: folder.path('out.csv') } });
    expect(await folder.read('in.csv')).toBe(content);
    await expect(stat(folder.path('out.csv'))).rejects.toThrow('ENOENT');
    await expect(stat(folder.path('out.csv.donor-sync-journal'))).rejects.toThrow('ENOENT');
  });

  it('may be the output as well', async () => {
    await folder.write('in.csv', `${HEADER}\n1,a,b,c,d,e\n`);
    await folder.write('out.csv', `${HEADER}\n1,a\n`);
    await expect(
      folder.connector({ settings: { output: folder.path('out.csv') } }),
    ).rejects.toThrow(/out\.csv cannot be used.*\n.*line 2/);
  });

  it('shows as a finding of the check, which throws nothing', async () => {
    await folder.write('in.csv', `${HEADER}\n1,a\n`);
    const findings = await folder.check({ contacts: { filter: 'x' } });
    expect(findings).toMatchObject([
      { subject: 'contacts', ok: false },
      { subject: 'files', ok: false, message: expect.stringContaining('line 2') },
    ]);
  });
});

describe('settings that do not fit a CSV file', () => {
  it('have a filter', async () => {
    const { message } = await refusal(`${HEADER}\n`, { contacts: { filter: "City = 'X'" } });
    expect(message).toContain('Remove contacts.filter');
  });

  it('have an output in a folder that does not exist', async () => {
    const output = folder.path('nowhere/out.csv');
    const { message } = await refusal(`${HEADER}\n`, { settings: { output } });
    expect(message).toContain('nowhere');
  });
});

describe('a valid CSV file', () => {
  const ANN = {
    id: '1',
    firstName: 'Ann',
    lastName: 'O"Hara, Jr.',
    addresses: ['1 Main St, Springfield'],
    employers: ['Acme'],
    optedOut: false,
  };

  it.each([
    ['line feeds', (text: string) => Buffer.from(text)],
    ['carriage returns', (text: string) => Buffer.from(text.replaceAll('\n', '\r\n'))],
    ['a byte order mark', (text: string) => Buffer.from(`\ufeff${text}`)],
    ['no line ending at its end', (text: string) => Buffer.from(text.trimEnd())],
    ['blank lines and rows', (text: string) => Buffer.from(`${text}\n,,,,,\n\n`)],
  ])('has %s', async (_, encode) => {
    const text = `${HEADER}\n1,Ann,"O""Hara, Jr.",1 Main St,Springfield,Acme\n`;
    expect(await contactsIn(encode(text))).toEqual([ANN]);
  });

  it.each([';', '\t', '|'])('has its cells separated by %j', async (delimiter) => {
    const text = `${HEADER}\n1,Ann,"O""Hara, Jr.",1 Main St,Springfield,Acme\n`;
    const cells = text.replaceAll(',', delimiter).replace(`Hara${delimiter} `, 'Hara, ');
    expect(await contactsIn(cells)).toEqual([ANN]);
  });

  it.each(['sep=;', 'SEP=;', '"sep=;"'])('names its delimiter in a first line %s', async (line) => {
    const cells = `${HEADER}\n1,Ann,"O""Hara, Jr.",1 Main St,Springfield,Acme\n`;
    const text = cells.replaceAll(',', ';').replace('Hara; ', 'Hara, ');
    expect(await contactsIn(`${line}\r\n${text}`)).toEqual([ANN]);
    expect(await contactsIn(`\ufeff${line}\n${text}`)).toEqual([ANN]);
    const { message } = await refusal(`${line}\n${text}2;b\n`);
    expect(message).toContain('line 4 (row 3 of a spreadsheet): the row has 2 cells');
    const lacking = await refusal(`${line}\nId;First\n`);
    expect(lacking.message).toContain('line 2: there is no column "Last"');
  });

  it('is Latin-1 and says so', async () => {
    const text = `${HEADER}\n1,Zoë,b,,,\n`;
    const [contact] = await contactsIn(Buffer.from(text, 'latin1'), {
      settings: { encoding: 'latin1' },
    });
    expect(contact?.firstName).toBe('Zoë');
  });

  it('became UTF-8 although the settings say Latin-1: every name stays the same', async () => {
    const text = `${HEADER}\n1,Zoë,Müller,,,Café\n2,Ann,b,,,\n`;
    const latin: ConnectorChoices = { settings: { encoding: 'latin1' } };
    const before = await contactsIn(Buffer.from(text, 'latin1'), latin);
    expect(before[0]).toMatchObject({ firstName: 'Zoë', lastName: 'Müller' });
    expect(await contactsIn(Buffer.from(text), latin)).toEqual(before);
    expect(await folder.check(latin)).toContainEqual({
      subject: 'encoding',
      ok: true,
      message: expect.stringContaining('is UTF-8, although crm.encoding is latin1'),
      fix: expect.stringContaining('Set crm.encoding to utf-8'),
    });
  });

  it('is Latin-1 with letters that are also UTF-8, if one other letter is not', async () => {
    const text = `${HEADER}\n1,Zo\u00c3\u00ab,b,,,\n2,Jörg,b,,,\n`;
    const contacts = await contactsIn(Buffer.from(text, 'latin1'), {
      settings: { encoding: 'latin1' },
    });
    expect(contacts.map(({ firstName }) => firstName)).toEqual(['Zo\u00c3\u00ab', 'Jörg']);
  });

  it('is UTF-8 that was cut inside a letter: it is refused instead of read as Latin-1', async () => {
    const bytes = Buffer.from(`${HEADER}\n1,Zoë,b,,,\n2,Ann,b,,,Café`);
    const { message } = await refusal(bytes.subarray(0, -1), { settings: { encoding: 'latin1' } });
    expect(message).toContain('line 3: this is not UTF-8 text');
  });

  it('names columns twice that no setting names, and none of them is written', async () => {
    await folder.write('in.csv', `${HEADER},Note,Note\n1,Ann,Lee,,,,a,b\n`);
    const connector = await folder.connector();
    const fields = await connector.describeFields();
    expect(fields.filter(({ name, writable }) => name === 'Note' && writable)).toEqual([]);
    const changes = [
      { id: '1', values: { Note: 'c' } },
      { id: '1', values: { Capacity: 'd' } },
    ];
    expect(await toArray(connector.write(changes))).toMatchObject([
      { status: 'refused', code: 'column_twice', fields: ['Note'] },
      { status: 'written' },
    ]);
    await expect(toArray(connector.readGroup({ column: 'Note', equals: 'a' }))).rejects.toThrow(
      /two columns/,
    );
    await connector.finish();
    await connector.close();
    expect(await folder.read('in.csv')).toBe(`${HEADER},Note,Note,Capacity\n1,Ann,Lee,,,,a,b,d\n`);
  });

  it('has 300 columns', async () => {
    const extra = Array.from({ length: 300 }, (_, at) => `Column ${at}`);
    const [contact] = await contactsIn(
      `${extra.join(',')},${HEADER}\n${'x,'.repeat(300)}1,Ann,b,,,\n`,
    );
    expect(contact).toMatchObject({ id: '1', firstName: 'Ann' });
  });

  it('has a row that is longer than what is read at once', async () => {
    const long = 'long text, '.repeat(20_000);
    const contacts = await contactsIn(`${HEADER}\n1,Ann,b,"${long}",,\n2,Bea,c,,,\n`);
    expect(contacts.map(({ addresses }) => addresses.join().length)).toEqual([long.length - 1, 0]);
  });

  it('can have rows of several megabytes between other rows', async () => {
    const bulky = (id: string) => `${id},Bulky,Lee,"${'x'.repeat(2_500_000)}",c,e\n`;
    const others = Array.from(
      { length: 60_000 },
      (_, at) => `${at},Ann,Lee,"Main Street of the Town, ${at}",c,e\n`,
    );
    const text = `${HEADER}\n${bulky('a')}${others.join('')}${bulky('b')}`;
    const ids = (await contactsIn(text)).map(({ id }) => id);
    expect(ids).toEqual(['a', ...others.map((_, at) => String(at)), 'b']);
  });

  it('has no row', async () => {
    expect(await contactsIn(HEADER)).toEqual([]);
  });

  it('joins the parts of an address, and takes each employer by itself', async () => {
    const settings = { columns: { ...COLUMNS, employers: ['Employer', 'Former'] } };
    const [contact] = await contactsIn(`${HEADER},Former\n1,a,b, 1 Main St ,,Acme,Globex\n`, {
      settings,
    });
    expect(contact).toMatchObject({ addresses: ['1 Main St'], employers: ['Acme', 'Globex'] });
  });

  it('takes words for yes and dates as an opt-out, and neither blank nor words for no', async () => {
    const words = ['', 'false', 'No', '0', 'off', 'yes', 'TRUE', 'x', '1', '2019-05-02'];
    const rows = words.map((word, at) => `${at},a,b,,,,${word}`).join('\n');
    const contacts = await contactsIn(`${HEADER},Opt out\n${rows}\n`, {
      contacts: { optOutField: 'Opt out' },
    });
    expect(contacts.map(({ optedOut }) => optedOut)).toEqual([
      ...[false, false, false, false, false],
      ...[true, true, true, true, true],
    ]);
  });

  it('is known by its real path', async () => {
    await folder.write('in.csv', `${HEADER}\n`);
    const { account, close } = await folder.connector();
    await close();
    expect(account).toEqual({ id: folder.path('in.csv'), name: 'in.csv' });
  });
});
