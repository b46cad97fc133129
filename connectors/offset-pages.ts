/** Reads a list by offset while it changes, without losing a row. */
import { listIncomplete } from './errors.ts';

export interface OffsetPagesOptions<Row> {
  /** The name of the list, for messages: `contacts`. */
  what: string;
  /** Reads at most `take` rows from this offset on, in an order that edits do not change, for example by id. */
  read(offset: number, take: number): Promise<OffsetPage<Row>>;
  idOf(row: Row): string;
  /** Number of rows of one request. A CRM that returns fewer loses no row. */
  take: number;
  /** Number of rows of a page that are read again with the next page; a tenth of `take` if omitted, at least one. */
  overlap?: number;
}

export interface OffsetPage<Row> {
  rows: readonly Row[];
  /** Number of rows of the whole list, as the CRM reports it; null if it does not. Without it, a reading takes one more request. */
  total: number | null;
}

/** How often one reading may step back. */
const MAX_STEPS_BACK = 100;

/** Full pages in a row without a new row, after which the CRM must be ignoring the offset. */
const MAX_STALE_PAGES = 3;

/**
 * Yields each row once, page by page. If rows before the offset disappear during the reading, the rows after them move
 * forward, and a plain offset would skip some of them. Each page therefore starts with rows of the page before. If its
 * first row is a new one, rows may have been skipped, and the reading steps back. Throws a RetriableError if the list
 * cannot be read completely.
 */
export async function* readOffsetPages<Row>(
  options: OffsetPagesOptions<Row>,
): AsyncGenerator<Row[]> {
  const { what, read, idOf, take } = options;
  const overlap = Math.max(1, options.overlap ?? Math.ceil(take / 10));
  const seen = new Set<string>();
  let offset = 0;
  let stepsBack = 0;
  let stalePages = 0;
  for (;;) {
    const { rows, total } = await read(offset, take);
    const [first] = rows;
    const isWhole = total !== null && offset + rows.length >= total;
    if (offset > 0 && (first === undefined || !seen.has(idOf(first)))) {
      stepsBack += 1;
      if (stepsBack > MAX_STEPS_BACK) throw listIncomplete(what, 'it changed too often');
      offset = Math.max(0, offset - take);
      continue;
    }
    const fresh = rows.filter((row) => !seen.has(idOf(row)));
    for (const row of fresh) seen.add(idOf(row));
    if (fresh.length > 0) yield fresh;
    if (isWhole && seen.size < total) {
      throw listIncomplete(what, `it has ${total} rows, and the pages contain only ${seen.size}`);
    }
    if (isWhole || rows.length === 0) return;
    stalePages = fresh.length > 0 ? 0 : stalePages + 1;
    if (total === null && fresh.length === 0 && rows.length <= overlap) return;
    if (stalePages > MAX_STALE_PAGES + stepsBack) throw listIncomplete(what, 'the pages repeat');
    offset += Math.max(1, rows.length - overlap);
  }
}
