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
 * Manages the team's lists of donors (service document, sections 4.4 and 7.2). The document does not describe the
 * payloads. The methods throw `PartnerNotFound` for an unknown list.
 */
export interface Lists {
  /** Returns the team's lists. Costs no credits. */
  list(signal?: AbortSignal): Promise<DonorList[]>;
  /**
   * Creates a list. Costs no credits. Throws `PartnerBadRequest` if the team already has a list with this name. A first
   * attempt with a lost response may have created this list.
   */
  create(name: string, signal?: AbortSignal): Promise<DonorList>;
  /** Returns a list with one page of its donors. Costs no credits. */
  read(listId: string, page?: PageRequest, signal?: AbortSignal): Promise<ListPage>;
  /**
   * Renames a list. Costs no credits. Throws `PartnerBadRequest` if another list has this name, or if the list is one
   * of the service's own lists.
   */
  rename(listId: string, name: string, signal?: AbortSignal): Promise<void>;
  /**
   * Deletes a list. Costs no credits. Throws `PartnerBadRequest` for one of the service's own lists, such as All Saved
   * Donors. Throws `PartnerNotFound` even if an earlier attempt with a lost response has deleted the list.
   */
  delete(listId: string, signal?: AbortSignal): Promise<void>;
  /**
   * Adds 1 to 100 donors to a list. Each donor costs a credit from the lists bucket. If the balance is too low, the
   * service processes only the first donors. After `AnswerLost`, the donors may have been added and paid for.
   */
  addDonors(
    listId: string,
    donorIds: readonly string[],
    signal?: AbortSignal,
    mayLeave?: MayLeave,
  ): Promise<ListAddition>;
  /** Removes 1 to 100 donors from a list. Costs no credits. */
  removeDonors(listId: string, donorIds: readonly string[], signal?: AbortSignal): Promise<void>;
}

export interface DonorList {
  listId: string;
  /** The list's name, which is unique within the team. */
  name: string;
  /**
   * True for a list that the service itself maintains, such as All Saved Donors. Null if the service does not report
   * this.
   */
  isSystem: boolean | null;
  /** The number of donors in the list. Null if the service does not report it. */
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

/** The result for each donor of a request to add donors to a list. */
export interface ListAddition extends LeftOut {
  added: readonly string[];
  alreadyListed: readonly string[];
}

/** Adds donors to a list. Each donor costs a credit from the lists bucket. */
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
