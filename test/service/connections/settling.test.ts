import { describe, expect, it, onTestFinished } from 'vitest';
import { createWorld } from '../../../people/world.ts';
import { openConnectionEngine } from '../../../service/connections/engine.ts';
import { type Database, openDatabase } from '../../../service/database.ts';
import type { World } from '../../../service/donor.ts';
import { settlePeople } from '../../../service/settled-people.ts';
import { openEngine } from './open-engine.ts';

const WORLD = createWorld({ seed: 4, donors: 300 });

describe('settling the people of a world', () => {
  it('is done once: a database that has them is opened without asking for anybody', () => {
    const db = aDatabase();
    const first = openConnectionEngine(db, WORLD);
    const again = openConnectionEngine(db, worldWithout(0));
    for (let donor = 0; donor < WORLD.donorCount; donor += 13) {
      const all = { minStrength: 0 };
      expect(again.find(donor, all)).toEqual(first.find(donor, all));
    }
  });

  it('begins anew after it was interrupted', () => {
    const db = aDatabase();
    expect(() => settlePeople(db, worldWithout(250))).toThrow('gone');
    const engine = openConnectionEngine(db, WORLD);
    const other = openEngine(WORLD);
    for (let donor = 0; donor < WORLD.donorCount; donor += 13) {
      expect(engine.find(donor, { minStrength: 0 })).toEqual(other.find(donor, { minStrength: 0 }));
    }
  });

  it('refuses a database of other people, also of as many', () => {
    const db = aDatabase();
    settlePeople(db, WORLD);
    const realPeople = { description: '100 real people (abc)', donors: [] };
    expect(() => settlePeople(db, createWorld({ seed: 5, donors: 300 }))).toThrow('seed 4');
    expect(() => settlePeople(db, createWorld({ seed: 4, donors: 301 }))).toThrow('300 donors');
    expect(() => settlePeople(db, createWorld({ seed: 4, donors: 300, realPeople }))).toThrow(
      'abc',
    );
  });

  it('tells of its progress in a large world', () => {
    const [donor, reported] = [WORLD.donor(0), [] as [number, number][]];
    const world = { ...WORLD, donorCount: 60_000, donor: () => donor };
    settlePeople(aDatabase(), world, (settled, total) => reported.push([settled, total]));
    expect(reported).toEqual([[50_000, 60_000]]);
  });
});

function aDatabase(): Database {
  const db = openDatabase(undefined);
  onTestFinished(() => {
    db.close();
  });
  return db;
}

/** Returns the world without the people from the given number on. Reading a missing person throws an error. */
function worldWithout(first: number): World {
  return {
    ...WORLD,
    donor(n) {
      if (n >= first) throw new Error('gone');
      return WORLD.donor(n);
    },
  };
}
