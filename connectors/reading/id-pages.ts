/**
 * Reads a list in the order of its IDs. Each page starts after the last ID. Other rows do not move an ID, unlike an
 * offset. So no row is lost or repeated.
 */

import { isRetriableError } from '../../src/core/errors.ts';
import { isReplyTooLarge, listIncomplete } from '../requests/errors.ts';

export interface IdPagesOptions<Row> {
  /** The name of the list for messages, such as `contacts`. */
  what: string;
  /**
   * Reads at most `take` rows with an ID above `afterId`, in ascending order. `isSplittable` is true if the same rows
   * can also be read in smaller pages. A failure then needs fewer attempts.
   */
  read(afterId: number, take: number, isSplittable: boolean): Promise<IdPage<Row>>;
  /** Counts the rows of the whole list. It is called only if rows seem to be missing at the list's end. */
  count(): Promise<number>;
  idOf(row: Row): number;
  /** The number of rows in one request, and the smallest number that is tried if the CRM fails with larger pages. */
  take: number;
  least: number;
}

export interface IdPage<Row> {
  rows: readonly Row[];
  /** The number of rows in the whole list. The first page contains it. */
  total: number | null;
}

/**
 * Yields the rows in pages. The list ends only with an empty page. Throws a RetriableError if the list cannot be read
 * completely.
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
  // Rows that were removed in between are not missing.
  const now = await count();
  if (seen >= now) return;
  throw listIncomplete(what, `it has ${now} rows, and the pages contain only ${seen}`);

  /** Returns null if a smaller page should be tried. */
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
