/**
 * Chooses the members of a nonprofit's groups. They are people in its contact list, and they are the same in every CRM.
 */

import type { World } from './world.ts';

/** The number of people at the start of the list from which the members are chosen. */
const SEARCHED = 2000;
const BOARD_SIZE = 20;
const STAFF_SIZE = 15;

export interface ContactList {
  world: World;
  /** The number of people from the world's contact list in the CRM. */
  contactCount: number;
}

/** A group: its name in the CRM and its members' numbers in the contact list. */
export interface Group {
  name: string;
  people: number[];
}

/**
 * Chooses the members of the groups. If possible, the board consists of people who serve on nonprofit boards, because
 * many other people know them.
 */
export function chooseGroups({ world, contactCount }: ContactList): {
  board: Group;
  staff: Group;
} {
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
  return {
    board: { name: 'Board of Directors', people: board },
    staff: { name: 'Staff', people: staff },
  };
}

function isSeated(world: World, donorId: string): boolean {
  const number = world.donorNumber(donorId);
  return number !== null && world.donor(number).boards.some(({ end }) => end === null);
}
