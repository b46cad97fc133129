/** The routes of `/crm/objects/{version}/{objectType}` for single records and for lists of records. */

import type { Hono } from 'hono';
import { z } from 'zod';
import type { Account } from '../account/account.ts';
import { mergeRecords } from '../account/merge-records.ts';
import {
  createRecords,
  findRecord,
  updateRecords,
  type WriteOutcome,
  type Writer,
} from '../account/record-writes.ts';
import { unknownRecord, validationError } from '../core/errors.ts';
import type { ObjectType } from '../core/object-type.ts';
import { inputValuesSchema } from '../properties/property-values.ts';
import { checkSensitiveWrite } from '../properties/sensitive-data.ts';
import { associationsBody, readTies, tiesSchema } from '../records/association-types.ts';
import { historyOf } from '../records/history.ts';
import type { StoredRecord } from '../records/record.ts';
import {
  askedNames,
  recordBody,
  type ShownNames,
  shownNames,
  writtenBody,
  writtenNames,
} from '../records/record-body.ts';
import type { Author } from '../records/record-store.ts';
import {
  createRouter,
  type HubspotContext,
  type HubspotEnv,
  isStrictVersion,
  readBody,
  readNames,
  readQuery,
} from '../requests/context.ts';
import { typeInPath } from '../requests/type-in-path.ts';

const DEFAULT_PAGE = 10;
const MAX_PAGE = 100;
/**
 * The maximum number of records on a page if the history is requested. Reading a record with its history takes longer.
 */
const MAX_PAGE_WITH_HISTORY = 50;

const idPropertyQuery = z.object({ idProperty: z.string().optional() });
const propertiesBody = z.object({ properties: inputValuesSchema });

/** Returns the routes for single records of a type. */
export function recordRoutes(account: Account): Hono<HubspotEnv> {
  const { store } = account;
  const router = createRouter();
  router.get('/', (c) => {
    const type = typeInPath(c, 'read');
    const { limit, after, archived } = readQuery(c, pageQuery);
    const view = readView(account, c, type);
    if (view.history.length > 0 && limit > MAX_PAGE_WITH_HISTORY) {
      throw validationError(`At most ${MAX_PAGE_WITH_HISTORY} records can be read with history.`);
    }
    const found = store.list(type, { afterId: after, limit: limit + 1, archived });
    const page = found.slice(0, limit);
    return c.json({
      results: page.map((record) => showRecord(account, type, record, view)),
      ...nextPage(c, found.length > limit ? page.at(-1) : undefined),
    });
  });
  router.get('/:objectId', (c) => {
    const type = typeInPath(c, 'read');
    const { archived } = readQuery(c, archivedQuery);
    const record = findOne(account, c, type, archived);
    return c.json(showRecord(account, type, record, readView(account, c, type)));
  });
  router.post('/', async (c) => {
    const type = typeInPath(c, 'write');
    const { properties, associations } = await readBody(c, createBody);
    const names = Object.keys(properties);
    checkSensitiveWrite(account.properties, type, names, c.var.grant.scopes);
    const input = { properties, ties: readTies(associations) };
    return c.json(onlyRecord(type, createRecords(account, type, [input], writerOf(c))), 201);
  });
  router.patch('/:objectId', async (c) => {
    const type = typeInPath(c, 'write');
    const { properties } = await readBody(c, propertiesBody);
    const names = Object.keys(properties);
    checkSensitiveWrite(account.properties, type, names, c.var.grant.scopes);
    const { id } = findOne(account, c, type, false);
    return c.json(
      onlyRecord(type, updateRecords(account, type, [{ id, properties }], writerOf(c))),
    );
  });
  router.delete('/:objectId', (c) => {
    const type = typeInPath(c, 'write');
    store.archive(type, c.req.param('objectId'), writerOf(c).author);
    return c.body(null, 204);
  });
  router.post('/merge', async (c) => {
    const type = typeInPath(c, 'write');
    const { primaryObjectId: primaryId, objectIdToMerge: otherId } = await readBody(c, mergeBody);
    const author: Author = { ...writerOf(c).author, source: 'MERGE_OBJECTS' };
    const merged = mergeRecords(account, type, { primaryId, otherId }, author);
    if (merged === undefined) throw unknownRecord(`${primaryId}, ${otherId}`);
    return c.json(writtenBody(type, merged, shownNames(type, Object.keys(merged.values))));
  });
  router.post('/gdpr-delete', async (c) => {
    const type = typeInPath(c, 'write');
    const { objectId: id, idProperty } = await readBody(c, eraseBody);
    const record = findRecord(account, type, { id, idProperty });
    if (record !== undefined) store.erase(type, record.id, writerOf(c).author);
    return c.body(null, 204);
  });
  return router;
}

/** Returns the author of the changes that a request makes. */
export function writerOf(c: HubspotContext): Writer {
  const author: Author = { source: 'INTEGRATION', sourceId: `${c.var.grant.appId}` };
  return { author, isStrict: isStrictVersion(c) };
}

const flag = z
  .enum(['true', 'false'])
  .default('false')
  .transform((text) => text === 'true');
const archivedQuery = z.object({ archived: flag });

const pageQuery = archivedQuery.extend({
  limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(DEFAULT_PAGE),
  after: z.string().regex(/^\d+$/).default('0'),
});

const createBody = propertiesBody.extend({ associations: tiesSchema });

const id = z.union([z.string(), z.number()]).transform(String);
const mergeBody = z.object({ primaryObjectId: id, objectIdToMerge: id });
const eraseBody = z.object({ objectId: id, idProperty: z.string().optional() });

/** The parts of a record that a client can request. */
interface View {
  names: ShownNames;
  history: readonly string[];
  associations: readonly string[];
}

function readView({ properties }: Account, c: HubspotContext, type: ObjectType): View {
  return {
    names: askedNames(properties, type, readNames(c, 'properties'), c.var.grant.scopes),
    history: readNames(c, 'propertiesWithHistory'),
    associations: readNames(c, 'associations'),
  };
}

function showRecord(account: Account, type: ObjectType, record: StoredRecord, view: View) {
  const { history, associations } = view;
  const versions = history.length === 0 ? [] : account.store.versions(type, record.id);
  return {
    ...recordBody(type, record, view.names),
    ...(history.length === 0
      ? {}
      : { propertiesWithHistory: historyOf(record, versions, history) }),
    ...associationsBody(account, type, record.id, associations),
  };
}

function nextPage(c: HubspotContext, last: StoredRecord | undefined) {
  if (last === undefined) return {};
  const link = new URL(c.req.url);
  link.searchParams.set('after', last.id);
  return { paging: { next: { after: last.id, link: link.href } } };
}

function findOne(
  account: Account,
  c: HubspotContext,
  type: ObjectType,
  archived: boolean,
): StoredRecord {
  const name = c.req.param('objectId') ?? '';
  const { idProperty } = readQuery(c, idPropertyQuery);
  const record = archived
    ? account.store.read(type, name)
    : findRecord(account, type, { id: name, idProperty });
  if (record !== undefined && archived === (record.archivedAtMs !== null)) return record;
  throw unknownRecord(name);
}

function onlyRecord(type: ObjectType, { written, failures }: WriteOutcome) {
  const [failure] = failures;
  if (failure !== undefined) throw failure.error;
  const [one] = written;
  if (one === undefined) throw new Error('A write of one record came to nothing.');
  return writtenBody(type, one.record, writtenNames(type, one.names));
}
