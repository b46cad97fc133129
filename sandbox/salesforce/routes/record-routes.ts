/** The resource `/sobjects` for descriptions and single records. */

import { Hono } from 'hono';
import { notFound, refused, SalesforceError, saved, toRequestError } from '../core/errors.ts';
import { hasPrefix, readId } from '../core/ids.ts';
import { describeBriefly, describeLayouts, describeObject } from '../metadata/describe.ts';
import type { ObjectType } from '../metadata/object-type.ts';
import type { Org } from '../org/org.ts';
import { runQuery } from '../query/query.ts';
import type { SalesforceContext, SalesforceEnv } from '../requests/context.ts';
import { writeOptionsOf } from '../requests/context.ts';
import { findByField, identifyingField } from '../requests/external-id.ts';
import { jsonRecordSchema, readJson, readJsonValues } from '../requests/json-values.ts';
import { typeInPath } from '../requests/type-in-path.ts';
import { replicationRoutes } from './replication-routes.ts';

/** Returns the resources for objects and records. */
export function recordRoutes(org: Org): Hono<SalesforceEnv> {
  const router = new Hono<SalesforceEnv>();
  router.get('/sobjects', (c) => {
    const types = org.catalogue
      .list()
      .filter((type) => !type.toolingOnly && org.access.canReadType(c.var.user, type));
    return c.json({
      encoding: 'UTF-8',
      maxBatchSize: 200,
      sobjects: types.map((type) => describeBriefly(type, c.var.basePath)),
    });
  });
  router.get('/sobjects/:type', (c) => {
    const type = typeInPath(org, c.var.user, c.req.param('type'));
    return c.json({ objectDescribe: describeBriefly(type, c.var.basePath), recentItems: [] });
  });
  router.get('/sobjects/:type/describe', (c) => {
    const type = typeInPath(org, c.var.user, c.req.param('type'));
    return c.json(describeObject(org, type, c.var.user, c.var.basePath));
  });
  router.get('/sobjects/:type/describe/layouts', (c) => {
    const type = typeInPath(org, c.var.user, c.req.param('type'));
    return c.json(describeLayouts(org, type, c.var.user));
  });
  // Further descriptions and actions do not exist. Without these routes, the words in the path would be treated as
  // external IDs.
  router.get('/sobjects/:type/describe/:part', () => {
    throw notFound();
  });
  router.all('/sobjects/:type/quickActions/:name?', () => {
    throw notFound();
  });
  router.route('/', replicationRoutes(org));
  router.post('/sobjects/:type', (c) =>
    create(c, org, typeInPath(org, c.var.user, c.req.param('type'))),
  );
  router.get('/sobjects/:type/:id', (c) => {
    const type = typeInPath(org, c.var.user, c.req.param('type'));
    return c.json(read(c, org, type, idOf(type, c.req.param('id'))));
  });
  router.patch('/sobjects/:type/:id', (c) => {
    const type = typeInPath(org, c.var.user, c.req.param('type'));
    return update(c, org, type, idOf(type, c.req.param('id')));
  });
  router.delete('/sobjects/:type/:id', (c) => {
    const type = typeInPath(org, c.var.user, c.req.param('type'));
    const result = org.store.remove(c.var.user, type, idOf(type, c.req.param('id')));
    if (!result.success) throw toRequestError(result);
    return c.body(null, 204);
  });
  router.get('/sobjects/:type/:field/:value', (c) => {
    const { type, id } = externalKey(c, org);
    if (id === undefined) throw notFound();
    return c.json(read(c, org, type, id));
  });
  router.patch('/sobjects/:type/:field/:value', (c) => upsert(c, org));
  return router;
}

/** Returns the 18-character form of an ID in a path. */
function idOf(type: ObjectType, text: string): string {
  const id = readId(text);
  if (id === null) {
    throw new SalesforceError(
      404,
      'NOT_FOUND',
      `Provided external ID field does not exist or is not accessible: ${text}`,
    );
  }
  if (!hasPrefix(id, type.keyPrefix)) throw notFound();
  return id;
}

function create(c: SalesforceContext, org: Org, type: ObjectType): Response {
  if (!type.createable) throw notAllowed(c, 'GET,HEAD');
  const record = readJson(jsonRecordSchema, c.var.body);
  const values = readJsonValues(org.access, c.var.user, type, record);
  const result = org.store.insert(c.var.user, type, values, writeOptionsOf(c));
  if (!result.success) throw toRequestError(result);
  return c.json(result, 201);
}

/** Reads all fields that the user can see, or the fields in `?fields=`. */
function read(c: SalesforceContext, org: Org, type: ObjectType, id: string) {
  const row = org.store.read(type, id);
  if (row === undefined) throw notFound();
  if (row['IsDeleted'] === 1) {
    throw new SalesforceError(404, 'ENTITY_IS_DELETED', 'entity is deleted');
  }
  const asked = c.req
    .query('fields')
    ?.split(',')
    .map((name) => name.trim());
  const { user, basePath } = c.var;
  const all = type.fields
    .filter((field) => org.access.canRead(user, type, field))
    .map(({ name }) => name);
  const soql = `SELECT ${(asked ?? all).join(', ')} FROM ${type.name} WHERE Id = '${id}'`;
  const [record] = runQuery(org, soql, user, { basePath, tooling: true }).records(0, 1);
  if (record === undefined) throw notFound();
  return record;
}

function update(c: SalesforceContext, org: Org, type: ObjectType, id: string): Response {
  if (!type.updateable) throw notAllowed(c, 'GET,HEAD,DELETE');
  if (org.store.read(type, id) === undefined) throw notFound();
  const record = readJson(jsonRecordSchema, c.var.body);
  const values = readJsonValues(org.access, c.var.user, type, record);
  const exceeded = org.rules.exceed(type, [readId(id) ?? '']);
  const result =
    exceeded === undefined
      ? org.store.update(c.var.user, type, id, values, writeOptionsOf(c))
      : refused(id, exceeded);
  if (!result.success) throw toRequestError(result);
  return c.body(null, 204);
}

function upsert(c: SalesforceContext, org: Org): Response {
  const { type, field, value, id } = externalKey(c, org);
  if (id !== undefined) {
    update(c, org, type, id);
    return c.json({ ...saved(id), created: false });
  }
  if (field.type === 'id') throw notFound();
  const record = readJson(jsonRecordSchema, c.var.body);
  const values = readJsonValues(org.access, c.var.user, type, { ...record, [field.name]: value });
  const result = org.store.insert(c.var.user, type, values, writeOptionsOf(c));
  if (!result.success) throw toRequestError(result);
  return c.json({ ...result, created: true }, 201);
}

/**
 * Returns the object, the field and the value in `/sobjects/{type}/{field}/{value}`, and the ID of the record if it
 * exists.
 */
function externalKey(c: SalesforceContext, org: Org) {
  const type = typeInPath(org, c.var.user, c.req.param('type') ?? '');
  const field = identifyingField(type, c.req.param('field') ?? '');
  const value = c.req.param('value') ?? '';
  return { type, field, value, id: findByField(org, c.var.user, type, field, value) };
}

function notAllowed(c: SalesforceContext, allowed: string): SalesforceError {
  const message = `HTTP Method '${c.req.method}' not allowed. Allowed are ${allowed}`;
  return new SalesforceError(405, 'METHOD_NOT_ALLOWED', message);
}
