import { describe, expect, it } from 'vitest';
import { createWorld } from '../../../people/world.ts';
import { createDemoContacts } from '../../../src/interfaces/cli/commands/demo/contacts.ts';

describe('createDemoContacts', () => {
  it('has as many contacts as it is asked for, each with an id of its own', () => {
    const contacts = createDemoContacts(createWorld({ seed: 1, donors: 500 }), 120);
    expect(new Set(contacts.map(({ id }) => id)).size).toBe(120);
  });

  it.each([2, 3, 4])('finds its people in the world of seed %i too', (seed) => {
    const contacts = createDemoContacts(createWorld({ seed, donors: 2_000 }), 8);
    expect(contacts.filter(({ story }) => story !== null)).toHaveLength(6);
  });
});
