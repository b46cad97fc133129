/** Stores the data about a world's people in a new database. */

import { z } from 'zod';
import { dayOf } from './connections/calendar.ts';
import { tiesOf } from './connections/tie.ts';
import { writeTies } from './connections/tie-store.ts';
import { createTieTableBuilder } from './connections/tie-table-builder.ts';
import type { Database } from './database.ts';
import type { World } from './donor.ts';
import { createDonorRows } from './matcher/donor-rows.ts';
import { INDEX_VERSION } from './matcher/tables.ts';
import { Refusal } from './operation/refusal.ts';
import { isVacant } from './record/vacancy.ts';
import { createFactWriter } from './search/facts.ts';

/** Receives the number of people that have been stored so far. */
export type SettlingProgress = (settled: number, total: number) => void;

/** The description of a world that contains only imported people. */
export const IMPORTED = 'imported people';

/** The number of people after which progress is reported again. */
const REPORT_EVERY = 50_000;

/**
 * Stores the data about a world's people in a new database. The function stores people's names for the matcher and
 * their ties for the connections. The function stores either all people or none. If the start is interrupted, the
 * database stays empty. If the database contains a different world, throws an error, because its jobs would lead to
 * other people.
 */
export function settlePeople(db: Database, world: World, onProgress?: SettlingProgress): void {
  const present = readSettled(db);
  const wanted = settledOf(world);
  if (present === null) {
    db.transaction(() => settle(db, world, onProgress)).immediate();
  } else if (describe(present) !== describe(wanted)) {
    throw new Error(
      `The database holds a world of ${describe(present)}, not of ${describe(wanted)}.`,
    );
  } else if (db.pragma('user_version', { simple: true }) !== INDEX_VERSION) {
    db.transaction(() => indexAnew(db, world, onProgress)).immediate();
  }
}

/**
 * Stores the people of a world to which people have been added. If the people in the database differ from the people of
 * the world, all data that is derived from the people is created again. The numbers of donors stay the same, so jobs,
 * lists and networks still lead to the same people. Returns true if the database contained other people before.
 */
export function settleAnew(db: Database, world: World): boolean {
  const present = readSettled(db);
  if (present !== null && !present.realPeople.includes(IMPORTED)) {
    throw new Refusal(
      `The database belongs to a stand-in, with a world of ${describe(present)}. Choose another file.`,
    );
  }
  if (present !== null && describe(present) !== describe(settledOf(world))) {
    db.transaction(() => {
      db.exec(`
        delete from settled_people; delete from tie_columns; delete from circle_names;
        delete from search_columns; delete from search_places;
      `);
      settle(db, world, undefined);
    }).immediate();
    return true;
  }
  settlePeople(db, world);
  return false;
}

function settle(db: Database, world: World, onProgress: SettlingProgress | undefined): void {
  const names = createDonorRows(db);
  const today = dayOf(world.asOf);
  const ties = createTieTableBuilder(today);
  const facts = createFactWriter(db, world.donorCount);
  for (let number = 0; number < world.donorCount; number++) {
    const donor = world.donor(number);
    if (!isVacant(donor)) names.add(number, donor);
    ties.add(tiesOf(donor, today));
    facts.add(donor);
    if ((number + 1) % REPORT_EVERY === 0) onProgress?.(number + 1, world.donorCount);
  }
  names.finish();
  facts.finish();
  const { table, names: circles } = ties.finish();
  writeTies(db, table, circles);
  const { seed, donors, realPeople } = settledOf(world);
  db.prepare(
    'insert into settled_people (only, seed, donors, real_people, as_of) values (1, ?, ?, ?, ?)',
  ).run(seed, donors, realPeople, world.asOf);
}

/** Creates the index of names, houses and employers again, because a different version of the service created it. */
function indexAnew(db: Database, world: World, onProgress: SettlingProgress | undefined): void {
  const rows = createDonorRows(db);
  for (let number = 0; number < world.donorCount; number++) {
    const donor = world.donor(number);
    if (!isVacant(donor)) rows.add(number, donor);
    if ((number + 1) % REPORT_EVERY === 0) onProgress?.(number + 1, world.donorCount);
  }
  rows.finish();
}

/** Returns the ISO date of the world at the time when the people's relationships were stored. */
export function readSettledDay(db: Database): string {
  const day = db.prepare<[], string>('select as_of from settled_people').pluck().get();
  if (day === undefined) throw new Error('The database has no people yet.');
  return day;
}

const settledSchema = z.object({
  seed: z.number(),
  /** The number of all people, including real people. */
  donors: z.number(),
  /** A description of the real people, as in `World.realPeople`. Empty if there are none. */
  realPeople: z.string(),
});

type Settled = z.infer<typeof settledSchema>;

function readSettled(db: Database): Settled | null {
  const row = db
    .prepare('select seed, donors, real_people as realPeople from settled_people')
    .get();
  return row === undefined ? null : settledSchema.parse(row);
}

function settledOf({ seed, donorCount, realPeople }: World): Settled {
  return { seed, donors: donorCount, realPeople: realPeople ?? '' };
}

function describe({ seed, donors, realPeople }: Settled): string {
  return `seed ${seed} with ${donors} donors${realPeople === '' ? '' : `, of them ${realPeople}`}`;
}
