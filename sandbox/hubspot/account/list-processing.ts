/** The controls set them. */

import { z } from 'zod';

/** The status and the members that HubSpot shows while it processes a list. */
export const listProcessingSchema = z.strictObject({
  listId: z.string().regex(/^\d+$/),
  /** HubSpot documents `COMPLETE` as the only final status. */
  status: z.string(),
  /** The number of members that are shown, in the order of their IDs. Omitted to show all. */
  members: z.number().int().min(0).optional(),
  /** The size that HubSpot reports. If omitted, HubSpot reports the number of shown members. */
  size: z.number().int().min(0).optional(),
});

/** The state of a list during its processing. */
export type ListProcessing = z.output<typeof listProcessingSchema>;

/** The lists that HubSpot is still processing. */
export interface ListsInProgress {
  set(order: ListProcessing): void;
  of(listId: number): ListProcessing | undefined;
}

/** Creates the collection. All lists are complete until a list is added. */
export function createListsInProgress(): ListsInProgress {
  const lists = new Map<number, ListProcessing>();
  return {
    set: (order) => lists.set(Number(order.listId), order),
    of: (listId) => lists.get(listId),
  };
}
