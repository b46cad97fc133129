/** Returns memberships as HubSpot shows them. While HubSpot is processing a list, some members may be missing. */

import type { ListsInProgress } from '../account/list-processing.ts';
import type { Memberships } from './memberships.ts';

/** The part of the memberships that responses contain. */
export type ShownMembers = Pick<Memberships, 'page' | 'activity'>;

/** Returns all members. For a list that HubSpot is processing, returns only some of them. */
export function showMembers(memberships: Memberships, inProgress: ListsInProgress): ShownMembers {
  return {
    page(listId, page) {
      const shown = inProgress.of(listId)?.members;
      if (shown === undefined) return memberships.page(listId, page);
      const all = { order: 'id', direction: 'after', from: null, limit: shown } as const;
      const ids = new Set(memberships.page(listId, all).map(({ recordId }) => recordId));
      const { size } = memberships.activity(listId);
      return memberships
        .page(listId, { ...page, limit: size })
        .filter(({ recordId }) => ids.has(recordId))
        .slice(0, page.limit);
    },
    activity(listId) {
      const activity = memberships.activity(listId);
      const { members = activity.size, size } = inProgress.of(listId) ?? {};
      return { ...activity, size: size ?? Math.min(members, activity.size) };
    },
  };
}
