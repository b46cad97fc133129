/** Opens the database of a stand-in, which contains the people of its world. */

import type { World } from '../../people/world.ts';
import { type Database, openDatabase } from '../../service/database.ts';
import { type SettlingProgress, settlePeople } from '../../service/settled-people.ts';

interface Settling {
  /** The file of the database. If the path is missing, the database is in memory. */
  file: string | undefined;
  /** True if the next stand-in in this process may start with a copy of these people. */
  isKept: boolean;
  progress: SettlingProgress;
}

/** The maximum number of people in a copy. A copy of a larger world would need too much memory. */
const MOST_PEOPLE_KEPT = 5_000;

/** Copies of the latest worlds in memory, by seed and number of people. */
const kept = new Map<string, Buffer>();

const MOST_KEPT = 3;

/** Opens the database. Storing people takes a hundred times as long as copying them. */
export function openSettled(world: World, { file, isKept, progress }: Settling): Database {
  if (file !== undefined || !isKept || world.donorCount > MOST_PEOPLE_KEPT) {
    return settled(openDatabase(file), world, progress);
  }
  const name = `${world.seed}/${world.donorCount}`;
  const copy = kept.get(name);
  if (copy !== undefined) return openDatabase(copy);
  const db = settled(openDatabase(undefined), world, progress);
  kept.set(name, db.serialize());
  for (const oldest of [...kept.keys()].slice(0, -MOST_KEPT)) kept.delete(oldest);
  return db;
}

function settled(db: Database, world: World, progress: SettlingProgress): Database {
  try {
    settlePeople(db, world, progress);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}
