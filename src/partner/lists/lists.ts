import type { PageRequest } from '../pages.ts';
import type { MayLeave } from '../request.ts';
import type { Send } from '../send.ts';
import {
  createList,
  type DonorList,
  deleteList,
  type ListPage,
  readList,
  readLists,
  renameList,
} from './list.ts';
import { addToList, type ListAddition, removeFromList } from './membership.ts';

/**
 * The team's lists of donors (service document, sections 4.4 and 7.2). Payloads are not documented.
 * An unknown list is a `PartnerNotFound`.
 */
export interface Lists {
  /** All lists. Free. */
  list(signal?: AbortSignal): Promise<DonorList[]>;
  /**
   * Creates a list. Free. `PartnerBadRequest` if the team has one of that name, which may be the
   * one that a first try has made whose answer was lost.
   */
  create(name: string, signal?: AbortSignal): Promise<DonorList>;
  /** A list with one page of its donors. Free. */
  read(listId: string, page?: PageRequest, signal?: AbortSignal): Promise<ListPage>;
  /** Free. `PartnerBadRequest` if another list has the name, or it is a list of the service's own. */
  rename(listId: string, name: string, signal?: AbortSignal): Promise<void>;
  /**
   * Free. `PartnerBadRequest` for a list of the service's own, such as All Saved Donors;
   * `PartnerNotFound` also where a first try, whose answer was lost, has deleted it.
   */
  delete(listId: string, signal?: AbortSignal): Promise<void>;
  /**
   * Adds 1 to 100 donors; costs a credit of the lists bucket for each. The service takes as many
   * from the front as the balance covers. After `AnswerLost` they may be added and paid for.
   */
  addDonors(
    listId: string,
    donorIds: readonly string[],
    signal?: AbortSignal,
    mayLeave?: MayLeave,
  ): Promise<ListAddition>;
  /** Removes 1 to 100 donors. Free. */
  removeDonors(listId: string, donorIds: readonly string[], signal?: AbortSignal): Promise<void>;
}

export function createLists(send: Send): Lists {
  return {
    list: (signal) => readLists(send, signal),
    create: (name, signal) => createList(send, name, signal),
    read: (listId, page = {}, signal) => readList(send, listId, page, signal),
    rename: (listId, name, signal) => renameList(send, listId, name, signal),
    delete: (listId, signal) => deleteList(send, listId, signal),
    addDonors: (listId, donorIds, signal, mayLeave) =>
      addToList(send, listId, donorIds, signal, mayLeave),
    removeDonors: (listId, donorIds, signal) => removeFromList(send, listId, donorIds, signal),
  };
}
