/** Routes that create, find, rename, delete and restore lists. */

import { z } from 'zod';
import type { ListsInProgress } from '../account/list-processing.ts';
import { validationError } from '../core/errors.ts';
import { findObjectType, OBJECT_TYPES } from '../core/object-type.ts';
import type { Properties } from '../properties/properties.ts';
import { createRouter, type HubspotContext, readBody } from '../requests/context.ts';
import { needListScope } from '../requests/scopes.ts';
import { type FilterBranch, filterBranchSchema, propertiesNamedIn } from './filter-branch.ts';
import { type List, PROCESSING_TYPES, toPublicList, toSearchResult } from './list.ts';
import {
  invalidObjectType,
  invalidProcessingType,
  nameTaken,
  unknownList,
  unknownListName,
} from './list-errors.ts';
import type { ListStore } from './list-store.ts';
import type { ListUpkeep } from './list-upkeep.ts';
import type { Memberships } from './memberships.ts';
import type { ShownMembers } from './shown-members.ts';

const DEFAULT_RESULTS = 20;
const MAX_RESULTS = 500;

/** The objects that the list routes need. */
export interface ListRoutesOptions {
  lists: ListStore;
  memberships: Memberships;
  /** The members and sizes of lists that responses contain. */
  shown: ShownMembers;
  inProgress: Pick<ListsInProgress, 'of'>;
  upkeep: ListUpkeep;
  properties: Pick<Properties, 'find'>;
}

export const READ_LISTS = needListScope('crm.lists.read');
/** Requires the scope for changing lists. */
export const WRITE_LISTS = needListScope('crm.lists.write');

/** Returns the routes for `/crm/v3/lists` and for the paths with a date. */
export function listRoutes(options: ListRoutesOptions) {
  const { lists, shown, inProgress, upkeep } = options;
  const router = createRouter();
  const show = (c: HubspotContext, list: List) => {
    upkeep.settle(list);
    const includeFilters = c.req.query('includeFilters') === 'true';
    const status = inProgress.of(list.id)?.status;
    return toPublicList(list, shown.activity(list.id), { status, includeFilters });
  };

  router.post('/', WRITE_LISTS, async (c) => {
    const list = createList(options, await readBody(c, newListSchema));
    return c.json({ list: show(c, list) });
  });
  router.get('/', READ_LISTS, (c) => {
    const ids = (c.req.queries('listIds') ?? []).flatMap((value) => value.split(','));
    const found = ids.flatMap((id) => lists.find(id) ?? []);
    return c.json({ lists: found.map((list) => show(c, list)) });
  });
  router.post('/search', READ_LISTS, async (c) => {
    return c.json(search(options, await readBody(c, searchSchema)));
  });
  router.get('/object-type-id/:objectTypeId/name/:name', READ_LISTS, (c) => {
    const { objectTypeId, name } = c.req.param();
    const list = lists.findByName(name);
    if (list?.objectTypeId !== objectTypeId) throw unknownListName(name, objectTypeId);
    return c.json({ list: show(c, list) });
  });
  router.get('/:id{[0-9]+}', READ_LISTS, (c) => {
    return c.json({ list: show(c, findList(lists, c.req.param('id'))) });
  });
  router.delete('/:id{[0-9]+}', WRITE_LISTS, (c) => {
    lists.delete(findList(lists, c.req.param('id')).id);
    return c.body(null, 204);
  });
  router.put('/:id{[0-9]+}/restore', WRITE_LISTS, (c) => {
    restore(lists, c.req.param('id'));
    return c.body(null, 204);
  });
  router.put('/:id{[0-9]+}/update-list-name', WRITE_LISTS, (c) => {
    const { id } = findList(lists, c.req.param('id'));
    rename(lists, id, c.req.query('listName') ?? '');
    return c.json({ updatedList: show(c, findList(lists, String(id))) });
  });
  router.put('/:id{[0-9]+}/update-list-filters', WRITE_LISTS, async (c) => {
    const { id } = dynamicList(lists, c.req.param('id'));
    const { filterBranch } = await readBody(c, z.object({ filterBranch: filterBranchSchema }));
    lists.setFilters(id, filterBranch);
    upkeep.choose(findList(lists, String(id)));
    return c.json({ updatedList: show(c, findList(lists, String(id))) });
  });
  return router;
}

/** Returns the list. Throws a 404 if the list does not exist. */
export function findList(lists: ListStore, id: string): List {
  const list = lists.find(id);
  if (list === undefined) throw unknownList(id);
  return list;
}

const newListSchema = z.object({
  name: z.string().trim().min(1),
  objectTypeId: z.string(),
  processingType: z.enum(PROCESSING_TYPES),
  filterBranch: filterBranchSchema.optional(),
});

const searchSchema = z.object({
  query: z.string().default(''),
  processingTypes: z.array(z.enum(PROCESSING_TYPES)).default([]),
  listIds: z.array(z.string()).default([]),
  objectTypeId: z.string().optional(),
  additionalProperties: z.array(z.string()).default([]),
  offset: z.number().int().min(0).default(0),
  count: z.number().int().min(1).max(MAX_RESULTS).default(DEFAULT_RESULTS),
});

function createList(
  { lists, upkeep, properties }: ListRoutesOptions,
  order: z.infer<typeof newListSchema>,
) {
  const { name, objectTypeId, processingType, filterBranch = null } = order;
  if (!OBJECT_TYPES.some(({ typeId }) => typeId === objectTypeId)) {
    throw invalidObjectType(objectTypeId);
  }
  if (processingType === 'DYNAMIC' && filterBranch === null) {
    throw invalidProcessingType(
      'A filterBranch is required for a list of processing type DYNAMIC.',
    );
  }
  if (processingType === 'MANUAL' && filterBranch !== null) {
    throw invalidProcessingType('A list of processing type MANUAL cannot have a filterBranch.');
  }
  if (filterBranch !== null) checkProperties(properties, objectTypeId, filterBranch);
  checkName(lists, name);
  const list = lists.create({ name, objectTypeId, processingType, filterBranch });
  upkeep.choose(list);
  return list;
}

/** Rejects conditions on properties that the records do not have. */
function checkProperties(
  properties: ListRoutesOptions['properties'],
  objectTypeId: string,
  branch: FilterBranch,
): void {
  const type = findObjectType(objectTypeId);
  const unknown = propertiesNamedIn(branch).find(
    (name) => properties.find(type, name)?.archivedAtMs !== null,
  );
  if (unknown === undefined) return;
  throw validationError(`Property ${unknown} does not exist for object type ${objectTypeId}.`);
}

function search(
  { lists, shown, inProgress, upkeep }: ListRoutesOptions,
  request: z.infer<typeof searchSchema>,
) {
  const { query, processingTypes, listIds, objectTypeId, offset, count } = request;
  const found = lists.search({
    name: query,
    processingTypes,
    ids: listIds,
    objectTypeId,
    offset,
    limit: count,
  });
  const next = offset + found.lists.length;
  return {
    offset: next,
    hasMore: next < found.total,
    total: found.total,
    lists: found.lists.map((list) => {
      upkeep.settle(list);
      const status = inProgress.of(list.id)?.status;
      const asked = request.additionalProperties;
      return toSearchResult(list, shown.activity(list.id), { status, asked });
    }),
  };
}

function rename(lists: ListStore, id: number, name: string): void {
  if (name.trim() === '') throw validationError('listName may not be empty');
  checkName(lists, name, id);
  lists.rename(id, name);
}

/** Restores a deleted list. Fails if another list has the name now. */
function restore(lists: ListStore, id: string): void {
  const list = lists.findDeleted(id);
  if (list === undefined) throw unknownList(id);
  checkName(lists, list.name);
  lists.restore(list.id);
}

function checkName(lists: ListStore, name: string, ownId?: number): void {
  const other = lists.findByName(name);
  if (other !== undefined && other.id !== ownId) throw nameTaken(name);
}

function dynamicList(lists: ListStore, id: string): List {
  const list = findList(lists, id);
  if (list.processingType === 'DYNAMIC') return list;
  throw invalidProcessingType(`List ${id} is not of processing type DYNAMIC.`);
}
