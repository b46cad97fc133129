/** The routes of `/crm/objects/{version}/{objectType}/batch` for batches of up to a hundred records, and the search. */

import type { Hono } from 'hono';
import { z } from 'zod';
import type { Account } from '../account/account.ts';
import {
  createRecords,
  type Failure,
  findRecord,
  notFound,
  updateRecords,
  upsertRecords,
  type WriteOutcome,
  type Written,
} from '../account/record-writes.ts';
import { validationError } from '../core/errors.ts';
import type { ObjectType } from '../core/object-type.ts';
import { type InputValues, inputValuesSchema } from '../properties/property-values.ts';
import { checkSensitiveWrite } from '../properties/sensitive-data.ts';
import { readTies, tiesSchema } from '../records/association-types.ts';
import { historyOf } from '../records/history.ts';
import type { StoredRecord } from '../records/record.ts';
import {
  askedNames,
  recordBody,
  type ShownNames,
  writtenBody,
  writtenNames,
} from '../records/record-body.ts';
import {
  createRouter,
  type HubspotContext,
  type HubspotEnv,
  readBody,
  readQuery,
} from '../requests/context.ts';
import { typeInPath } from '../requests/type-in-path.ts';
import { checkBodyLength, readSearch, searchSchema } from '../search/search-request.ts';
import { batchAnswer } from './batch-answer.ts';
import { writerOf } from './record-routes.ts';

/** The maximum number of records in a batch, and the maximum number if the history is requested. */
const MAX_INPUTS = 100;
const MAX_INPUTS_WITH_HISTORY = 50;

/** Returns the routes for batches of records of one type. */
export function batchRoutes(account: Account): Hono<HubspotEnv> {
  const { store, clock } = account;
  const router = createRouter();
  router.post('/batch/read', async (c) => {
    const startedAtMs = clock();
    const type = typeInPath(c, 'read');
    const body = await readBody(c, readBatchBody);
    const { archived } = readQuery(c, archivedQuery);
    const history = body.propertiesWithHistory;
    checkCount(body.inputs, history.length > 0 ? MAX_INPUTS_WITH_HISTORY : MAX_INPUTS);
    const { unreadable, readable } = sortInputs(account, type, body.inputs);
    const { records, missing } = findAll(account, type, { ...body, inputs: readable, archived });
    const names = askedNames(account.properties, type, body.properties, c.var.grant.scopes);
    const results = inNoOrder(records).map((record) => ({
      ...recordBody(type, record, names),
      ...(history.length === 0
        ? {}
        : { propertiesWithHistory: historyOf(record, store.versions(type, record.id), history) }),
    }));
    const failures = missing.length === 0 ? [] : [notFound(type, missing)];
    failures.push(...unreadable);
    return batchAnswer({ results, failures, startedAtMs, completedAtMs: clock() });
  });
  router.post('/batch/update', async (c) => {
    const startedAtMs = clock();
    const type = typeInPath(c, 'write');
    const { inputs } = await readInputs(c, updateInput);
    checkWrites(account, c, type, inputs);
    const outcome = updateRecords(account, type, inputs, writerOf(c));
    return answerWrites(account, type, outcome, startedAtMs);
  });
  router.post('/batch/create', async (c) => {
    const startedAtMs = clock();
    const type = typeInPath(c, 'write');
    const { inputs } = await readInputs(c, createInput);
    checkWrites(account, c, type, inputs);
    const orders = inputs.map(({ associations, ...input }) => ({
      ...input,
      ties: readTies(associations),
    }));
    const outcome = createRecords(account, type, orders, writerOf(c));
    return answerWrites(account, type, outcome, startedAtMs, 201);
  });
  router.post('/batch/upsert', async (c) => {
    const startedAtMs = clock();
    const type = typeInPath(c, 'write');
    const { inputs } = await readInputs(c, updateInput);
    checkWrites(account, c, type, inputs);
    const outcome = upsertRecords(account, type, inputs, writerOf(c));
    return answerWrites(account, type, outcome, startedAtMs);
  });
  router.post('/batch/archive', async (c) => {
    const type = typeInPath(c, 'write');
    const { inputs } = await readInputs(c, idInput);
    store.transact(() => {
      for (const { id } of inputs) store.archive(type, id, writerOf(c).author);
    });
    return c.body(null, 204);
  });
  router.post('/search', async (c) => {
    const type = typeInPath(c, 'read');
    checkBodyLength(await c.req.text());
    const search = readSearch(await readBody(c, searchSchema));
    const { total, records } = account.search(type, search);
    const names = askedNames(account.properties, type, search.properties, c.var.grant.scopes);
    const end = search.offset + records.length;
    return c.json({
      total,
      results: records.map((record) => recordBody(type, record, names)),
      ...(end < total && records.length > 0 ? { paging: { next: { after: `${end}` } } } : {}),
    });
  });
  return router;
}

/**
 * Throws if the request contains a value of Sensitive Data and the token lacks the scope. HubSpot then rejects the
 * whole request.
 */
function checkWrites(
  { properties }: Account,
  c: HubspotContext,
  type: ObjectType,
  inputs: readonly { properties: InputValues }[],
): void {
  const names = new Set(inputs.flatMap((input) => Object.keys(input.properties)));
  checkSensitiveWrite(properties, type, [...names], c.var.grant.scopes);
}

const id = z.union([z.string(), z.number()]).transform(String);
const idInput = z.object({ id });
const idProperty = z.string().optional();
const objectWriteTraceId = z.string().optional();
const properties = inputValuesSchema;

const updateInput = idInput.extend({ idProperty, objectWriteTraceId, properties });
const createInput = z.object({ objectWriteTraceId, properties, associations: tiesSchema });

const archivedQuery = z.object({
  archived: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true'),
});

const nameList = z.array(z.string()).default([]);
const readBatchBody = z.object({
  inputs: z.array(idInput),
  idProperty,
  properties: nameList,
  propertiesWithHistory: nameList,
});

async function readInputs<Input extends z.ZodType>(c: HubspotContext, input: Input) {
  const body = await readBody(c, z.object({ inputs: z.array(input) }));
  checkCount(body.inputs, MAX_INPUTS);
  return body;
}

function checkCount(inputs: readonly unknown[], most: number): void {
  if (inputs.length === 0) throw validationError('The batch has no inputs.');
  if (inputs.length <= most) return;
  throw validationError(`The batch has ${inputs.length} inputs; the maximum is ${most}.`);
}

/** Applies rules that make reading single records fail. Each failure has its own error. */
function sortInputs(
  { rules }: Account,
  type: ObjectType,
  inputs: z.output<typeof readBatchBody>['inputs'],
) {
  const unreadable: Failure[] = [];
  const readable = inputs.filter(({ id: name }) => {
    const error = rules.unreadable(type, name);
    if (error !== undefined) unreadable.push({ ids: [name], error });
    return error === undefined;
  });
  return { unreadable, readable };
}

function findAll(
  account: Account,
  type: ObjectType,
  {
    inputs,
    idProperty: property,
    archived,
  }: z.output<typeof readBatchBody> & { archived: boolean },
) {
  const records = new Map<string, StoredRecord>();
  const missing: string[] = [];
  for (const { id: name } of inputs) {
    const record = archived
      ? account.store.read(type, name)
      : findRecord(account, type, { id: name, idProperty: property });
    if (record !== undefined && archived === (record.archivedAtMs !== null)) {
      records.set(record.id, record);
    } else {
      missing.push(name);
    }
  }
  return { records: [...records.values()], missing };
}

function answerWrites(
  { clock }: Account,
  type: ObjectType,
  { written, failures }: WriteOutcome,
  startedAtMs: number,
  status = 200,
): Response {
  const namesOf = rememberNames(type);
  const results = inNoOrder(written).map((one) => showWritten(type, one, namesOf(one.names)));
  return batchAnswer({ results, failures, startedAtMs, completedAtMs: clock() }, status);
}

/** The names are cached, because most records of a batch set the same properties. */
function rememberNames(type: ObjectType): (written: readonly string[]) => ShownNames {
  const known = new Map<string, ShownNames>();
  return (written) => {
    const key = written.join();
    const names = known.get(key) ?? writtenNames(type, written);
    known.set(key, names);
    return names;
  };
}

function showWritten(
  type: ObjectType,
  { record, isNew, objectWriteTraceId }: Written,
  names: ShownNames,
) {
  return {
    ...writtenBody(type, record, names),
    ...(isNew === undefined ? {} : { new: isNew }),
    ...(objectWriteTraceId === undefined ? {} : { objectWriteTraceId }),
  };
}

/** HubSpot does not guarantee the order of a batch's results, so the stand-in returns them in an unusual order. */
function inNoOrder<Item>(items: readonly Item[]): Item[] {
  return items.toReversed();
}
