import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRows } from '../../../connectors/salesforce/bulk/bulk-query.ts';
import { parseCsv } from '../../../connectors/salesforce/bulk/csv-rows.ts';
import { connectorDeps, toArray } from '../connector-options.ts';

const cell = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom('', '"', 'a,b', 'line\r\nbreak', '""', 'Zoë', '🙂'),
);
const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), {
  minLength: 1,
  maxLength: 8,
});

describe('parseCsv', () => {
  it('reads what was written, wherever the chunks are cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        table,
        fc.constantFrom('\n', '\r\n'),
        fc.boolean(),
        fc.integer({ min: 1, max: 9 }),
        async (rows, lineEnd, endsWithLine, size) => {
          const lines = rows.map((cells) => cells.map(quoted).join(','));
          const text = lines.join(lineEnd) + (endsWithLine ? lineEnd : '');
          expect((await toArray(parseCsv(chunksOf(text, size)))).flat()).toEqual(rows);
        },
      ),
    );
  });

  it('reads cells without quotes', async () => {
    const portions = await toArray(parseCsv(chunksOf('Id,Name\n1,Ann\n\n2,\n', 4)));
    expect(portions.flat()).toEqual([
      ['Id', 'Name'],
      ['1', 'Ann'],
      ['2', ''],
    ]);
  });

  it('throws for a file that ends inside a quoted cell', async () => {
    await expect(toArray(parseCsv(chunksOf('"Id"\n"00', 3)))).rejects.toThrow('middle of a row');
  });

  it.each(['"Id"x\n', 'Id\n"1"2\n', 'Id\n1"2"\n'])(
    'throws for %j, of which a part would be lost',
    async (text) => {
      await expect(toArray(parseCsv(chunksOf(text, 3)))).rejects.toThrow('does not end where');
    },
  );
});

describe('readRows', () => {
  it.each(['Id,Name\n1\n', 'Id,Name\n1,Ann,x\n', 'Id,Name\n""\n'])(
    'takes %j for an answer that broke off',
    async (text) => {
      const answer = { headers: new Headers(), chunks: chunksOf(text, 4) };
      const reading = readRows(connectorDeps(), answer, (read) => read('Name'));
      await expect(toArray(reading)).rejects.toMatchObject({ kind: 'retriable' });
    },
  );
});

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

async function* chunksOf(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let start = 0; start < bytes.length; start += size) yield bytes.slice(start, start + size);
}
