import { describe, expect, it } from 'vitest';
import { createWorld } from '../../people/world.ts';
import { createCast } from '../../src/cli/commands/demo/cast.ts';

describe('createCast', () => {
  it('has as many contacts as it is asked for, each with an id of its own', () => {
    const contacts = createCast(createWorld({ seed: 1, donors: 500 }), 120);
    expect(new Set(contacts.map(({ id }) => id)).size).toBe(120);
  });

  it.each([2, 3, 4])('finds its people in the world of seed %i too', (seed) => {
    const contacts = createCast(createWorld({ seed, donors: 2_000 }), 8);
    expect(contacts.filter(({ story }) => story !== null)).toHaveLength(6);
  });
});
