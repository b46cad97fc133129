/**
 * Routes for associations between records. The routes for a single association are below the record's routes. The
 * routes for many associations are at `/crm/associations`.
 */

import type { Hono } from 'hono';
import { z } from 'zod';
import { type Account, followPrimaryCompany } from '../account/account.ts';
import { type Failure, notFound } from '../account/record-writes.ts';
import { HubspotError, unknownRecord, validationError } from '../core/errors.ts';
import { CONTACTS, findObjectType, type ObjectType, otherType } from '../core/object-type.ts';
import {
  associationSpecSchema,
  kindOf,
  labelledSpec,
  labelsOf,
  plainSpec,
} from '../records/association-types.ts';
import type { Association, AssociationKind } from '../records/associations.ts';
import {
  createRouter,
  type HubspotContext,
  type HubspotEnv,
  readBody,
  readQuery,
} from '../requests/context.ts';
import { checkScopes } from '../requests/scopes.ts';
import { batchAnswer } from './batch-answer.ts';
import { writerOf } from './record-routes.ts';

const DEFAULT_PAGE = 500;
/** The maximum number of associations of one record in one response. */
export const MAX_PAGE = 500;
/** The maximum number of records when a batch is read, and of associations when a batch is written. */
export const MAX_INPUTS_READ = 1000;
export const MAX_INPUTS_WRITTEN = 2000;

/** Returns the routes for the associations of one record, which are added next to the record routes. */
export function recordAssociationRoutes(account: Account): Hono<HubspotEnv> {
  const { associations } = account;
  const router = createRouter();
  router.get('/:objectId/associations/:toType', (c) => {
    const { from } = typesInPath(c, 'read');
    const { limit, after } = readQuery(c, pageQuery);
    const id = activeId(account, from, c.req.param('objectId'));
    const { page, next } = pageOf(associations.list(from, id), after, limit);
    return c.json({
      results: page.map((tie) => toLabelled(from, tie)),
      ...(next === undefined ? {} : { paging: { next: { after: next } } }),
    });
  });
  router.put('/:objectId/associations/default/:toType/:toId', (c) => {
    const { from } = typesInPath(c, 'write');
    const pair = pairInPath(account, c, from);
    tie(account, c, pair, false);
    const now = account.clock();
    return batchAnswer({
      results: defaultResults(from, pair),
      failures: [],
      startedAtMs: now,
      completedAtMs: now,
    });
  });
  router.put('/:objectId/associations/:toType/:toId', async (c) => {
    const { from } = typesInPath(c, 'write');
    const kinds = readKinds(await readBody(c, z.array(associationSpecSchema)));
    const pair = pairInPath(account, c, from);
    tie(account, c, pair, kinds.includes('primary'));
    return c.json(toPairBody(from, pair, kinds), 201);
  });
  router.delete('/:objectId/associations/:toType/:toId', (c) => {
    const { from } = typesInPath(c, 'write');
    untie(account, c, toPair(from, c.req.param('objectId'), c.req.param('toId')));
    return c.body(null, 204);
  });
  return router;
}

/** Returns the routes that list the kinds of associations. */
export function associationLabelRoutes(): Hono<HubspotEnv> {
  const router = createRouter();
  router.get('/labels', (c) => c.json({ results: labelsOf(typesInPath(c, 'read').from) }));
  return router;
}

/**
 * The routes for many associations at once. In v4, adding associations returns 201 and removing associations returns
 * 204. Other versions return different statuses.
 */
export function associationBatchRoutes(
  account: Account,
  { answersBodies }: { answersBodies: boolean },
): Hono<HubspotEnv> {
  const { associations, clock } = account;
  const router = createRouter();

  function answer(results: readonly unknown[], failures: readonly Failure[], status = 200) {
    return batchAnswer({ results, failures, startedAtMs: clock(), completedAtMs: clock() }, status);
  }

  router.post('/batch/read', async (c) => {
    const { from } = typesInPath(c, 'read');
    const { inputs } = await readBody(c, readBatchBody);
    checkCount(inputs, MAX_INPUTS_READ);
    const failures: Failure[] = [];
    const results = inputs.flatMap(({ id, after }) => {
      const { page, next } = pageOf(associations.list(from, id), after, MAX_PAGE);
      if (page.length === 0) failures.push(nothingTied(from, id));
      const paging = next === undefined ? {} : { paging: { next: { after: next } } };
      const to = page.map((one) => toLabelled(from, one));
      return page.length === 0 ? [] : [{ from: { id }, to, ...paging }];
    });
    return answer(results, failures);
  });
  router.post('/batch/create', async (c) => {
    const { from } = typesInPath(c, 'write');
    const { inputs } = await readBody(c, createBatchBody);
    checkCount(inputs, MAX_INPUTS_WRITTEN);
    const { present, failures } = sortOut(account, from, inputs);
    const results = present.map(({ types, pair }) => {
      const kinds = readKinds(types);
      tie(account, c, pair, kinds.includes('primary'));
      return toPairBody(from, pair, kinds);
    });
    return answer(results, failures, c.req.path.includes('/2026-09/') ? 200 : 201);
  });
  router.post('/batch/associate/default', async (c) => {
    const { from } = typesInPath(c, 'write');
    const { inputs } = await readBody(c, defaultBatchBody);
    checkCount(inputs, MAX_INPUTS_WRITTEN);
    const { present, failures } = sortOut(account, from, inputs);
    const results = present.flatMap(({ pair }) => {
      tie(account, c, pair, false);
      return defaultResults(from, pair);
    });
    return answer(results, failures);
  });
  router.post('/batch/archive', async (c) => {
    const { from } = typesInPath(c, 'write');
    const { inputs } = await readBody(c, archiveBatchBody);
    checkCount(inputs, MAX_INPUTS_WRITTEN);
    for (const { from: one, to } of inputs) {
      for (const { id } of to) untie(account, c, toPair(from, one.id, id));
    }
    return answersBodies ? answer([], []) : c.body(null, 204);
  });
  router.post('/batch/labels/archive', async (c) => {
    const { from } = typesInPath(c, 'write');
    const { inputs } = await readBody(c, createBatchBody);
    checkCount(inputs, MAX_INPUTS_WRITTEN);
    for (const { from: one, to, types } of inputs) {
      untie(account, c, toPair(from, one.id, to.id), readKinds(types));
    }
    return answersBodies ? answer([], []) : c.body(null, 204);
  });
  return router;
}

const id = z.union([z.string(), z.number()]).transform(String);

/** One of the two records of an association, in the form that clients send. */
export const end = z.object({ id });

const pageQuery = z.object({
  limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(DEFAULT_PAGE),
  after: z.string().optional(),
});

const readBatchBody = z.object({
  inputs: z.array(z.object({ id, after: z.string().optional() })),
});
const defaultBatchBody = z.object({ inputs: z.array(z.object({ from: end, to: end })) });
const createBatchBody = z.object({
  inputs: z.array(z.object({ from: end, to: end, types: z.array(associationSpecSchema) })),
});
const archiveBatchBody = z.object({
  inputs: z.array(z.object({ from: end, to: z.array(end) })),
});

export interface Pair {
  contactId: string;
  companyId: string;
}

/** Returns the pair of a contact and a company. `from` is the type of the record that the request names first. */
export function toPair(from: ObjectType, fromId: string, toId: string): Pair {
  return from === CONTACTS
    ? { contactId: fromId, companyId: toId }
    : { contactId: toId, companyId: fromId };
}

/** Returns the IDs of a pair in the order in which the request names them. */
function endsOf(from: ObjectType, { contactId, companyId }: Pair) {
  const [fromId, toId] = from === CONTACTS ? [contactId, companyId] : [companyId, contactId];
  return { fromId, toId };
}

/** Only contacts and companies can be associated. */
export function typesInPath(c: HubspotContext, right: 'read' | 'write') {
  const from = findObjectType(c.req.param('objectType') ?? c.req.param('fromType') ?? '');
  const to = findObjectType(c.req.param('toType') ?? '');
  if (to !== otherType(from)) {
    throw validationError(`Records of ${from.name} are not associated with ${to.name} here.`);
  }
  checkScopes(c.var.grant.scopes, [`crm.objects.${from.name}.${right}`]);
  return { from, to };
}

function pairInPath(account: Account, c: HubspotContext, from: ObjectType): Pair {
  const fromId = activeId(account, from, c.req.param('objectId') ?? '');
  const toId = activeId(account, otherType(from), c.req.param('toId') ?? '');
  return toPair(from, fromId, toId);
}

function activeId({ store }: Account, type: ObjectType, name: string): string {
  const record = store.read(type, name);
  if (record?.archivedAtMs === null) return record.id;
  throw unknownRecord(name);
}

/**
 * Associates a contact with a company. The company becomes the primary company if it is the contact's first company or
 * if `isPrimary` is set.
 */
export function tie(account: Account, c: HubspotContext, pair: Pair, isPrimary: boolean): void {
  account.store.transact(() => {
    account.associations.add(pair.contactId, pair.companyId, isPrimary);
    followPrimaryCompany(account, pair.contactId, writerOf(c).author);
  });
}

/** Removes an association, or only some of its kinds. */
export function untie(
  account: Account,
  c: HubspotContext,
  pair: Pair,
  kinds?: readonly AssociationKind[],
): void {
  account.store.transact(() => {
    account.associations.remove(pair.contactId, pair.companyId, kinds);
    followPrimaryCompany(account, pair.contactId, writerOf(c).author);
  });
}

/** Separates valid inputs from inputs with records that do not exist. */
export function sortOut<Input extends { from: { id: string }; to: { id: string } }>(
  { store }: Account,
  from: ObjectType,
  inputs: readonly Input[],
) {
  const present: (Input & { pair: Pair })[] = [];
  const failures: Failure[] = [];
  for (const input of inputs) {
    const ends = [
      { type: from, name: input.from.id },
      { type: otherType(from), name: input.to.id },
    ];
    const missing = ends.find(({ type, name }) => store.read(type, name)?.archivedAtMs !== null);
    if (missing === undefined) {
      present.push({ ...input, pair: toPair(from, input.from.id, input.to.id) });
    } else {
      failures.push(notFound(missing.type, [missing.name]));
    }
  }
  return { present, failures };
}

/** Returns the failure for a record without associations, which responses to batches contain. */
export function nothingTied(from: ObjectType, fromId: string): Failure {
  const to = otherType(from);
  const word = (type: ObjectType) => type.word.toLowerCase();
  const message = `No ${word(to)} is associated with ${word(from)} ${fromId}.`;
  const context = {
    fromObjectId: [fromId],
    fromObjectType: [word(from)],
    toObjectType: [word(to)],
  };
  return { ids: [], error: new HubspotError(404, 'OBJECT_NOT_FOUND', message, { context }) };
}

/** Returns the associations after this ID, and the paging cursor of the next page. */
export function pageOf(ties: readonly Association[], after: string | undefined, limit: number) {
  const rest = after === undefined ? ties : ties.filter((one) => Number(one.id) > Number(after));
  const page = rest.slice(0, limit);
  return { page, next: rest.length > limit ? page.at(-1)?.id : undefined };
}

function toLabelled(from: ObjectType, { id: toObjectId, kinds }: Association) {
  return { toObjectId, associationTypes: kinds.map((kind) => labelledSpec(from, kind)) };
}

function toPairBody(from: ObjectType, pair: Pair, kinds: readonly AssociationKind[]) {
  const { fromId, toId } = endsOf(from, pair);
  return {
    fromObjectTypeId: from.typeId,
    fromObjectId: fromId,
    toObjectTypeId: otherType(from).typeId,
    toObjectId: toId,
    labels: kinds.includes('primary') ? ['Primary'] : [],
  };
}

/** An association without a label is returned for both records. */
function defaultResults(from: ObjectType, pair: Pair) {
  const { fromId, toId } = endsOf(from, pair);
  const to = otherType(from);
  return [
    { from: { id: fromId }, to: { id: toId }, associationSpec: plainSpec(from, 'unlabeled') },
    { from: { id: toId }, to: { id: fromId }, associationSpec: plainSpec(to, 'unlabeled') },
  ];
}

function readKinds(specs: readonly { associationTypeId: number }[]): AssociationKind[] {
  return specs.map(({ associationTypeId }) => kindOf(associationTypeId));
}

/** Rejects a batch that is too large. */
export function checkCount(inputs: readonly unknown[], most: number): void {
  if (inputs.length <= most) return;
  throw validationError(`The batch has ${inputs.length} inputs; the maximum is ${most}.`);
}
