/** The edges for the nonprofits' files, for the journals next to them, and for the results of Salesforce's Bulk API. */
import { parse } from 'csv-parse/sync';
import { z } from 'zod';
import { quote, splitRow, unquote } from '../../../connectors/csv/cells.ts';
import { readHeader } from '../../../connectors/csv/header.ts';
import { encodeLine, parseLine } from '../../../connectors/csv/journal.ts';
import { findRowEnd, type RawRecord, readRecords } from '../../../connectors/csv/records.ts';
import { parseRow } from '../../../connectors/csv/rows.ts';
import { readRows } from '../../../connectors/salesforce/bulk/bulk-query.ts';
import { type Edge, requireSame, requireThat } from './edge.ts';

const FILE = [
  'Id,First,Last,"Street, City",Employer',
  '1,Ada,Marlowe,"12 Elm Street, Springfield, IL",Riverside Works',
  '2,Bo,"O""Hara","4 Oak\r\nAve",',
  '3,Søren,Ängström,,"=1+1"',
  '',
].join('\r\n');

export const csvFileEdge: Edge = {
  name: 'CSV files',
  share: 200,
  examples: [
    FILE,
    FILE.replaceAll(',', ';').replaceAll('\r\n', '\n'),
    'Id\n1\n2',
    'Id\tName\n7\tx\n',
  ],
  async read({ bytes }) {
    const required = [{ name: 'Id', setting: 'crm.columns.id' }];
    const header = readHeader(bytes, { required, delimiter: undefined, encoding: 'utf-8' });
    if (Array.isArray(header)) return;
    const { delimiter } = header.dialect;
    const source = { handle: handleOf(bytes), size: bytes.length, findEnd: findRowEnd(delimiter) };
    let end = header.size;
    for await (const batch of readRecords(source, { offset: header.size, line: 2, row: 2 })) {
      for (const record of batch) {
        requireThat(record.offset === end, `bytes ${end} to ${record.offset} are in no row`);
        end = record.offset + record.size + record.ending.length;
        checkRow(record, delimiter, parseRow(record, header, 'Id'));
      }
    }
    requireThat(end === bytes.length, `${bytes.length - end} bytes at the end are in no row`);
  },
};

function checkRow(record: RawRecord, delimiter: string, row: ReturnType<typeof parseRow>): void {
  // Every refused row must have a reason.
  if ('reason' in row) requireThat(row.message !== '', 'a row is refused without a word');
  else requireSame('a row', record.bytes.toString('utf8'), row.cells.join(delimiter));
}

function handleOf(bytes: Buffer): Parameters<typeof readRecords>[0]['handle'] {
  const read = async (target: Buffer, at: number, length: number, from: number) => {
    const bytesRead = bytes.copy(target, at, from, from + length);
    return { bytesRead, buffer: target };
  };
  return Object.assign(Object.create(null), { read });
}

export const csvCellEdge: Edge = {
  name: 'cells of CSV',
  share: 150,
  examples: ['Ada', '12 Elm Street, Springfield', 'O"Hara', ' two\nlines ', ''],
  read({ bytes, random }) {
    const text = bytes.toString('utf8');
    const delimiter = random.pick([',', ';', '\t', '|']);
    const cells = [text, 'x', text].map((cell) =>
      quote(cell, { delimiter, quoteAll: random.chance(0.5) }),
    );
    const split = splitRow(cells.join(delimiter), delimiter);
    requireSame('a row', [text, 'x', text], split.cells?.map(unquote));
  },
};

export const journalEdge: Edge = {
  name: 'lines of the journal',
  share: 60,
  examples: [
    '{"id":"7","cells":{"Donor ID":["","d-1"]}}',
    '{"create":["Donor ID"]}',
    '{"replacement":"a.csv.1"}',
  ],
  read({ bytes }) {
    const line = parseLine(bytes);
    if (line === null) return;
    requireSame('a line', line, parseLine(encodeLine(line).subarray(0, -1)));
  },
};

const RESULTS = '"Id","Name","Note"\n"003A","Ada","two\nlines"\n"003B","O""Hara",""\n';

export const bulkEdge: Edge = {
  name: 'results of the Bulk API',
  share: 80,
  examples: [RESULTS, RESULTS.replaceAll('\n"003', '\r\n"003'), 'Id,Name\n1,2\n'],
  async read({ bytes, random }) {
    const cutAt = random.int(0, bytes.length);
    const chunks = (async function* () {
      yield bytes.subarray(0, cutAt);
      yield bytes.subarray(cutAt);
    })();
    const columns = headerOf(bytes);
    if (columns === null) return;
    const answer = { chunks, headers: new Headers() };
    const rows: unknown[][] = [];
    const { signal } = new AbortController();
    for await (const some of readRows({ signal }, answer, (cell) =>
      columns.map((name) => cell(name) ?? 'nothing'),
    )) {
      rows.push(...some);
    }
    // A strict parser that is not part of the product reads the same input.
    const others = otherReading(bytes);
    requireThat(others !== null, `read something that is not CSV: ${JSON.stringify(rows)}`);
    requireSame('the rows', others, rows);
  },
};

function headerOf(bytes: Buffer): string[] | null {
  const [header = []] = otherReading(bytes, true) ?? [];
  const isPlain = header.length > 0 && new Set(header).size === header.length;
  return isPlain ? header : null;
}

const rowsSchema = z.array(z.array(z.string()));

/** Returns the rows below the header, or only the header. Returns null if the bytes are not CSV. */
function otherReading(bytes: Buffer, isHeader = false): string[][] | null {
  try {
    const rows = parse(new TextDecoder().decode(bytes), {
      skip_empty_lines: true,
      record_delimiter: ['\r\n', '\n', '\r'],
      ...(isHeader ? { to: 1 } : {}),
    });
    return rowsSchema.parse(rows).slice(isHeader ? 0 : 1);
  } catch {
    return null;
  }
}
