import { z } from 'zod';
import { queryEndless } from '../requests/endless.ts';
import type { SalesforceApi } from './api.ts';
import { getCrmCode, readAs } from './errors.ts';
import { pagePath } from './sign-in/instance.ts';

/** A record in a query's response. Parent records are nested under the names of their relationships. */
export type QueryRecord = Readonly<Record<string, unknown>>;

/** Returns the value in a record's column, for example `FirstName` or `Account.Name`. */
export type ColumnReader = (column: string) => unknown;

/** Accepts the records as Salesforce returned them. Copying them would take longer than all other work. */
export const recordSchema = z.custom<QueryRecord>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);

const replySchema = z.object({
  totalSize: z.number(),
  done: z.boolean(),
  records: z.array(recordSchema),
  nextRecordsUrl: z.string().optional(),
});

/**
 * The maximum number of pages for one query. With Salesforce's page size, the limit is enough for ten million records.
 */
const MAX_PAGES = 5_000;

/** `query` omits deleted records, and `queryAll` includes them. */
export type QueryKind = 'query' | 'queryAll';

/** Yields the records of a query page by page. Throws if some records cannot be read. */
export async function* queryPages(
  api: SalesforceApi,
  soql: string,
  kind: QueryKind = 'query',
): AsyncGenerator<QueryRecord[]> {
  let path = queryPath(soql, kind);
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { records, done, nextRecordsUrl } = readAs(replySchema, await api.get(path));
    yield records;
    if (done) return;
    if (nextRecordsUrl === undefined || nextRecordsUrl === path) break;
    path = pagePath(nextRecordsUrl);
  }
  throw queryEndless('A Salesforce query');
}

/** Returns all records of a query with few results. */
export async function queryRecords(
  api: SalesforceApi,
  soql: string,
  kind: QueryKind = 'query',
): Promise<QueryRecord[]> {
  const records: QueryRecord[] = [];
  for await (const page of queryPages(api, soql, kind)) records.push(...page);
  return records;
}

/** Returns the records of a query with one page. Returns null if Salesforce takes too long. */
export async function queryAtOnce(
  api: SalesforceApi,
  soql: string,
  kind: QueryKind = 'query',
): Promise<QueryRecord[] | null> {
  try {
    return await queryRecords(api, soql, kind);
  } catch (error) {
    if (isTooSlow(error)) return null;
    throw error;
  }
}

/** Returns true if Salesforce ended a query because it took too long. */
export function isTooSlow(error: unknown): boolean {
  return getCrmCode(error) === 'QUERY_TIMEOUT';
}

/** Sends a query. If Salesforce takes too long, splits the query in half. */
export async function queryInHalves(
  items: readonly string[],
  ask: (items: readonly string[]) => Promise<QueryRecord[]>,
): Promise<QueryRecord[]> {
  try {
    return await ask(items);
  } catch (error) {
    if (items.length < 2 || !isTooSlow(error)) throw error;
    const middle = Math.ceil(items.length / 2);
    const first = await queryInHalves(items.slice(0, middle), ask);
    return [...first, ...(await queryInHalves(items.slice(middle), ask))];
  }
}

/** Returns the result of `SELECT count()`. */
export async function countRecords(api: SalesforceApi, soql: string): Promise<number> {
  return readAs(replySchema, await api.get(queryPath(soql, 'query'))).totalSize;
}

/** Returns the address of a query. Callers use the address to count its characters. */
export function queryPath(soql: string, kind: QueryKind): string {
  return `/${kind}?q=${encodeURIComponent(soql)}`;
}

/** Returns a function that reads columns. For example, `Account.Name` is the name of the parent account. */
export function createColumnReader(record: QueryRecord): ColumnReader {
  return (column) => {
    let value: unknown = record;
    for (const key of column.split('.')) value = getChild(value, key);
    return value;
  };
}

function getChild(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  // A list in the place of a parent record is an error.
  const record = Array.isArray(value) ? readAs(recordSchema, value) : value;
  return Object.hasOwn(record, key) ? Reflect.get(record, key) : undefined;
}

/** Returns a string as a literal in Salesforce's query language. */
export function quoted(text: string): string {
  const escaped = text
    .replace(/[\\']/g, (character) => `\\${character}`)
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r');
  return `'${escaped}'`;
}

/** Returns a list of literals for `IN`. */
export function quotedList(texts: readonly string[]): string {
  return `(${texts.map(quoted).join(',')})`;
}

/**
 * Combines the conditions with AND and returns a WHERE clause. Ignores null. Returns an empty string if all conditions
 * are null.
 */
export function whereClause(conditions: readonly (string | null)[]): string {
  const present = conditions.filter((condition) => condition !== null);
  return present.length === 0 ? '' : ` WHERE ${present.join(' AND ')}`;
}
