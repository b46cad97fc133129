/** Creates the groups of an org, which are its board and its staff. */

import { type ContactList, chooseGroups } from '../../../people/groups.ts';
import type { Insert } from './insert.ts';
import { contactIdOf } from './person-id.ts';

const FORMER_MEMBERS = 2;

/** The objects from which the groups are created. */
export interface GroupsOptions extends ContactList {
  atMs: number;
  /** The account whose board is stored as affiliations. Null if the org has no affiliations. */
  boardOf: string | null;
}

/**
 * Creates the board and the staff as campaigns. The board is also stored as affiliations with the
 * nonprofit itself.
 */
export function fillGroups(insert: Insert, options: GroupsOptions): void {
  const { atMs, boardOf } = options;
  const { board, staff } = chooseGroups(options);
  for (const { name, people } of [board, staff]) {
    const campaign = insert('Campaign', atMs, { Name: name, Status: 'In Progress', IsActive: 1 });
    for (const number of people) {
      insert('CampaignMember', atMs, {
        CampaignId: campaign,
        ContactId: contactIdOf(number),
        Status: 'Sent',
      });
    }
  }
  if (boardOf === null) return;
  for (const [index, number] of board.people.entries()) {
    insert('npe5__Affiliation__c', atMs, {
      npe5__Contact__c: contactIdOf(number),
      npe5__Organization__c: boardOf,
      npe5__Role__c: 'Board Member',
      npe5__Status__c: index < board.people.length - FORMER_MEMBERS ? 'Current' : 'Former',
    });
  }
}
