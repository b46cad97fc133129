/**
 * The list endpoints (service document, sections 4.4 and 7.2). A team stores donors on named lists, and pays for each
 * donor.
 */

import type { OpenAPIHono } from '@hono/zod-openapi';
import type { PartnerEnv } from '../context.ts';
import type { Database } from '../database.ts';
import type { World } from '../donor.ts';
import { batchMeta, countDonorIds, resolveDonors, underRequestedIds } from '../donors/batch.ts';
import { toSummary } from '../donors/summary.ts';
import type { ChargedEndpoint } from '../metering.ts';
import { toPage } from '../pages.ts';
import { createRouter } from '../router.ts';
import { TWO_PEOPLE } from '../two-people.ts';
import {
  addToListRoute,
  createListRoute,
  deleteListRoute,
  listRoute,
  listsRoute,
  removeFromListRoute,
  renameListRoute,
} from './list-api.ts';
import type { DonorList, Lists } from './list-store.ts';

export interface ListOptions {
  db: Database;
  lists: Lists;
  world: World;
}

export const CHARGED_LISTS: readonly ChargedEndpoint[] = [
  { method: 'POST', path: /^\/lists\/[^/]+\/donors$/, bucket: 'lists', items: countDonorIds },
];

const NOT_FOUND = { detail: 'List not found' };

/** Creates the list endpoints. */
export function listRoutes(options: ListOptions): OpenAPIHono<PartnerEnv> {
  const router = createRouter();
  addListManagement(router, options);
  addListMembership(router, options);
  return router;
}

function addListManagement(router: OpenAPIHono<PartnerEnv>, { lists }: ListOptions): void {
  router.openapi(listsRoute, (c) =>
    c.json({ lists: lists.all(c.var.key.team).map(describe) }, 200),
  );
  router.openapi(createListRoute, (c) => {
    const { name } = c.req.valid('json');
    const list = lists.create(c.var.key.team, name);
    return list === undefined ? c.json(nameTaken(name), 400) : c.json(describe(list), 201);
  });
  router.openapi(renameListRoute, (c) => {
    const list = lists.find(c.var.key.team, c.req.valid('param').id);
    const { name } = c.req.valid('json');
    if (list === undefined) {
      return c.json(NOT_FOUND, 404);
    }
    if (list.isSystem) {
      return c.json({ detail: `The system list "${list.name}" cannot be renamed` }, 400);
    }
    return lists.rename(list, name) ? c.body(null, 204) : c.json(nameTaken(name), 400);
  });
  router.openapi(deleteListRoute, (c) => {
    const list = lists.find(c.var.key.team, c.req.valid('param').id);
    if (list === undefined) {
      return c.json(NOT_FOUND, 404);
    }
    if (list.isSystem) {
      return c.json({ detail: `The system list "${list.name}" cannot be deleted` }, 400);
    }
    lists.delete(list);
    return c.body(null, 204);
  });
}

function addListMembership(router: OpenAPIHono<PartnerEnv>, options: ListOptions): void {
  const { lists, world } = options;
  router.openapi(listRoute, (c) => {
    const list = lists.find(c.var.key.team, c.req.valid('param').id);
    const { limit, cursor } = c.req.valid('query');
    return list === undefined
      ? c.json(NOT_FOUND, 404)
      : c.json({ ...describe(list), ...readDonors(options, list, limit, cursor ?? 0) }, 200);
  });
  router.openapi(addToListRoute, (c) => {
    const list = lists.find(c.var.key.team, c.req.valid('param').id);
    return list === undefined
      ? c.json(NOT_FOUND, 404)
      : c.json(addDonors(options, list, c.req.valid('json').donor_ids, c.var), 200);
  });
  router.openapi(removeFromListRoute, (c) => {
    const list = lists.find(c.var.key.team, c.req.valid('param').id);
    if (list === undefined) {
      return c.json(NOT_FOUND, 404);
    }
    lists.remove(list, resolveDonors(world, c.req.valid('json').donor_ids).numbers);
    return c.body(null, 204);
  });
}

function describe({ id, name, isSystem, createdAtMs, donorCount }: DonorList) {
  return {
    list_id: id,
    name,
    is_system: isSystem,
    created_at: new Date(createdAtMs).toISOString(),
    donor_count: donorCount,
  };
}

function nameTaken(name: string) {
  return { detail: `A list named "${name}" exists already` };
}

function readDonors({ lists, world }: ListOptions, list: DonorList, limit: number, after: number) {
  const page = toPage(lists.entries(list, after, limit + 1), limit, ({ position }) => position);
  return {
    donors: page.entries.map(({ donorNumber, addedAtMs }) => ({
      ...toSummary(world.donor(donorNumber)),
      added_at: new Date(addedAtMs).toISOString(),
    })),
    // The response also lists donors that were later separated into two people.
    not_found: (after === 0 ? lists.mixed(list) : []).map((donorNumber) => ({
      donor_id: world.donor(donorNumber).id,
      detail: TWO_PEOPLE,
    })),
    next_cursor: page.nextCursor,
  };
}

function addDonors(
  { db, lists, world }: ListOptions,
  list: DonorList,
  ids: readonly string[],
  { charged: paid, settle }: Pick<PartnerEnv['Variables'], 'charged' | 'settle'>,
) {
  const paidIds = ids.slice(0, paid);
  const { numbers, notFoundIds } = resolveDonors(world, paidIds);
  const add = db.transaction(() => {
    const added = lists.add(list, numbers);
    settle();
    return added;
  });
  const added = new Set(add.immediate());
  const outcome = underRequestedIds(
    world,
    paidIds,
    numbers.map((number) => ({ id: world.donor(number).id, isAdded: added.has(number) })),
    { idOf: ({ id }) => id, withId: ({ isAdded }, id) => ({ id, isAdded }) },
  );
  return {
    list_id: list.id,
    added_ids: outcome.filter(({ isAdded }) => isAdded).map(({ id }) => id),
    already_listed_ids: outcome.filter(({ isAdded }) => !isAdded).map(({ id }) => id),
    not_found_ids: notFoundIds,
    unpaid_ids: ids.slice(paid),
    meta: batchMeta(ids.length, paid),
  };
}
