import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvFormatSchema, csvLine, readCsv } from '../../../../sandbox/salesforce/bulk/csv.ts';

const LF = csvFormatSchema.parse({});
const CRLF = csvFormatSchema.parse({ lineEnding: 'CRLF' });

describe('readCsv', () => {
  it('reads what was written, whatever stands in the cells', () => {
    const format = fc.record({
      contentType: fc.constant('CSV' as const),
      columnDelimiter: fc.constantFrom('COMMA' as const, 'TAB' as const, 'PIPE' as const),
      lineEnding: fc.constantFrom('LF' as const, 'CRLF' as const),
    });
    const cell = fc.oneof(fc.string(), fc.constantFrom('"', '\r\n', '\n', ',', '\t', '""x'));
    const rows = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }));
    fc.assert(
      fc.property(format, rows, (written, cells) => {
        const text = cells.map((row) => csvLine(row, written)).join('');
        expect([...readCsv(text, written)]).toEqual(cells);
      }),
    );
  });

  it('reads cells without quotes, a byte order mark and a last line without an end', () => {
    expect([...readCsv('\ufeffId,Name\n1,Ada\n\n2,"B, C"', LF)]).toEqual([
      ['Id', 'Name'],
      ['1', 'Ada'],
      ['2', 'B, C'],
    ]);
  });

  it.each([
    ['Id,Name\r\n1,Ada\r\n', LF, 'LF'],
    ['"Id","Name"\r\n', LF, 'LF'],
    ['Id,Name\n1,Ada\n', CRLF, 'CRLF'],
    ['"Id","Name"\n', CRLF, 'CRLF'],
  ] as const)('refuses line ends that are not those of the format: %j', (text, format, name) => {
    const message = `LineEnding is invalid on user data. Current LineEnding setting is ${name}`;
    expect(() => [...readCsv(text, format)]).toThrow(message);
  });

  it.each(['Id\n"open', 'Id\n"closed"x\n'])('refuses quotes that make no sense: %j', (text) => {
    expect(() => [...readCsv(text, LF)]).toThrow(/quote/);
  });
});
