import { describe, expect, it } from 'vitest';
import { readOffsetPages } from '../../connectors/reading/offset-pages.ts';
import { toArray } from './connector-options.ts';

describe('readOffsetPages', () => {
  it.each([
    ['with a total', true, 0],
    ['with a total', true, 7],
    ['with a total', true, 10],
    ['with a total', true, 101],
    ['without a total', false, 0],
    ['without a total', false, 1],
    ['without a total', false, 9],
    ['without a total', false, 10],
    ['without a total', false, 101],
  ])('yields each row once %s (%s, %i rows)', async (_, hasTotal, count) => {
    const list = aList(count, { hasTotal });
    expect(await read(list)).toEqual(list.rows);
  });

  it.each([true, false])(
    'loses no row of a CRM that returns fewer rows than asked for (total: %s)',
    async (hasTotal) => {
      const list = aList(57, { hasTotal, most: 4 });
      expect(await read(list)).toEqual(list.rows);
    },
  );

  it.each([true, false])(
    'loses no row that stays while others disappear (total: %s)',
    async (hasTotal) => {
      for (let removals = 1; removals < 40; removals += 1) {
        const list = aList(100, { hasTotal });
        const staying = list.rows.slice(40);
        const found = await read(list, (requests) => {
          if (requests === 3) list.rows.splice(0, removals);
        });
        expect(found).toEqual(expect.arrayContaining(staying));
        expect(new Set(found).size).toBe(found.length);
      }
    },
  );

  it.each([
    [true, 8, 10],
    [false, 8, 10],
    [true, 8, undefined],
    [false, 8, undefined],
    [true, 2, 20],
    [false, 2, 20],
  ])(
    'loses no row if the CRM limits its pages and rows disappear (total: %s, pages of %i, overlap %s)',
    async (hasTotal, most, overlap) => {
      for (let removals = 1; removals <= 40; removals += 1) {
        const list = aList(100, { hasTotal, most, take: 100, overlap });
        const staying = list.rows.slice(40);
        const found = await read(list, (requests) => {
          if (requests === 12) list.rows.splice(0, removals);
        });
        expect(found).toEqual(expect.arrayContaining(staying));
      }
    },
  );

  it.each([true, false])(
    'says so if pages have a single row, because none can be read again (total: %s)',
    async (hasTotal) => {
      const list = aList(5, { hasTotal, most: 1 });
      await expect(read(list)).rejects.toThrow('it changed too often');
    },
  );

  it('needs few requests if the CRM limits its pages', async () => {
    let sent = 0;
    const list = aList(2_000, { hasTotal: true, most: 20, take: 500, overlap: undefined });
    expect(
      await read(list, (requests) => {
        sent = requests;
      }),
    ).toEqual(list.rows);
    expect(sent).toBeLessThan(120);
  });

  it('finds a row that is added before the offset while it reads', async () => {
    const list = aList(100, { hasTotal: true });
    const found = await read(list, (requests) => {
      if (requests === 5) list.rows.unshift('added');
    });
    expect(found).toEqual([...list.rows.slice(1), 'added']);
  });

  it.each([30, 0])(
    'ends with an error if the CRM counts rows that it never returns (%i)',
    async (count) => {
      const rows = aList(count).rows;
      const pages = readOffsetPages({
        what: 'contacts',
        take: 10,
        idOf: (row: string) => row,
        read: async (offset, take) => ({ rows: rows.slice(offset, offset + take), total: 31 }),
      });
      await expect(toArray(pages)).rejects.toThrow(
        `it has 31 rows, and the pages contain only ${count}`,
      );
    },
  );

  it('loses no row if most of the list disappears', async () => {
    const list = aList(100, { hasTotal: true });
    const found = await read(list, (requests) => {
      if (requests === 5) list.rows.splice(0, 80);
    });
    expect(found).toEqual(expect.arrayContaining(list.rows));
  });

  it('finds rows that are added at the end while it reads', async () => {
    const list = aList(30, { hasTotal: true });
    const found = await read(list, (requests) => {
      if (requests <= 5) list.rows.push(`added ${requests}`);
    });
    expect(found).toEqual(list.rows);
  });

  it('ends with an error if the CRM ignores the offset', async () => {
    const rows = aList(30).rows.slice(0, 10);
    const same = { what: 'contacts', take: 10, idOf: (row: string) => row };
    for (const total of [null, 30]) {
      const pages = readOffsetPages({ ...same, read: async () => ({ rows, total }) });
      await expect(toArray(pages)).rejects.toMatchObject({ kind: 'retriable' });
    }
  });

  it('ends with an error if the list never stands still', async () => {
    let requests = 0;
    const pages = readOffsetPages({
      what: 'contacts',
      take: 10,
      idOf: (row: string) => row,
      async read() {
        requests += 1;
        return { rows: Array.from({ length: 10 }, (_, at) => `${requests} ${at}`), total: null };
      },
    });
    await expect(toArray(pages)).rejects.toThrow('it changed too often');
  });
});

interface List {
  rows: string[];
  hasTotal: boolean;
  /** The maximum number of rows that the API returns in a page. */
  most: number;
  take: number;
  overlap: number | undefined;
}

function aList(count: number, more: Partial<List> = {}): List {
  const rows = Array.from({ length: count }, (_, at) => `row ${at}`);
  return { rows, hasTotal: false, most: 10, take: 10, overlap: 2, ...more };
}

/** Before each request, calls `before` with the number of earlier requests. */
async function read(list: List, before: (requests: number) => void = () => {}): Promise<string[]> {
  let requests = 0;
  const pages = readOffsetPages({
    what: 'contacts',
    take: list.take,
    ...(list.overlap === undefined ? {} : { overlap: list.overlap }),
    idOf: (row: string) => row,
    async read(offset, take) {
      requests += 1;
      before(requests);
      const rows = list.rows.slice(offset, offset + Math.min(take, list.most));
      return { rows, total: list.hasTotal ? list.rows.length : null };
    },
  });
  return (await toArray(pages)).flat();
}
