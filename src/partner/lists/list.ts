import { z } from 'zod';
import { type DonorSummary, donorSummarySchema } from '../donors/donor-summary.ts';
import { nextCursorSchema, type Page, type PageRequest, pageQuery } from '../pages.ts';
import { parseReply } from '../reply.ts';
import { type Operation, withSlashes } from '../routes.ts';
import type { Send } from '../send.ts';
import { bareOrUnder, idSchema, listUnder, withIdAs } from '../wire.ts';

/** The team's lists of donors (service document, sections 4.4 and 7.2). All of this is free. */

/** A list. */
export interface DonorList {
  listId: string;
  /** Unique within the team. */
  name: string;
  /** True for one that the service keeps itself, such as All Saved Donors; null if it does not say. */
  isSystem: boolean | null;
  /** Null where the service does not say. */
  donorCount: number | null;
}

/** A list with one page of the donors on it. */
export interface ListPage extends Page<DonorSummary> {
  list: DonorList;
}

const COMMON = { lane: 'queries', charges: null } as const;

export const LISTS: Operation = {
  ...COMMON,
  name: 'lists',
  reads: 'json',
  namesThings: false,
  routes: withSlashes([{ method: 'GET', path: '/lists' }]),
};

export const CREATE_LIST: Operation = {
  ...COMMON,
  name: 'create a list',
  reads: 'json',
  namesThings: false,
  routes: withSlashes([{ method: 'POST', path: '/lists' }]),
};

export const LIST: Operation = {
  ...COMMON,
  name: 'one list',
  reads: 'json',
  namesThings: true,
  routes: withSlashes([{ method: 'GET', path: '/lists/{id}' }]),
};

export const RENAME_LIST: Operation = {
  ...COMMON,
  name: 'rename a list',
  reads: 'nothing',
  namesThings: true,
  routes: withSlashes([{ method: 'PATCH', path: '/lists/{id}' }]),
};

export const DELETE_LIST: Operation = {
  ...COMMON,
  name: 'delete a list',
  reads: 'nothing',
  namesThings: true,
  routes: withSlashes([{ method: 'DELETE', path: '/lists/{id}' }]),
};

/** All lists of the team. */
export async function readLists(send: Send, signal?: AbortSignal): Promise<DonorList[]> {
  return parseReply(listUnder('lists', listSchema), await send(LISTS, {}, signal));
}

/** Creates a list. */
export async function createList(
  send: Send,
  name: string,
  signal?: AbortSignal,
): Promise<DonorList> {
  const reply = await send(CREATE_LIST, { fields: { name } }, signal);
  return parseReply(bareOrUnder('list', listSchema), reply);
}

/** One list with a page of its donors. */
export async function readList(
  send: Send,
  listId: string,
  page: PageRequest,
  signal?: AbortSignal,
): Promise<ListPage> {
  const reply = await send(LIST, { id: listId, query: pageQuery(page) }, signal);
  return {
    list: parseReply(bareOrUnder('list', listSchema), reply),
    entries: parseReply(donorsSchema, reply).donors ?? [],
    nextCursor: parseReply(nextCursorSchema, reply),
  };
}

/** Gives a list another name. */
export async function renameList(
  send: Send,
  listId: string,
  name: string,
  signal?: AbortSignal,
): Promise<void> {
  await send(RENAME_LIST, { id: listId, fields: { name } }, signal);
}

/** Deletes a list; the donors stay. */
export async function deleteList(send: Send, listId: string, signal?: AbortSignal): Promise<void> {
  await send(DELETE_LIST, { id: listId }, signal);
}

const donorsSchema = z.object({ donors: z.array(donorSummarySchema).nullish() });

const listSchema = withIdAs(
  'list_id',
  'id',
  z.object({
    list_id: idSchema,
    name: z.string(),
    is_system: z.boolean().nullish().catch(null),
    donor_count: z.int().nonnegative().nullish().catch(null),
  }),
).transform(
  (wire): DonorList => ({
    listId: wire.list_id,
    name: wire.name,
    isSystem: wire.is_system ?? null,
    donorCount: wire.donor_count ?? null,
  }),
);
