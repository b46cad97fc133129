/** Runs SOQL queries. */

import type { Database } from '../core/database.ts';
import { unknownType } from '../core/errors.ts';
import type { Access, User } from '../metadata/access.ts';
import type { Catalogue } from '../metadata/catalogue.ts';
import type { ObjectType } from '../metadata/object-type.ts';
import { isDefinition, writeDefinitions } from '../metadata/objects/definitions.ts';
import { wholeSecond } from '../metadata/value.ts';
import { aggregateRecords, isAggregate, isCount } from './soql/aggregate.ts';
import type { QueryContext } from './soql/context.ts';
import { parseSoql } from './soql/parse.ts';
import {
  createProjection,
  type ProjectedColumn,
  refuseDuplicates,
  type SObjectRecord,
} from './soql/projection.ts';
import { selectSql } from './soql/selection.ts';

/** The maximum number of records on a page, even if the caller requests more. */
export const QUERY_PAGE = 2000;

/** The parts of an org that are necessary to run queries. */
export interface QueryOrg {
  db: Database;
  catalogue: Catalogue;
  access: Access;
  clock: () => number;
}

/** The options for running a query. */
export interface QueryOptions {
  /** True to find deleted records too, like `queryAll`. */
  all?: boolean;
  /** True to allow queries of the Tooling API's objects. */
  tooling?: boolean;
  /** The path of the API version, for example `/services/data/v67.0`. The addresses of records start with it. */
  basePath: string;
}

/** The result of a query. The query determines the records, but each page shows their current state. */
export interface QueryResult {
  type: ObjectType;
  total: number;
  /** Reads the records from `start` (inclusive) to `end` (exclusive). The last page can contain fewer records. */
  records(start: number, end: number): SObjectRecord[];
  /** The columns of the SELECT. The list is empty for queries that aggregate. */
  columns: readonly ProjectedColumn[];
}

/** Runs a query. Throws a SalesforceError that describes the problem. */
export function runQuery(
  org: QueryOrg,
  soql: string,
  user: User,
  options: QueryOptions,
): QueryResult {
  const query = parseSoql(soql);
  const type = org.catalogue.find(query.sObject);
  if (type === undefined || (type.toolingOnly && options.tooling !== true)) {
    throw unknownType(query.sObject);
  }
  if (!org.access.canReadType(user, type)) throw unknownType(query.sObject);
  if (isDefinition(type)) {
    writeDefinitions(org.db, org.catalogue.list(), wholeSecond(org.clock()), (owner, field) =>
      field === undefined
        ? org.access.canReadType(user, owner)
        : org.access.canRead(user, owner, field),
    );
  }
  const context: QueryContext = {
    catalogue: org.catalogue,
    access: org.access,
    user,
    soql,
    nowMs: org.clock(),
    all: options.all ?? false,
  };
  if (isCount(query)) {
    const found = selectSql(context, type, query, { what: () => '1' });
    const count = org.db.prepare<unknown[], number>(`select count(*) from (${found.text})`).pluck();
    return { type, total: count.get(...found.values) ?? 0, records: () => [], columns: [] };
  }
  if (isAggregate(query)) {
    const records = aggregateRecords(context, org.db, type, query);
    const { length: total } = records;
    return { type, total, records: (start, end) => records.slice(start, end), columns: [] };
  }
  const projection = createProjection(context, type, query, { ...options, db: org.db });
  refuseDuplicates(context, projection.columns);
  const { text, values } = selectSql(context, type, query, { what: () => 't.rowid' });
  const rowIds = org.db
    .prepare<unknown[], number>(text)
    .pluck()
    .all(...values);
  return {
    type,
    total: rowIds.length,
    records: (start, end) => projection.records(rowIds.slice(start, end)),
    columns: projection.columns,
  };
}
