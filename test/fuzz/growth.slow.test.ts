/** Checks that the time of every parser grows linearly with the size of the input, for any kind of input. */
import { expect, it } from 'vitest';
import { bulkEdge, csvCellEdge, csvFileEdge, journalEdge } from '../../bench/scenarios/fuzz/csv.ts';
import type { Edge } from '../../bench/scenarios/fuzz/edge.ts';
import { hookBodyEdge, signatureEdge } from '../../bench/scenarios/fuzz/hooks.ts';
import { openImportEdge } from '../../bench/scenarios/fuzz/imports.ts';
import { filterEdge, openSettingsEdge } from '../../bench/scenarios/fuzz/settings.ts';
import { createRandom } from '../simulation/random.ts';

/**
 * If the input is four times as long, the time may be at most this number of times as long. Linear growth gives a ratio
 * of four, plus noise. Quadratic growth would give a ratio of 16.
 */
const MOST_TIMES = 6;
/** The test cannot measure shorter times precisely. */
const LEAST_MS = 15;
const RUNS = 3;
const KB = 1_024;

/** Each piece makes one of the parsers look ahead, look back or nest deeper. */
const PIECES = [
  ...['(', '[', '{', '<', '"', '""', "'", ',', ';', '\t', '\r', '\n', '\r\n', ' ', '\\', '%', '&'],
  ...[
    '- ',
    ': ',
    '? ',
    '# ',
    '*a ',
    '&a ',
    '!t ',
    '|\n',
    '>\n ',
    '\u0024{A}',
    '\u0024{',
    '{a: ',
    '[a, ',
  ],
  ...[
    '<a>',
    '<a ',
    '</a>',
    '<!--',
    '-->',
    '<![CDATA[',
    '&amp;',
    '&#x41;',
    '<?x',
    ' a="b"',
    '<a:b>',
  ],
  ...['ä(ß)', '\u{1f600}', '\u200d', 'a\n  ', 'x,', '"x",', '{"a":', '[1,', '\0'],
];

/** Lists the parsers of data from outside of the product. Each parser has the largest input that it accepts. */
const EDGES: readonly (readonly [string, number, () => Edge | Promise<Edge>])[] = [
  ['CSV files', 128 * KB, () => csvFileEdge],
  ['cells of CSV', 64 * KB, () => csvCellEdge],
  ['lines of the journal', 64 * KB, () => journalEdge],
  ['results of the Bulk API', 64 * KB, () => bulkEdge],
  ['bodies of webhooks', 128 * KB, () => hookBodyEdge],
  ['signatures', 64 * KB, () => signatureEdge],
  ['settings', 32 * KB, openSettingsEdge],
  ['filters', 32 * KB, () => filterEdge],
  ['imports of the service', 128 * KB, openImportEdge],
];

it.each(EDGES)('%s', { timeout: 600_000 }, async (_, most, open) => {
  const edge = await open();
  const slow: string[] = [];
  try {
    for (const example of [0, edge.examples.length - 1]) {
      const start = edge.examples[example]?.slice(0, 60) ?? '';
      for (const piece of PIECES) {
        const [quarter, whole] = [
          await leastMs(edge, start, piece, most / 4),
          await leastMs(edge, start, piece, most),
        ];
        const times = whole / Math.max(quarter, LEAST_MS);
        if (times > MOST_TIMES) slow.push(`${JSON.stringify(piece)}: ${quarter} and ${whole} ms`);
      }
    }
  } finally {
    await edge.close?.();
  }
  expect(slow).toEqual([]);
});

it('notices a reader that takes the square of its input', async () => {
  const edge: Edge = {
    name: 'a square',
    share: 1,
    examples: [''],
    read: ({ bytes }) => bytes.toString().replace(/\(+x/g, ''),
  };
  const [quarter, whole] = [
    await leastMs(edge, '', '(', 8 * KB),
    await leastMs(edge, '', '(', 32 * KB),
  ];
  expect(whole / Math.max(quarter, LEAST_MS)).toBeGreaterThan(MOST_TIMES);
});

/**
 * Returns the smallest of several measurements. Measures processor time, which other work on the machine does not
 * affect.
 */
async function leastMs(edge: Edge, start: string, piece: string, size: number): Promise<number> {
  const bytes = Buffer.from(start + piece.repeat(Math.ceil(size / Buffer.byteLength(piece))));
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < RUNS; run += 1) {
    const input = { bytes, isExample: false, random: createRandom('growth') };
    const before = process.cpuUsage();
    try {
      await edge.read(input);
    } catch {
      // Only the time matters here. The parser may also refuse the input.
    }
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1_000);
    if (least < LEAST_MS) break;
  }
  return least;
}
