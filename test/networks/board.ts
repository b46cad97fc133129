/** Creates test data with a network for the group "board", and closes the test data after the test. */

import { expect } from 'vitest';
import { listOpenQuestions } from '../../src/decisions/statements/questions.ts';
import { closedAfterTest } from '../helpers/closed-after-test.ts';
import {
  createNetworkWorld,
  type NetworkWorld,
  type NetworkWorldOptions,
} from './network-world.ts';

export const open = closedAfterTest(createNetworkWorld);

/** Creates a network from the group "board", whose members are the first ten people. */
export async function openBoard(options: NetworkWorldOptions = {}): Promise<NetworkWorld> {
  const here = await open({ enhanced: 14, ...options });
  here.setBoard(0, 10);
  expect(await here.sync()).toMatchObject({ status: 'succeeded' });
  await expectBoard(here, here.people.slice(0, 10), 10);
  return here;
}

/** Expects that the network equals the CRM's group, and that it cost this many credits in total. */
export async function expectBoard(
  world: NetworkWorld,
  people: readonly string[],
  credits: number,
  name = 'Board',
): Promise<void> {
  expect((await world.networks())[name]).toEqual(await world.donorsOf(people));
  expect(await world.networkSpent()).toBe(credits);
}

/** Returns the only hold. */
export async function theHold(world: NetworkWorld) {
  const [hold, ...more] = await listOpenQuestions(world.store.reader);
  if (!hold || more.length > 0) throw new Error('There is not one hold');
  return hold;
}
