import { describe, expect, it } from 'vitest';
import { readIdPages } from '../../connectors/reading/id-pages.ts';
import { collect } from '../../connectors/testing/readings.ts';
import { FatalError, RetriableError } from '../../src/core/errors.ts';

/** Creates a list of IDs behind an API whose data changes. The API fails for pages with more rows than `maxRows`. */
function aList(ids: readonly number[], maxRows = Number.POSITIVE_INFINITY) {
  const rows = new Set(ids);
  const takes: number[] = [];
  return {
    rows,
    takes,
    async read(take: number, onPage: (at: number) => void = () => {}): Promise<number[]> {
      const read: number[] = [];
      const pages = readIdPages({
        what: 'contacts',
        take,
        least: 2,
        idOf: (id: number) => id,
        count: async () => rows.size,
        async read(afterId, wanted) {
          takes.push(wanted);
          if (wanted > maxRows) throw new RetriableError('It fails.', { code: 'crm_unavailable' });
          const all = [...rows].filter((id) => id > afterId).sort((a, b) => a - b);
          return { rows: all.slice(0, wanted), total: afterId === 0 ? rows.size : null };
        },
      });
      let at = 0;
      for await (const page of pages) {
        read.push(...page);
        onPage(at);
        at += 1;
      }
      return read;
    },
  };
}

const ids = Array.from({ length: 20 }, (_, at) => at + 1);

describe('readIdPages', () => {
  it('reads each row once', async () => {
    expect(await aList(ids).read(6)).toEqual(ids);
    expect(await aList([]).read(6)).toEqual([]);
  });

  it('loses no row while others are deleted and added', async () => {
    const list = aList(ids);
    const read = await list.read(5, (at) => {
      for (const id of [1, 2, 3, 4]) list.rows.delete(id);
      list.rows.add(100 + at);
      if (at > 2) for (const id of list.rows) if (id > 100) list.rows.delete(id);
    });
    expect(read.filter((id) => id <= 20)).toEqual(ids);
    expect(new Set(read).size).toBe(read.length);
  });

  it('reads smaller pages from a CRM that fails at large ones', async () => {
    const list = aList(ids, 3);
    expect(await list.read(16)).toEqual(ids);
    expect(list.takes.slice(0, 5)).toEqual([16, 8, 4, 2, 2]);
  });

  it('gives up at the smallest page', async () => {
    const list = aList(ids, 1);
    await expect(list.read(16)).rejects.toThrow('It fails.');
    expect(list.takes).toEqual([16, 8, 4, 2]);
  });

  it('tries no smaller page if that cannot help', async () => {
    const takes: number[] = [];
    const pages = readIdPages({
      what: 'contacts',
      take: 16,
      least: 2,
      idOf: (id: number) => id,
      count: async () => 1,
      async read(_, take) {
        takes.push(take);
        throw new FatalError('It is over.', { code: 'crm_list_endless' });
      },
    });
    await expect(pages.next()).rejects.toThrow('It is over.');
    expect(takes).toEqual([16]);
  });

  it('throws if rows of the total never come, or come in another order', async () => {
    const short = { what: 'contacts', take: 2, least: 2, idOf: (id: number) => id };
    const hidden = readIdPages({
      ...short,
      count: async () => 5,
      read: async (afterId) => ({ rows: afterId === 0 ? [1, 2] : [], total: 5 }),
    });
    await expect(collect(hidden)).rejects.toThrow('it has 5 rows, and the pages contain only 2');
    const unsorted = readIdPages({
      ...short,
      count: async () => 2,
      read: async () => ({ rows: [2, 1], total: 2 }),
    });
    await expect(collect(unsorted)).rejects.toThrow('not in the order of the IDs');
  });
});
