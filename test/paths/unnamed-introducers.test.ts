import { afterEach, expect, it } from 'vitest';
import type { FieldValue } from '../../src/core/crm-field.ts';
import { createPathWorld, INTRODUCER, type PathWorld } from './path-world.ts';

let world: PathWorld;
afterEach(() => world.close());

/** Returns the contacts that each member introduces. */
function byIntroducer(): Map<FieldValue, string[]> {
  return Map.groupBy(world.filled(INTRODUCER).keys(), (id) => world.crm.valueOf(id, INTRODUCER));
}

/** Returns the ID and name of the board member who introduces the most contacts. */
async function findIntroducer(): Promise<{ id: string; name: FieldValue }> {
  const named = [...byIntroducer()].toSorted(([, a], [, b]) => b.length - a.length);
  const members = world.people.slice(0, 20);
  for (const [name] of named) {
    for (const id of members) {
      const contact = world.crm.records.get(id)?.contact;
      if (name === `${contact?.firstName} ${contact?.lastName}`) return { id, name };
    }
  }
  throw new Error('Nobody on the board introduces anyone');
}

it.each<[string, Parameters<PathWorld['crm']['editContact']>[1]]>([
  ['has died', { excluded: 'deceased' }],
  ['wants no contact', { excluded: 'do_not_contact' }],
  ['has opted out', { optedOut: true }],
  ['objects', { optedOut: true, objects: true }],
])('names no introducer who %s, and keeps everybody else', async (_, marks) => {
  world = await createPathWorld();
  await world.sync();
  const { id, name } = await findIntroducer();
  const before = byIntroducer();
  world.crm.editContact(id, marks);
  await world.sync();
  const after = byIntroducer();
  expect(after.get(name)).toBeUndefined();
  for (const [other, contacts] of before) {
    if (other === name) continue;
    const kept = new Set(after.get(other));
    expect(contacts.filter((contact) => contact !== id && !kept.has(contact))).toEqual([]);
  }
});

it('names no introducer whose opt-out is in doubt, because many were marked at once', async () => {
  world = await createPathWorld();
  await world.sync();
  const marked = new Set(world.people.slice(0, 60));
  const others = () => [...world.filled(INTRODUCER).keys()].filter((id) => !marked.has(id));
  expect(others().length).toBeGreaterThan(0);
  for (const id of marked) world.crm.editContact(id, { optedOut: true });
  await world.sync();
  expect(others()).toEqual([]);
});
