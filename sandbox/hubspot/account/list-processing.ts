/** Lists whose members HubSpot is still choosing, as the control page sets them. */

import { z } from 'zod';

/** The status and the members that HubSpot shows while it processes a list. */
export const listProcessingSchema = z.strictObject({
  listId: z.string().regex(/^\d+$/),
  /** HubSpot documents `COMPLETE` as the only final status. */
  status: z.string(),
  /** Only this many members are shown, in the order of their IDs. Omitted for all. */
  members: z.number().int().min(0).optional(),
  /** The size that HubSpot states. Omitted for the number of members that it shows. */
  size: z.number().int().min(0).optional(),
});

/** What HubSpot shows of a list in the meantime. */
export type ListProcessing = z.output<typeof listProcessingSchema>;

/** The lists in progress. */
export interface ListsInProgress {
  set(order: ListProcessing): void;
  of(listId: number): ListProcessing | undefined;
}

/** All lists are complete until one is set. */
export function createListsInProgress(): ListsInProgress {
  const lists = new Map<number, ListProcessing>();
  return {
    set: (order) => lists.set(Number(order.listId), order),
    of: (listId) => lists.get(listId),
  };
}
