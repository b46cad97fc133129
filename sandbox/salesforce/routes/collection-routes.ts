/** The resource `/composite/sobjects`. A request contains up to 200 records, and each record has its own result. */

import { Hono } from 'hono';
import { z } from 'zod';
import {
  type RecordError,
  recordError,
  refused,
  SalesforceError,
  type SaveResult,
  unknownType,
} from '../core/errors.ts';
import { readId } from '../core/ids.ts';
import type { ObjectType } from '../metadata/object-type.ts';
import type { Org } from '../org/org.ts';
import { runQuery } from '../query/query.ts';
import type { SalesforceContext, SalesforceEnv } from '../requests/context.ts';
import { writeOptionsOf } from '../requests/context.ts';
import { AmbiguousKeyError, findByField, identifyingField } from '../requests/external-id.ts';
import { readJson, readJsonValues } from '../requests/json-values.ts';

const MAX_RECORDS = 200;
/**
 * The maximum number of records that a request can read. The maximum for reading is higher than for writing, because
 * reading needs only IDs.
 */
const MAX_RETRIEVED = 2000;
/**
 * The maximum number of groups of consecutive records of the same object. Salesforce rejects a request with more
 * groups.
 */
const MAX_CHUNKS = 10;

const attributesSchema = z.looseObject({ type: z.string() });
const writeSchema = z.object({
  allOrNone: z.boolean().default(false),
  records: z.array(z.looseObject({ attributes: attributesSchema })),
});
const retrieveSchema = z.object({ ids: z.array(z.string()), fields: z.array(z.string()) });

/** Returns the resources of collections. */
export function collectionRoutes(org: Org): Hono<SalesforceEnv> {
  const router = new Hono<SalesforceEnv>();
  router.post('/composite/sobjects', (c) => {
    const { records, allOrNone } = readRecords(c);
    const prepared = records.map((record) => prepare(c, org, record));
    const options = writeOptionsOf(c);
    return c.json(
      runAll(org, allOrNone, prepared, ({ type, values }) =>
        org.store.insert(c.var.user, type, values, options),
      ),
    );
  });
  router.patch('/composite/sobjects', (c) => {
    const { records, allOrNone } = readRecords(c);
    const prepared = records.map((record) => prepare(c, org, record));
    const options = writeOptionsOf(c);
    const exceeded = findExceeded(org, prepared);
    return c.json(
      runAll(org, allOrNone, prepared, ({ type, values, id }) => {
        if (id === undefined) return refused(null, ID_MISSING);
        const error = exceeded.get(type);
        if (error !== undefined) return refused(readId(id), error);
        return org.store.update(c.var.user, type, id, values, options);
      }),
    );
  });
  router.delete('/composite/sobjects', (c) => {
    const ids = (c.req.query('ids') ?? '').split(',').map((id) => id.trim());
    checkCount(ids.length, MAX_RECORDS);
    const allOrNone = c.req.query('allOrNone') === 'true';
    return c.json(runAll(org, allOrNone, ids, (id) => removeById(c, org, id)));
  });
  router.get('/composite/sobjects/:type', (c) => {
    const ids = (c.req.query('ids') ?? '').split(',');
    const fields = (c.req.query('fields') ?? '').split(',');
    return c.json(retrieve(c, org, c.req.param('type'), { ids, fields }));
  });
  router.post('/composite/sobjects/:type', (c) =>
    c.json(retrieve(c, org, c.req.param('type'), readJson(retrieveSchema, c.var.body))),
  );
  router.patch('/composite/sobjects/:type/:field', (c) => upsertAll(c, org));
  return router;
}

interface Prepared {
  type: ObjectType;
  id: string | undefined;
  values: Readonly<Record<string, unknown>>;
}

function readRecords(c: SalesforceContext) {
  const { records, allOrNone } = readJson(writeSchema, c.var.body);
  checkCount(records.length, MAX_RECORDS);
  const types = records.map(({ attributes }) => attributes.type.toLowerCase());
  const chunks = types.filter((type, index) => type !== types[index - 1]).length;
  if (chunks > MAX_CHUNKS) {
    throw new SalesforceError(
      400,
      'LIMIT_EXCEEDED',
      `The number of chunks is more than ${MAX_CHUNKS}`,
    );
  }
  return { records, allOrNone };
}

function checkCount(count: number, most: number): void {
  if (count <= most) return;
  throw new SalesforceError(
    400,
    'LIMIT_EXCEEDED',
    `record limit reached. cannot submit more than ${most} records into this operation`,
  );
}

function prepare(
  c: SalesforceContext,
  org: Org,
  record: z.output<typeof writeSchema>['records'][number],
): Prepared {
  const type = dataType(org, record.attributes.type);
  const id = Object.entries(record).find(([name]) => name.toLowerCase() === 'id')?.[1];
  return {
    type,
    id: typeof id === 'string' ? id : undefined,
    values: readJsonValues(org.access, c.var.user, type, record),
  };
}

/** Returns the objects whose triggers exceed a limit. For triggers, the records of one object form one transaction. */
function findExceeded(org: Org, prepared: readonly Prepared[]): Map<ObjectType, RecordError> {
  const exceeded = new Map<ObjectType, RecordError>();
  for (const [type, records] of Map.groupBy(prepared, (record) => record.type)) {
    const error = org.rules.exceed(
      type,
      records.map(({ id }) => readId(id ?? '') ?? ''),
    );
    if (error !== undefined) exceeded.set(type, error);
  }
  return exceeded;
}

function dataType(org: Org, name: string): ObjectType {
  const type = org.catalogue.get(name);
  if (type.toolingOnly) throw unknownType(name);
  return type;
}

/** Runs the work for all items in order. With `allOrNone`, one rejected item rolls back all items. */
function runAll<Item>(
  org: Org,
  allOrNone: boolean,
  items: readonly Item[],
  work: (item: Item) => SaveResult,
): object[] {
  const results = org.store.transact(
    () => items.map(work),
    (all) => !allOrNone || all.every(({ success }) => success),
  );
  const isTakenBack = allOrNone && results.some(({ success }) => !success);
  return results.map((result) => showResult(isTakenBack && result.success ? TAKEN_BACK : result));
}

/** Returns the result for the response. For a rejected record, it contains no ID. */
function showResult({ id, ...result }: SaveResult): object {
  return result.success ? { id, ...result } : result;
}

function removeById(c: SalesforceContext, org: Org, text: string): SaveResult {
  const id = readId(text);
  const type = id === null ? undefined : org.catalogue.ofId(id);
  if (id === null || type === undefined) {
    return refused(null, recordError('MALFORMED_ID', `malformed id ${text}`));
  }
  return org.store.remove(c.var.user, type, id);
}

/** Returns records in the order of the IDs. If a record does not exist, returns null in its place. */
function retrieve(
  c: SalesforceContext,
  org: Org,
  typeName: string,
  { ids, fields }: z.output<typeof retrieveSchema>,
) {
  const type = dataType(org, typeName);
  checkCount(ids.length, c.req.method === 'GET' ? MAX_RECORDS : MAX_RETRIEVED);
  const known = ids.map((id) => readId(id.trim()) ?? malformedId(id));
  const names = new Map(['Id', ...fields].map((name) => [name.trim().toLowerCase(), name.trim()]));
  const list = known.map((id) => `'${id}'`).join(', ');
  const soql = `SELECT ${[...names.values()].join(', ')} FROM ${type.name} WHERE Id IN (${list})`;
  const found = runQuery(org, soql, c.var.user, { basePath: c.var.basePath });
  const byId = new Map(found.records(0, found.total).map((record) => [record['Id'], record]));
  return known.map((id) => byId.get(id) ?? null);
}

function malformedId(id: string): never {
  throw new SalesforceError(400, 'MALFORMED_ID', `malformed id ${id}`);
}

/** Creates or changes records that are identified by a field's value. */
function upsertAll(c: SalesforceContext, org: Org): Response {
  const { user } = c.var;
  const type = dataType(org, c.req.param('type') ?? '');
  const field = identifyingField(type, c.req.param('field') ?? '');
  const { records, allOrNone } = readRecords(c);
  const prepared = records.map((record) => prepare(c, org, record));
  const options = writeOptionsOf(c);
  const created: boolean[] = [];
  const results = runAll(org, allOrNone, prepared, ({ id, values }) => {
    const key = field.type === 'id' ? id : values[field.name];
    const present = tryFind(() => findByField(org, user, type, field, key));
    created.push(present === undefined);
    if (present instanceof AmbiguousKeyError) return refused(null, ambiguousKey(key));
    return present === undefined
      ? org.store.insert(user, type, values, options)
      : org.store.update(user, type, present, values, options);
  });
  return c.json(
    results.map((result, index) =>
      'id' in result ? { ...result, created: created[index] } : result,
    ),
  );
}

/** Returns the ID or the error. The error applies only to this record of the collection. */
function tryFind(find: () => string | undefined): string | undefined | AmbiguousKeyError {
  try {
    return find();
  } catch (error) {
    if (error instanceof AmbiguousKeyError) return error;
    throw error;
  }
}

function ambiguousKey(key: unknown) {
  const message = `Duplicate external id specified: ${String(key)}`;
  return recordError('DUPLICATE_EXTERNAL_ID', message);
}

const ID_MISSING = recordError('MISSING_ARGUMENT', 'Id not specified in an update call');

const TAKEN_BACK: SaveResult = refused(
  null,
  recordError(
    'ALL_OR_NONE_OPERATION_ROLLED_BACK',
    'Record rolled back because not all records were valid and the request was using AllOrNone header',
  ),
);
