/** The resources `/query` and `/queryAll` with their further pages. */

import { Hono } from 'hono';
import { SalesforceError } from '../core/errors.ts';
import { createId } from '../core/ids.ts';
import type { Org } from '../org/org.ts';
import { QUERY_PAGE, type QueryResult, runQuery } from '../query/query.ts';
import { describeColumns } from '../query/query-columns.ts';
import { requiredQuery, type SalesforceContext, type SalesforceEnv } from '../requests/context.ts';

/**
 * The maximum number of queries whose further pages can be read. When there are more queries, the oldest query is
 * removed.
 */
const MAX_CURSORS = 100;

const MIN_PAGE = 200;

interface Cursor {
  result: QueryResult;
  pageSize: number;
  userId: string;
}

/** Returns the query resources. `tooling` selects the resources of the Tooling API. */
export function queryRoutes(org: Org, { tooling }: { tooling: boolean }): Hono<SalesforceEnv> {
  const router = new Hono<SalesforceEnv>();
  const cursors = createCursors();

  function answer(c: SalesforceContext, all: boolean): Response {
    const soql = requiredQuery(c, 'q');
    const { user, basePath } = c.var;
    const result = runQuery(org, soql, user, { all, tooling, basePath });
    if (c.req.query('columns') === 'true') return c.json(describeColumns(result, soql));
    const pageSize = pageSizeOf(c.req.header('sforce-query-options'));
    const locator =
      result.total > pageSize ? cursors.keep({ result, pageSize, userId: user.id }) : '';
    return c.json(page(c, { result, pageSize, userId: user.id }, locator, 0));
  }

  router.get('/query', (c) => answer(c, false));
  router.get('/queryAll', (c) => answer(c, true));
  router.on('GET', ['/query/:locator', '/queryAll/:locator'], (c) => {
    const [locator = '', start = ''] = c.req.param('locator').split('-');
    const cursor = cursors.find(locator);
    if (cursor === undefined || cursor.userId !== c.var.user.id || !/^\d+$/.test(start)) {
      throw new SalesforceError(400, 'INVALID_QUERY_LOCATOR', 'invalid query locator');
    }
    return c.json(page(c, cursor, locator, Number(start)));
  });
  return router;
}

function page(c: SalesforceContext, { result, pageSize }: Cursor, locator: string, start: number) {
  const end = start + pageSize;
  const done = end >= result.total;
  const isTooling = c.req.path.includes('/tooling/');
  const path = isTooling ? '/tooling/query' : '/query';
  const records = result.records(start, end);
  const shape = { queryLocator: null, entityTypeName: result.type.name, size: records.length };
  return {
    ...(isTooling ? shape : {}),
    totalSize: result.total,
    done,
    ...(done ? {} : { nextRecordsUrl: `${c.var.basePath}${path}/${locator}-${end}` }),
    records,
  };
}

/**
 * Returns the page size from a header such as `Sforce-Query-Options: batchSize=200`. As in Salesforce, the size is only
 * a hint.
 */
function pageSizeOf(header: string | undefined): number {
  const asked = Number(/batchSize\s*=\s*(\d+)/i.exec(header ?? '')?.[1] ?? QUERY_PAGE);
  return Math.min(QUERY_PAGE, Math.max(MIN_PAGE, asked));
}

function createCursors() {
  const cursors = new Map<string, Cursor>();
  let count = 0;
  return {
    keep(cursor: Cursor): string {
      count += 1;
      const locator = createId('0r8', count);
      cursors.set(locator, cursor);
      const [oldest] = cursors.keys();
      if (cursors.size > MAX_CURSORS && oldest !== undefined) cursors.delete(oldest);
      return locator;
    },
    find: (locator: string) => cursors.get(locator),
  };
}
