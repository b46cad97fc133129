/** The routes for the records in a list, and for the lists that contain a record. */

import { z } from 'zod';
import { validationError } from '../core/errors.ts';
import { findObjectType } from '../core/object-type.ts';
import { isoTime } from '../properties/property.ts';
import type { RecordStore } from '../records/record-store.ts';
import { createRouter, readBody } from '../requests/context.ts';
import type { List } from './list.ts';
import { invalidProcessingType } from './list-errors.ts';
import { findList, type ListRoutesOptions, READ_LISTS, WRITE_LISTS } from './list-routes.ts';
import { readMembers } from './member-pages.ts';

/** The maximum number of records that one request can add or remove. */
const MAX_CHANGES = 100_000;
const MAX_BATCH = 1000;

/** The objects that the membership routes need. */
export interface MembershipRoutesOptions extends ListRoutesOptions {
  records: Pick<RecordStore, 'read'>;
  clock: () => number;
}

/** Returns the routes, which are added next to the list routes. */
export function membershipRoutes(options: MembershipRoutesOptions) {
  const { memberships, shown, clock } = options;
  const router = createRouter();

  router.get('/:id{[0-9]+}/memberships', READ_LISTS, (c) => {
    const list = readableList(options, c.req.param('id'));
    return c.json(readMembers(c, shown, list.id, 'id'));
  });
  router.get('/:id{[0-9]+}/memberships/join-order', READ_LISTS, (c) => {
    const list = readableList(options, c.req.param('id'));
    return c.json(readMembers(c, shown, list.id, 'joined'));
  });
  router.delete('/:id{[0-9]+}/memberships', WRITE_LISTS, (c) => {
    memberships.clear(writableList(options, c.req.param('id')).id);
    return c.body(null, 204);
  });
  router.put('/:id{[0-9]+}/memberships/add', WRITE_LISTS, async (c) => {
    const list = writableList(options, c.req.param('id'));
    return c.json(changeMembers(options, list, { add: await readBody(c, idsSchema), remove: [] }));
  });
  router.put('/:id{[0-9]+}/memberships/remove', WRITE_LISTS, async (c) => {
    const list = writableList(options, c.req.param('id'));
    return c.json(changeMembers(options, list, { add: [], remove: await readBody(c, idsSchema) }));
  });
  router.put('/:id{[0-9]+}/memberships/add-and-remove', WRITE_LISTS, async (c) => {
    const list = writableList(options, c.req.param('id'));
    const { recordIdsToAdd, recordIdsToRemove } = await readBody(c, changeSchema);
    const change = { add: recordIdsToAdd, remove: recordIdsToRemove };
    return c.json(changeMembers(options, list, change));
  });
  router.put('/:id{[0-9]+}/memberships/add-from/:sourceId{[0-9]+}', WRITE_LISTS, (c) => {
    const list = writableList(options, c.req.param('id'));
    const source = readableList(options, c.req.param('sourceId'));
    checkSource(list, source);
    memberships.copy(source.id, list.id);
    return c.body(null, 204);
  });
  router.get('/records/:objectTypeId/:recordId/memberships', READ_LISTS, (c) => {
    settleAll(options);
    const results = membershipsOf(options, c.req.param());
    return c.json({ results, total: results.length });
  });
  router.post('/records/memberships/batch/read', READ_LISTS, async (c) => {
    const startedAt = isoTime(clock());
    const { inputs } = await readBody(c, batchSchema);
    settleAll(options);
    const results = inputs.map((input) => ({
      ...input,
      recordListMemberships: membershipsOf(options, input),
    }));
    return c.json({ status: 'COMPLETE', results, startedAt, completedAt: isoTime(clock()) });
  });
  return router;
}

/** HubSpot also accepts IDs that are numbers. */
const idSchema = z.union([z.string(), z.number().int()]).transform(String);
const idsSchema = z.array(idSchema).max(MAX_CHANGES);
const changeSchema = z.object({
  recordIdsToAdd: idsSchema.default([]),
  recordIdsToRemove: idsSchema.default([]),
});

const batchSchema = z.object({
  inputs: z.array(z.object({ objectTypeId: z.string(), recordId: z.string() })).max(MAX_BATCH),
});

/** Returns a list after updating the list's members. */
function readableList({ lists, upkeep }: MembershipRoutesOptions, id: string): List {
  const list = findList(lists, id);
  upkeep.settle(list);
  return list;
}

function writableList({ lists }: MembershipRoutesOptions, id: string): List {
  const list = findList(lists, id);
  if (list.processingType !== 'DYNAMIC') return list;
  throw invalidProcessingType(
    `List ${id} has processing type DYNAMIC: its memberships cannot be changed by hand.`,
  );
}

function checkSource(list: List, source: List): void {
  if (list.id === source.id) throw validationError('A list cannot be added to itself.');
  if (list.objectTypeId !== source.objectTypeId) {
    throw validationError(`List ${source.id} holds records of another object type.`);
  }
}

/** Changes the members of a list. Reports records that do not exist. Skips records whose membership does not change. */
function changeMembers(
  { memberships, records }: MembershipRoutesOptions,
  list: List,
  { add, remove }: { add: readonly string[]; remove: readonly string[] },
) {
  const type = findObjectType(list.objectTypeId);
  const missing = new Set<string>();
  // If a record was merged, its ID leads to the record into which it was merged.
  const present = (ids: readonly string[]) =>
    ids.flatMap((id) => {
      const record = records.read(type, id);
      if (record?.archivedAtMs === null) return [Number(record.id)];
      missing.add(id);
      return [];
    });
  return {
    recordsIdsAdded: memberships.add(list.id, present(add)).map(String),
    recordIdsRemoved: memberships.remove(list.id, present(remove)).map(String),
    recordIdsMissing: [...missing],
  };
}

function settleAll({ lists, upkeep }: MembershipRoutesOptions): void {
  for (const list of lists.all()) upkeep.settle(list);
}

function membershipsOf(
  { memberships }: MembershipRoutesOptions,
  { objectTypeId, recordId }: { objectTypeId: string; recordId: string },
) {
  const { typeId } = findObjectType(objectTypeId);
  return memberships.listsOf(typeId, Number(recordId)).map((membership) => ({
    listId: String(membership.listId),
    listVersion: membership.listVersion,
    firstAddedTimestamp: isoTime(membership.joinedAtMs),
    lastAddedTimestamp: isoTime(membership.joinedAtMs),
    isPublicList: true,
  }));
}
