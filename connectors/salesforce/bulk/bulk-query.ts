import { RetriableError } from '../../../src/core/errors.ts';
import { queryEndless } from '../../requests/endless.ts';
import { isReplyTooLarge } from '../../requests/errors.ts';
import { throwIfStopped } from '../../requests/stopped.ts';
import type { CsvAnswer } from '../client.ts';
import type { ColumnReader } from '../query.ts';
import type { SalesforceSession } from '../session.ts';
import { abortJob, awaitJob, toNewJob } from './bulk-job.ts';
import { parseCsv } from './csv-rows.ts';

/** The number of rows on a page of results. The rows are streamed, so a larger page needs no more memory. */
const PAGE_ROWS = 100_000;

/** The maximum number of pages for one query. The limit is enough for a billion rows. */
const MAX_PAGES = 10_000;

type QueryDeps = Pick<SalesforceSession, 'api' | 'clock' | 'signal'>;

/** Yields the rows in batches as they arrive. The rows that Salesforce returns are unsorted. */
export async function* queryInBulk<Row>(
  session: QueryDeps,
  soql: string,
  toRow: (read: ColumnReader) => Row,
): AsyncGenerator<Row[]> {
  const { id } = toNewJob(await session.api.openQueryJob(soql));
  const { numberRecordsProcessed } = await awaitJob(session, 'query', id).catch(
    async (error: unknown) => {
      await abortJob(session, 'query', id, error);
      throw error;
    },
  );
  let count = 0;
  let locator: string | null = null;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const position: string = locator === null ? '' : `&locator=${encodeURIComponent(locator)}`;
    const path = `/jobs/query/${id}/results?maxRecords=${PAGE_ROWS}${position}`;
    const answer: CsvAnswer = await session.api.download(path);
    for await (const rows of readRows(session, answer, toRow)) {
      count += rows.length;
      yield rows;
    }
    const next = nextLocator(answer);
    if (next === null && count < numberRecordsProcessed) {
      throw brokenOff(new Error(`There are ${count} rows instead of ${numberRecordsProcessed}.`));
    }
    if (next === null) return;
    if (next === locator) break;
    locator = next;
  }
  throw queryEndless('A Bulk API query');
}

/** Returns the position at which the next page starts. On the last page, Salesforce sends the word `null`. */
function nextLocator({ headers }: CsvAnswer): string | null {
  const locator = headers.get('sforce-locator');
  return locator === null || locator === 'null' ? null : locator;
}

/**
 * Calls `toRow` for each row of a response, and yields the results. The first row of the response is the header. The
 * function `toRow` must not keep the reader, because the next row uses the same reader.
 */
export async function* readRows<Row>(
  { signal }: Pick<QueryDeps, 'signal'>,
  { chunks }: CsvAnswer,
  toRow: (read: ColumnReader) => Row,
): AsyncGenerator<Row[]> {
  let positions: Map<string, number> | null = null;
  let row: readonly string[] = [];
  const read: ColumnReader = (column) => row[positions?.get(column) ?? row.length];
  try {
    for await (const rows of parseCsv(chunks)) {
      throwIfStopped(signal);
      positions ??= indexColumns(rows.shift() ?? []);
      const { size } = positions;
      yield rows.map((next) => {
        // Without the check for missing cells, a missing cell would look like an empty cell.
        if (next.length !== size) throw new Error(`A row has ${next.length} cells, not ${size}.`);
        row = next;
        return toRow(read);
      });
    }
  } catch (error) {
    throwIfStopped(signal);
    if (isReplyTooLarge(error)) throw error;
    throw brokenOff(error);
  }
}

/**
 * Matches the name of a column. A column's name is an API name or a path of API names. Salesforce sends no other form
 * of column name.
 */
const COLUMN = /^[A-Za-z][\w.]*$/;

function indexColumns(header: readonly string[]): Map<string, number> {
  if (!header.every((column) => COLUMN.test(column))) throw new Error('There is no header.');
  return new Map(header.map((column, position) => [column, position]));
}

function brokenOff(cause: unknown): RetriableError {
  return new RetriableError('The results of a Bulk API job broke off.', {
    code: 'crm_unavailable',
    cause,
  });
}
