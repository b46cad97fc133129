/**
 * Stores for which parts of a joined donor a team created a job, a member or a list entry. After an operator undoes the
 * join, an entry that was created for one part leads to that part. An entry that was created while two people were one
 * donor leads to nobody after the join is undone.
 */

import type { Database } from '../database.ts';
import { TWO_PEOPLE } from '../two-people.ts';
import { joinedTo } from './vacancy.ts';

/** A team's data that was created while two people were one donor. */
export interface Mixed {
  team: string;
  jobs: number;
  /** The number of members of networks. */
  members: number;
  /** The number of entries in lists. */
  places: number;
}

export interface Leaving {
  /** The joined donor's number. */
  number: number;
  /** The IDs of all of the donor's parts. */
  all: readonly string[];
  /** The ID of the part that is separated, and the number that it gets. */
  id: string;
  ownNumber: number;
}

/** Functions for entries of joined donors, to be called inside a transaction. */
export interface MixedPlaces {
  /**
   * Adds a note to each entry of a donor that has no note yet. The note names the parts for which the entry was
   * created.
   */
  mark(number: number, parts: readonly string[]): void;
  /**
   * Changes entries after a join. If a list or a network contains the two joined donors, only the entry of the kept
   * donor remains. The remaining entry belongs to each part of the joined donor.
   */
  unite(from: number, to: number): void;
  /**
   * Divides the entries of a joined donor after a join has been undone. Returns the entries that were created for this
   * part together with another part.
   */
  divide(leaving: Leaving): Mixed[];
  /** Removes the notes about the parts of a joined donor. */
  clear(number: number): void;
  /** Removes the notes about a donor that is being erased. */
  forget(number: number): void;
}

/** The tables whose entries refer to donors. */
const TABLES = [
  { table: 'list_donors', place: 'list_id', donor: 'donor_number', kind: 'list' },
  { table: 'network_members', place: 'network', donor: 'donor', kind: 'network' },
] as const;

const COUNTED = { list: 'places', network: 'members' } as const;

/**
 * The separator in a note. An entry can belong to several parts that were added separately, and each part may consist
 * of joined donors.
 */
const BETWEEN_PLACES = '|';
const BETWEEN_PARTS = ' ';

/** Opens a database's entries. */
export function openMixedPlaces(db: Database): MixedPlaces {
  const marking = [{ table: 'jobs', donor: 'donor_number' }, ...TABLES].map(({ table, donor }) => ({
    mark: db.prepare<[string, number]>(
      `update ${table} set parts = ? where ${donor} = ? and parts is null`,
    ),
    clear: db.prepare<[number]>(`update ${table} set parts = null where ${donor} = ?`),
  }));
  const uniting = TABLES.map(({ table, place, donor }) =>
    db.prepare<[{ from: number; to: number }]>(
      `update ${table} set parts = parts || '${BETWEEN_PLACES}' ||
         (select other.parts from ${table} other where other.${place} = ${table}.${place} and other.${donor} = @from)
       where ${donor} = @to
         and ${place} in (select ${place} from ${table} where ${donor} = @from)`,
    ),
  );
  const keepPlaces = db.prepare<[{ from: number; to: number }]>(
    `insert or replace into joined_places (donor, list_id, position, added_at_ms)
     select donor_number, list_id, position, added_at_ms from list_donors
     where donor_number = @from and list_id in (select list_id from list_donors where donor_number = @to)`,
  );
  const dropKept = db.prepare<[number]>('delete from joined_places where donor = ?');
  const forgetKept = db.prepare<[number]>(
    `with recursive ${joinedTo('gone')}
     delete from joined_places where donor in (select number from gone)`,
  );
  const forget = db.prepare<[number]>('delete from mixed_places where donor = ?');
  return {
    mark(number, parts) {
      for (const { mark } of marking) mark.run(parts.join(BETWEEN_PARTS), number);
    },
    unite(from, to) {
      for (const statement of uniting) statement.run({ from, to });
      keepPlaces.run({ from, to });
    },
    divide(leaving) {
      const counts = createCounts();
      divideJobs(db, leaving, counts);
      for (const one of TABLES) dividePlaces(db, one, leaving, counts);
      dropKept.run(leaving.ownNumber);
      renewMembers(db, leaving);
      return counts.all();
    },
    clear(number) {
      for (const { clear } of marking) clear.run(number);
    },
    forget(number) {
      forgetKept.run(number);
      forget.run(number);
    },
  };
}

type Counts = ReturnType<typeof createCounts>;

function createCounts() {
  const teams = new Map<string, Mixed>();
  return {
    add(team: string, what: 'jobs' | 'members' | 'places'): void {
      const mixed = teams.get(team) ?? { team, jobs: 0, members: 0, places: 0 };
      mixed[what] += 1;
      teams.set(team, mixed);
    },
    all: () => [...teams.values()].toSorted((a, b) => (a.team < b.team ? -1 : 1)),
  };
}

/** Describes how an entry is divided. The division depends on the parts for which the entry was created. */
interface Division {
  /** True if the entry was created only for the part that the undo separates. */
  leaves: boolean;
  /** True if the entry was created while the separated part and another part were one donor. */
  isMixed: boolean;
  /** The parts of the donor that keep the entry. */
  stays: string[];
}

function divisionOf(parts: string | null, { all, id }: Leaving): Division {
  const places = (parts ?? all.join(BETWEEN_PARTS)).split(BETWEEN_PLACES);
  const withPart = places.filter((place) => place.split(BETWEEN_PARTS).includes(id));
  return {
    leaves: withPart.includes(id),
    isMixed: withPart.some((place) => place !== id),
    stays: places.filter((place) => !withPart.includes(place)),
  };
}

function divideJobs(db: Database, leaving: Leaving, counts: Counts): void {
  const select = db.prepare<[number], { id: string; team: string; parts: string | null }>(
    'select id, team, parts from jobs where donor_number = ?',
  );
  const leave = db.prepare<[number, string]>(
    'update jobs set donor_number = ?, parts = null where id = ?',
  );
  const mix = db.prepare<[string, string]>(
    `update jobs set donor_number = null, match = null, parts = null, is_mixed = 1, error = ?
     where id = ?`,
  );
  for (const { id, team, parts } of select.all(leaving.number)) {
    const { leaves, isMixed } = divisionOf(parts, leaving);
    if (leaves) leave.run(leaving.ownNumber, id);
    if (!isMixed) continue;
    mix.run(TWO_PEOPLE, id);
    counts.add(team, 'jobs');
  }
  // Restores the donor number from before the join. The cast is necessary to store the number as an integer.
  const returnRunnersUp = db.prepare<[number, number, number]>(
    `update jobs
     set match = json_remove(json_set(match, '$.runnerUp.donorNumber', cast(? as integer)), '$.runnerUp.was')
     where json_extract(match, '$.runnerUp.donorNumber') = ? and json_extract(match, '$.runnerUp.was') = ?`,
  );
  returnRunnersUp.run(leaving.ownNumber, leaving.number, leaving.ownNumber);
}

function dividePlaces(
  db: Database,
  { table, place, donor, kind }: (typeof TABLES)[number],
  leaving: Leaving,
  counts: Counts,
): void {
  const teams =
    kind === 'list' ? 'lists on lists.list_id = list_id' : 'networks on networks.number = network';
  const select = db.prepare<
    [number],
    { place: string | number; team: string; parts: string | null }
  >(
    `select ${table}.${place} place, team, parts from ${table} join ${teams.replace('= list_id', `= ${table}.list_id`)}
     where ${donor} = ?`,
  );
  const remove = db.prepare<[string | number, number]>(
    `delete from ${table} where ${place} = ? and ${donor} = ?`,
  );
  const keep = db.prepare<[string, string | number, number]>(
    `update ${table} set parts = ? where ${place} = ? and ${donor} = ?`,
  );
  const move = db.prepare<[number, string | number, number]>(
    `update ${table} set ${donor} = ?, parts = null where ${place} = ? and ${donor} = ?`,
  );
  const leave = db.prepare<[Leave]>(LEAVING[kind]);
  const mix = db.prepare<[string, string, string, number]>(
    'insert or ignore into mixed_places (kind, place, team, donor) values (?, ?, ?, ?)',
  );
  for (const row of select.all(leaving.number)) {
    const { leaves, isMixed, stays } = divisionOf(row.parts, leaving);
    const isMoved = leaves && stays.length === 0;
    if (isMoved) move.run(leaving.ownNumber, row.place, leaving.number);
    else if (leaves) leave.run({ ...leaving, place: row.place });
    if (isMixed) {
      mix.run(kind, String(row.place), row.team, leaving.number);
      counts.add(row.team, COUNTED[kind]);
    }
    if (isMoved) continue;
    if (stays.length === 0) remove.run(row.place, leaving.number);
    else keep.run(stays.join(BETWEEN_PLACES), row.place, leaving.number);
  }
}

interface Leave {
  number: number;
  ownNumber: number;
  place: string | number;
}

/**
 * Statements that create an entry for the separated part if the other part also keeps its entry. In a list, the new
 * entry gets the position that the part had before the join.
 */
const LEAVING = {
  list: `
    insert or ignore into list_donors (position, list_id, donor_number, added_at_ms)
    select (select before.position from joined_places before
            where before.donor = @ownNumber and before.list_id = @place
              and not exists (select 1 from list_donors taken where taken.position = before.position)),
           list_id, @ownNumber,
           coalesce((select before.added_at_ms from joined_places before
                     where before.donor = @ownNumber and before.list_id = @place), added_at_ms)
    from list_donors where list_id = @place and donor_number = @number`,
  network: `
    insert or ignore into network_members (network, donor)
    select network, @ownNumber from network_members where network = @place and donor = @number`,
};

/** Computes the connections of the two members and all other connections again, because people have changed. */
function renewMembers(db: Database, { number, ownNumber }: Leaving): void {
  const dropConnections = db.prepare<[number]>(
    'delete from stored_connections where member in (select number from stored_members where donor = ?)',
  );
  const drop = db.prepare<[number]>('delete from stored_members where donor = ?');
  const add = db.prepare<[number]>(
    `insert into stored_members (team, donor, other_ends)
     select distinct team, donor, x'' from network_members join networks on networks.number = network
     where donor = ?`,
  );
  for (const one of [number, ownNumber]) {
    dropConnections.run(one);
    drop.run(one);
    add.run(one);
  }
}
