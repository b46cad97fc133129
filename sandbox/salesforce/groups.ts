/** The groups of an org: its board and its staff. */

import type { World } from '../people/world.ts';
import type { Insert } from './insert.ts';
import { contactIdOf } from './person-id.ts';

/** How many people of the list are looked at for the groups. */
const SEARCHED = 2000;
const BOARD_SIZE = 20;
const STAFF_SIZE = 15;
const FORMER_MEMBERS = 2;

/** What groups are made of. */
export interface GroupsOptions {
  world: World;
  /** How many people of the world's contact list the org has. */
  contactCount: number;
  atMs: number;
  /** The account whose board is held as affiliations; null where there are none. */
  boardOf: string | null;
}

/** The board and the staff, as campaigns; the board also as affiliations with the nonprofit itself. */
export function fillGroups(insert: Insert, options: GroupsOptions): void {
  const { atMs, boardOf } = options;
  const { board, staff } = chooseGroups(options);
  const groups = [
    { name: 'Board of Directors', people: board },
    { name: 'Staff', people: staff },
  ];
  for (const { name, people } of groups) {
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
  for (const [index, number] of board.entries()) {
    insert('npe5__Affiliation__c', atMs, {
      npe5__Contact__c: contactIdOf(number),
      npe5__Organization__c: boardOf,
      npe5__Role__c: 'Board Member',
      npe5__Status__c: index < board.length - FORMER_MEMBERS ? 'Current' : 'Former',
    });
  }
}

/** People who sit on boards are known to many others, so the board is made of them where there are enough. */
function chooseGroups({ world, contactCount }: GroupsOptions) {
  const seated: number[] = [];
  const others: number[] = [];
  const known = new Set<string>();
  for (let number = 0; number < Math.min(contactCount, SEARCHED); number += 1) {
    const { donorId } = world.crmPerson(number);
    if (donorId === null || known.has(donorId)) continue;
    known.add(donorId);
    (isSeated(world, donorId) ? seated : others).push(number);
  }
  const board = [...seated, ...others].slice(0, BOARD_SIZE);
  const staff = others.filter((number) => !board.includes(number)).slice(0, STAFF_SIZE);
  return { board, staff };
}

function isSeated(world: World, donorId: string): boolean {
  const number = world.donorNumber(donorId);
  return number !== null && world.donor(number).boards.some(({ end }) => end === null);
}
