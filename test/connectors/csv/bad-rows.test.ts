import { appendFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../../src/core/errors.ts';
import { toArray } from '../connector-options.ts';
import { type ConnectorChoices, type CsvFolder, openCsvFolder } from '../csv-folder.ts';

const HEADER = 'Id,First,Last,Street,City,Employer';

const SKIP: ConnectorChoices = { settings: { badRows: 'skip' } };

let folder: CsvFolder;
beforeEach(async () => {
  folder = await openCsvFolder();
});
afterEach(() => folder.close());

/** Returns the error that is thrown when the file is opened, or null. */
async function refusal(options?: ConnectorChoices): Promise<string | null> {
  try {
    await (await folder.connector(options)).close();
    return null;
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message;
    throw error;
  }
}

/** Returns ids and exclusions in the order of the file. */
async function read(options: ConnectorChoices = SKIP): Promise<string[]> {
  const connector = await folder.connector(options);
  const pages = await toArray(connector.readPages(null));
  await connector.close();
  return pages
    .flatMap(({ contacts }) => contacts)
    .map(({ id, excluded }) => (excluded == null ? id : `${id}: ${excluded}`));
}

/** Writes a value for each of these contacts and merges it into the output. */
async function write(ids: readonly string[], options: ConnectorChoices): Promise<void> {
  const connector = await folder.connector(options);
  const changes = ids.map((id) => ({ id, values: { Capacity: `for ${id}` } }));
  await toArray(connector.write(changes));
  await connector.finish();
  await connector.close();
}

/**
 * Returns rows for 300 people. Three rows are bad. One has too few cells, one has no ID, and one repeats an earlier
 * row's ID.
 */
function threeBadRowsOf300(): string {
  const rows = Array.from({ length: 300 }, (_, at) => `C${at + 1},Ann,Lee,1 Main St,Springfield,`);
  rows[9] = 'C10,Ann';
  rows[99] = ',Ann,Lee,1 Main St,Springfield,';
  rows[199] = 'C7,Bob,Lee,1 Main St,Springfield,';
  return `${[HEADER, ...rows].join('\n')}\n`;
}

describe('a header that cannot be used', () => {
  it('is named with at most 200 characters of each column', async () => {
    await folder.write('in.csv', `Id,First,Other,${'('.repeat(25_000)}\n1,2,3,4\n`);
    const message = (await refusal()) ?? '';
    expect(message).toContain(`Other, ${'('.repeat(200)}`);
    expect(message).not.toContain('('.repeat(201));
  });
});

describe('rows of a CSV file that cannot be read', () => {
  it('stop everything by default, and the message names the setting that skips them', async () => {
    await folder.write('in.csv', threeBadRowsOf300());
    const message = await refusal();
    expect(message).toContain('line 11: the row has 2 cells');
    expect(message).toContain('line 101: the row has no id');
    expect(message).toContain('line 201: the id "C7" is already the id of line 8');
    expect(message).toContain('set crm.badRows to skip');
  });

  it('do not block the others with "skip": they come as contacts under the number of their row', async () => {
    await folder.write('in.csv', threeBadRowsOf300());
    const ids = await read();
    expect(ids).toHaveLength(300);
    expect(ids.filter((id) => id.includes('row'))).toEqual([
      'row 11: row_unreadable',
      'row 101: row_unreadable',
      'row 201: row_unreadable',
    ]);
    expect(ids).not.toContain('C10');
    expect(ids.filter((id) => id === 'C7')).toHaveLength(1);
  });

  it('are counted as a spreadsheet does, in which a line break within quotes begins no row', async () => {
    await folder.write(
      'in.csv',
      `${HEADER}\nC1,Ann,Lee,"1 Main St\nFloor 2",,\nC2,Bob\nC3,Cy,Lee,,,\n`,
    );
    expect(await refusal()).toContain('line 4 (row 3 of a spreadsheet): the row has 2 cells');
    expect(await read()).toEqual(['C1', 'row 3: row_unreadable', 'C3']);
  });

  it('do not swallow the rows below them by a quote that is never closed', async () => {
    await folder.write('in.csv', `${HEADER}\nC1,"Ann,Lee,,,\nC2,Bob,"Lee",,,\nC3,Cy,Lee,,,\n`);
    expect(await read()).toEqual(['row 2: row_unreadable', 'C2', 'C3']);
    await folder.write('in.csv', `${HEADER}\nC1,Ann,"Lee,,,\nC2,Bob,Lee,,,\nC3,Cy,Lee,,,\n`);
    expect(await read()).toEqual(['row 2: row_unreadable', 'C2', 'C3']);
  });

  it('are in the output as they were, with blank cells for the columns that were added', async () => {
    await folder.write('in.csv', `${HEADER}\nC1,Ann,Lee,,,\nC2,Bob,"Lee",,,,7\nC3,"Cy,Lee,,,`);
    await write(['C1'], { settings: { badRows: 'skip', output: folder.path('out.csv') } });
    expect(await folder.read('out.csv')).toBe(
      `${HEADER},Capacity\nC1,Ann,Lee,,,,for C1\nC2,Bob,"Lee",,,,7,\nC3,"Cy,Lee,,,`,
    );
  });

  it('stay bad rows in a file that is replaced, however many columns are added', async () => {
    await folder.write('in.csv', `${HEADER}\nC1,Ann,Lee,,,\nC2,Bob,Lee,,,,7\n`);
    await write(['C1'], SKIP);
    expect(await read()).toEqual(['C1', 'row 3: row_unreadable']);
  });

  it('keep in the output what was written while they were in order', async () => {
    const options: ConnectorChoices = {
      settings: { badRows: 'skip', output: folder.path('out.csv') },
    };
    await folder.write('in.csv', `${HEADER}\nC1,Ann,Lee,,,\nC2,Bob,Lee,,,\n`);
    await write(['C1', 'C2'], options);
    await folder.save('in.csv', `${HEADER}\nC1,Ann,Lee,,,\nC2,Bob\n`);
    await write([], options);
    expect(await folder.read('out.csv')).toContain('C2,Bob,Lee,,,,for C2\n');
    await folder.save('in.csv', `${HEADER}\nC1,Ann,Lee,,,\nC2,Bob,Lee,,,\n`);
    await write([], options);
    expect(await folder.read('out.csv')).toContain('C2,Bob,Lee,,,,for C2\n');
  });

  it('are refused all the same when they are thousands: then something is wrong with the file', async () => {
    const rows = Array.from({ length: 5000 }, (_, at) => `C${at},Ann`);
    await folder.write('in.csv', `${[HEADER, ...rows].join('\n')}\n`);
    const message = await refusal(SKIP);
    expect(message).toContain('too many to skip');
    expect(message?.split('\n').length).toBeLessThan(30);
  });

  it('are a finding of the check, by their numbers', async () => {
    await folder.write('in.csv', threeBadRowsOf300());
    const findings = await folder.check(SKIP);
    expect(findings).toContainEqual({
      subject: 'bad rows',
      ok: true,
      message: '3 rows cannot be read and are skipped: 11, 101, 201',
      fix: 'Correct them in the file. The problem in row 11: the row has 2 cells, but the header has 6.',
    });
  });
});

describe('one huge cell of a CSV file', () => {
  const MEGABYTES = 50;

  /** Writes a file whose third row has a cell of 50 MB. */
  async function writeHugeCell(end: string): Promise<void> {
    await folder.write('in.csv', `${HEADER}\nC1,Ann,Lee,,,\nC2,Bob,Lee,"`);
    for (let at = 0; at < MEGABYTES; at += 1) {
      await appendFile(folder.path('in.csv'), 'x'.repeat(1024 * 1024));
    }
    await appendFile(folder.path('in.csv'), end);
  }

  it('names itself where its quote is never closed: row, column and size', async () => {
    await writeHugeCell(',,\nC3,Cy,Lee,,,\n');
    const message = await refusal();
    expect(message).toContain('line 3: the cell in column 4 ("Street") has 50 MB');
    expect(message).toContain('never closed');
    expect(await read()).toEqual(['C1', 'row 3: row_unreadable', 'C3']);
  });

  it('names itself where its quote is closed, and alone is skipped', async () => {
    await writeHugeCell('",,\r\nC3,Cy,Lee,,,\r\n');
    const message = await refusal();
    expect(message).toContain('line 3: the cell in column 4 ("Street") has 50 MB');
    expect(message).not.toContain('line 4');
    expect(await read()).toEqual(['C1', 'row 3: row_unreadable', 'C3']);
  });
});
