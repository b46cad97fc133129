/** Reads a list by offset while it changes, without losing a row. */
import { listIncomplete } from '../requests/errors.ts';

export interface OffsetPagesOptions<Row> {
  /** The name of the list for messages, such as `contacts`. */
  what: string;
  /** Reads at most `take` rows from this offset on, in an order that edits do not change, for example by id. */
  read(offset: number, take: number): Promise<OffsetPage<Row>>;
  idOf(row: Row): string;
  /** The number of rows in one request. If a CRM returns fewer, no row is lost. */
  take: number;
  /**
   * How many rows of a page are read again with the next page, at least one and fewer than the page has. Defaults to a
   * tenth of the largest page so far.
   */
  overlap?: number;
}

export interface OffsetPage<Row> {
  rows: readonly Row[];
  /**
   * The number of rows in the whole list, as the CRM reports it. Null if it does not, in which case a reading takes one
   * more request.
   */
  total: number | null;
}

/** How often one reading may step back. */
const MAX_STEPS_BACK = 100;

/** How often one reading may start again because rows were added before its offset. */
const MAX_NEW_STARTS = 3;

/** Pages in a row without a new row, after which the CRM must be ignoring the offset. */
const MAX_STALE_PAGES = 3;

/**
 * Yields each row once, in pages. If rows before the offset disappear during the reading, the rows after them move
 * forward, and a plain offset would skip some. So each page starts with rows of the previous page. If its first row is
 * new, rows may have been skipped, and the reading steps back by one page. If rows are added before the offset, the
 * total is larger than the number of rows that were read, and the reading starts again. Throws a RetriableError if the
 * list cannot be read completely.
 */
export async function* readOffsetPages<Row>(
  options: OffsetPagesOptions<Row>,
): AsyncGenerator<Row[]> {
  const { what, read, idOf, take } = options;
  const seen = new Set<string>();
  let offset = 0;
  let furthest = 0;
  // The rows that came and not the rows that were requested, because many CRMs limit their pages.
  let largest = 1;
  let stepsBack = 0;
  let newStarts = 0;
  let stalePages = 0;
  let isRowPending = false;
  for (;;) {
    const { rows, total } = await read(offset, take);
    const [first] = rows;
    const isFurther = offset > furthest;
    furthest = Math.max(furthest, offset);
    largest = Math.max(largest, rows.length);
    if (offset > 0 && (first === undefined || !seen.has(idOf(first)))) {
      stepsBack += 1;
      if (stepsBack > MAX_STEPS_BACK) throw listIncomplete(what, 'it changed too often');
      isRowPending = first !== undefined;
      offset = Math.max(0, offset - largest);
      continue;
    }
    const overlap = Math.max(1, Math.min(options.overlap ?? Math.ceil(largest / 10), largest - 1));
    const fresh = rows.filter((row) => !seen.has(idOf(row)));
    for (const row of fresh) seen.add(idOf(row));
    if (fresh.length > 0) {
      isRowPending = false;
      stalePages = 0;
      yield fresh;
    } else if (isFurther) {
      stalePages += 1;
    }
    const isOnlyOverlap = fresh.length === 0 && rows.length <= overlap && !isRowPending;
    const isWhole = total !== null && offset + rows.length >= total;
    if (isWhole || isOnlyOverlap || rows.length === 0) {
      if (total === null || (isWhole && seen.size >= total)) return;
      newStarts += 1;
      if (newStarts > MAX_NEW_STARTS) {
        throw listIncomplete(what, `it has ${total} rows, and the pages contain only ${seen.size}`);
      }
      offset = 0;
      continue;
    }
    if (stalePages > MAX_STALE_PAGES) throw listIncomplete(what, 'the pages repeat');
    offset += Math.max(1, rows.length - overlap);
  }
}
