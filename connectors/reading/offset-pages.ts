/** Reads a list by offset without losing rows, even if the list changes. */
import { listIncomplete } from '../requests/errors.ts';

export interface OffsetPagesOptions<Row> {
  /** The name of the list in messages, such as `contacts`. */
  what: string;
  /**
   * Reads one page. The order of the rows must stay the same when users edit rows. For example, the rows can be sorted
   * by ID.
   */
  read(offset: number, take: number): Promise<OffsetPage<Row>>;
  idOf(row: Row): string;
  /**
   * The number of rows in one request. The CRM may return fewer rows per request, and the reading still loses no row.
   */
  take: number;
  /**
   * The number of rows that two consecutive pages share. The overlap is at least one row, and smaller than the page.
   * The overlap is a tenth of the largest page so far by default.
   */
  overlap?: number;
}

export interface OffsetPage<Row> {
  rows: readonly Row[];
  /**
   * The number of rows in the whole list, or null if the CRM does not report it. If the CRM does not report the number
   * of rows, the reading sends one more request.
   */
  total: number | null;
}

/** The maximum number of times that one reading goes back by a page. */
const MAX_STEPS_BACK = 100;

/** The maximum number of restarts in one reading. A reading restarts if rows were added before its offset. */
const MAX_NEW_STARTS = 3;

/**
 * The number of consecutive pages without a new row. After this many pages without a new row, donor-sync assumes that
 * the CRM ignores the offset.
 */
const MAX_STALE_PAGES = 3;

/**
 * Yields each row once, in pages. If earlier rows are deleted, later rows move to a smaller offset. Pages overlap,
 * because a plain offset would skip the moved rows. If the first row of a page is new, rows may have been skipped, so
 * the previous page is read again. If rows were added, the reading starts again. Throws a RetriableError if the list
 * cannot be read completely.
 */
export async function* readOffsetPages<Row>(
  options: OffsetPagesOptions<Row>,
): AsyncGenerator<Row[]> {
  const { what, read, idOf, take } = options;
  const seen = new Set<string>();
  let offset = 0;
  let furthest = 0;
  // The size of the largest page is measured, because many CRMs return fewer rows than requested.
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
