/**
 * Reads a list that is sorted by ID. Each page starts after the last ID of the previous page. If other rows are added
 * or removed, the position stays correct, unlike an offset. Because of the IDs, the reading neither skips nor repeats a
 * row.
 */

import { isRetriableError } from '../../src/core/errors.ts';
import { isReplyTooLarge, listIncomplete } from '../requests/errors.ts';

export interface IdPagesOptions<Row> {
  /** The name of the list in messages, such as `contacts`. */
  what: string;
  /**
   * Reads at most `take` rows with an ID greater than `afterId`, in ascending order. `isSplittable` is true if a
   * smaller page can also be requested. If a smaller page is possible, a failed request is repeated fewer times.
   */
  read(afterId: number, take: number, isSplittable: boolean): Promise<IdPage<Row>>;
  /**
   * Counts the rows of the whole list. The function is called only if rows seem to be missing at the end of the list.
   */
  count(): Promise<number>;
  idOf(row: Row): number;
  /** The number of rows in one request, and the minimum number. If the CRM fails, the reading tries smaller pages. */
  take: number;
  least: number;
}

export interface IdPage<Row> {
  rows: readonly Row[];
  /** The number of rows in the whole list. The first page of the list contains the number of rows. */
  total: number | null;
}

/**
 * Yields the rows in pages. The reading ends only after an empty page. Throws a RetriableError if the list cannot be
 * read completely.
 */
export async function* readIdPages<Row>(
  options: IdPagesOptions<Row>,
): AsyncGenerator<readonly Row[]> {
  const { what, read, count, idOf, least } = options;
  let take = options.take;
  let afterId = 0;
  let seen = 0;
  let total: number | null = null;
  for (;;) {
    const page = await readOrNull();
    if (page === null) {
      take = Math.max(least, Math.floor(take / 2));
      continue;
    }
    total ??= page.total;
    if (page.rows.length === 0) break;
    for (const row of page.rows) {
      const id = idOf(row);
      if (!(id > afterId)) throw listIncomplete(what, 'the pages are not in the order of the IDs');
      afterId = id;
    }
    seen += page.rows.length;
    yield page.rows;
  }
  if (total === null || seen >= total) return;
  // Rows that were deleted during the reading are not missing.
  const now = await count();
  if (seen >= now) return;
  throw listIncomplete(what, `it has ${now} rows, and the pages contain only ${seen}`);

  /** Reads a page, or returns null if a smaller page should be tried. */
  async function readOrNull(): Promise<IdPage<Row> | null> {
    const isSplittable = take > least;
    try {
      return await read(afterId, take, isSplittable);
    } catch (error) {
      if (isSplittable && (isRetriableError(error) || isReplyTooLarge(error))) return null;
      throw error;
    }
  }
}
