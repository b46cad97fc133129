import { afterEach, describe, expect, it } from 'vitest';
import { readContactPaths } from '../../src/paths/contact-paths.ts';
import { createPathWorld, INTRODUCER, type PathWorld } from './path-world.ts';

let world: PathWorld;
afterEach(() => world.close());

/** Syncs a board. Returns the contact that has the first path. */
async function openKnown(): Promise<string> {
  world = await createPathWorld();
  await world.sync();
  const [known = ''] = [...world.filled(INTRODUCER).keys()].slice(-1);
  return known;
}

function read(crmId: string) {
  const payer = { integrationId: 'riverside', partnerKey: 'key' };
  return readContactPaths(world.deps(), payer, crmId);
}

async function queries(): Promise<number> {
  return (await world.requests()).filter(({ path }) => path.endsWith('/connections')).length;
}

describe('the connections of a contact', () => {
  it.each([
    ['opted out', { optedOut: true }, 'opted_out'],
    ['objects', { objects: true }, 'opted_out'],
    ['is deceased', { excluded: 'deceased' }, 'deceased'],
    ['wants no contact', { excluded: 'do_not_contact' }, 'do_not_contact'],
  ] as const)('are neither asked for nor shown if it %s', async (_, mark, reason) => {
    const known = await openKnown();
    expect((await read(known)).connections).not.toEqual([]);
    const before = await queries();
    world.crm.editContact(known, mark);
    const refused = { code: 'contact_kept_back', details: { contact: known, reason } };
    await expect(read(known)).rejects.toMatchObject(refused);
    // Nothing is written after the mark is read either.
    await world.sync({ only: [known] });
    await expect(read(known)).rejects.toMatchObject(refused);
    expect(await queries()).toBe(before);
  });

  it('name no member who has opted out, even before that member has left the network', async () => {
    const known = await openKnown();
    const [first] = (await read(known)).connections;
    const donorId = first?.introducer.donorId ?? '';
    for (const id of world.people.slice(0, 20)) {
      const row = await world.donorOf(id).catch(() => null);
      if (row !== donorId) continue;
      world.crm.editContact(id, { optedOut: true });
      await world.sync({ only: [id] });
    }
    const introducers = (await read(known)).connections.map(({ introducer }) => introducer.donorId);
    expect(introducers).not.toContain(donorId);
  });
});
