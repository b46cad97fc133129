import { z } from 'zod';
import { distinctDonors, type LeftOut, leftOut } from './donor-batch.ts';
import { type DonorSummary, donorSummarySchema } from './donors.ts';
import { parseReply, type Reply } from './reply.ts';
import type { MayLeave } from './request.ts';
import { operation } from './routes.ts';
import { type Send, sendFor } from './send.ts';
import {
  bareOrUnder,
  idSchema,
  listUnder,
  nextCursorSchema,
  type Page,
  type PageRequest,
  pageQuery,
  withIdAs,
} from './wire.ts';

/**
 * The team's lists of donors (service document, sections 4.4 and 7.2). Payloads are not documented.
 * An unknown list is a `PartnerNotFound`.
 */
export interface Lists {
  /** Costs no credits. */
  list(signal?: AbortSignal): Promise<DonorList[]>;
  /**
   * Costs no credits. Throws `PartnerBadRequest` if the team already has a list with that name. A first attempt whose
   * response was lost may have created it.
   */
  create(name: string, signal?: AbortSignal): Promise<DonorList>;
  /** Returns a list with one page of its donors. Costs no credits. */
  read(listId: string, page?: PageRequest, signal?: AbortSignal): Promise<ListPage>;
  /**
   * Costs no credits. Throws `PartnerBadRequest` if another list has the name, or if it is one of the service's own
   * lists.
   */
  rename(listId: string, name: string, signal?: AbortSignal): Promise<void>;
  /**
   * Costs no credits. Throws `PartnerBadRequest` for one of the service's own lists, such as All Saved Donors. Throws
   * `PartnerNotFound` even if an earlier attempt, whose response was lost, has deleted it.
   */
  delete(listId: string, signal?: AbortSignal): Promise<void>;
  /**
   * Adds 1 to 100 donors. Each donor costs a credit from the lists bucket. Starting at the first donor, the service
   * processes the number of donors that the balance covers. After `AnswerLost`, they may have been added and paid for.
   */
  addDonors(
    listId: string,
    donorIds: readonly string[],
    signal?: AbortSignal,
    mayLeave?: MayLeave,
  ): Promise<ListAddition>;
  /** Removes 1 to 100 donors. Costs no credits. */
  removeDonors(listId: string, donorIds: readonly string[], signal?: AbortSignal): Promise<void>;
}

export interface DonorList {
  listId: string;
  /** The name, which is unique within the team. */
  name: string;
  /** True for a list that the service maintains itself, such as All Saved Donors. Null if the service does not say. */
  isSystem: boolean | null;
  /** Null if the service does not say. */
  donorCount: number | null;
}

/** A list with one page of its donors. */
export interface ListPage extends Page<DonorSummary> {
  list: DonorList;
}

export const LISTS = operation('lists', { charges: null, namesThings: false }, [
  { method: 'GET', path: '/lists' },
]);

export const CREATE_LIST = operation('create a list', { charges: null, namesThings: false }, [
  { method: 'POST', path: '/lists' },
]);

export const LIST = operation('one list', { charges: null }, [
  { method: 'GET', path: '/lists/{id}' },
]);

export const RENAME_LIST = operation('rename a list', { charges: null, reads: 'nothing' }, [
  { method: 'PATCH', path: '/lists/{id}' },
]);

export const DELETE_LIST = operation('delete a list', { charges: null, reads: 'nothing' }, [
  { method: 'DELETE', path: '/lists/{id}' },
]);

/** The result for each donor that was to be added to a list. */
export interface ListAddition extends LeftOut {
  added: readonly string[];
  alreadyListed: readonly string[];
}

/** Each donor costs a credit from the lists bucket. */
export const ADD_TO_LIST = operation('add donors to a list', { charges: 'lists' }, [
  { method: 'POST', path: '/lists/{id}/donors', listName: 'donor_ids' },
]);

export const REMOVE_FROM_LIST = operation(
  'remove donors from a list',
  { charges: null, reads: 'nothing' },
  [{ method: 'POST', path: '/lists/{id}/donors/remove', listName: 'donor_ids' }],
);

export function createLists(send: Send): Lists {
  return {
    async list(signal) {
      return sendFor(send, LISTS, {}, listsIn, signal);
    },
    async create(name, signal) {
      const reply = await send(CREATE_LIST, { fields: { name } }, signal);
      return parseReply(bareOrUnder('list', listSchema), reply);
    },
    async read(listId, page = {}, signal) {
      return sendFor(send, LIST, { id: listId, query: pageQuery(page) }, pageIn, signal);
    },
    async rename(listId, name, signal) {
      await send(RENAME_LIST, { id: listId, fields: { name } }, signal);
    },
    async delete(listId, signal) {
      await send(DELETE_LIST, { id: listId }, signal);
    },
    async addDonors(listId, donorIds, signal, mayLeave) {
      const list = distinctDonors(donorIds);
      const reply = await send(ADD_TO_LIST, { id: listId, list }, signal, mayLeave);
      const { added_ids: added, already_listed_ids: listed } = parseReply(additionSchema, reply);
      const alreadyListed = listed ?? [];
      return { added, alreadyListed, ...leftOut(reply, list, [...added, ...alreadyListed]) };
    },
    async removeDonors(listId, donorIds, signal) {
      await send(REMOVE_FROM_LIST, { id: listId, list: distinctDonors(donorIds) }, signal);
    },
  };
}

function listsIn(reply: Reply): DonorList[] {
  return parseReply(listUnder('lists', listSchema), reply);
}

function pageIn(reply: Reply): ListPage {
  return {
    list: parseReply(bareOrUnder('list', listSchema), reply),
    entries: parseReply(donorsSchema, reply).donors ?? [],
    nextCursor: parseReply(nextCursorSchema, reply),
  };
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

const additionSchema = z.object({
  added_ids: z.array(idSchema),
  already_listed_ids: z.array(idSchema).nullish(),
});
