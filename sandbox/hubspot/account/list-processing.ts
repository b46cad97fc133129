/** Simulates lists that HubSpot is still processing. The stand-in's controls set the state of a list. */

import { z } from 'zod';

/** The status and the members that HubSpot shows while it processes a list. */
export const listProcessingSchema = z.strictObject({
  listId: z.string().regex(/^\d+$/),
  /** The status. HubSpot documents only `COMPLETE` as a final status. */
  status: z.string(),
  /**
   * The number of members that responses contain, in the order of their IDs. The number is omitted if responses contain
   * all members.
   */
  members: z.number().int().min(0).optional(),
  /**
   * The size that HubSpot reports. If the size is omitted, HubSpot reports the number of members that responses
   * contain.
   */
  size: z.number().int().min(0).optional(),
});

/** The state of a list while HubSpot processes it. */
export type ListProcessing = z.output<typeof listProcessingSchema>;

/** The lists that HubSpot is processing. */
export interface ListsInProgress {
  set(order: ListProcessing): void;
  of(listId: number): ListProcessing | undefined;
}

/** Creates the collection. At first, all lists are complete. */
export function createListsInProgress(): ListsInProgress {
  const lists = new Map<number, ListProcessing>();
  return {
    set: (order) => lists.set(Number(order.listId), order),
    of: (listId) => lists.get(listId),
  };
}
