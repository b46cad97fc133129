/** Stores the lists of all teams, and the donors on the lists. */

import { createHash } from 'node:crypto';
import type { Database } from '../database.ts';

/** The name of the system list, which every team has, and which contains every donor on the team's other lists. */
export const ALL_SAVED_DONORS = 'All Saved Donors';

export interface DonorList {
  /** The ID as 32 hexadecimal characters. */
  id: string;
  team: string;
  /** The list's name, which is unique within the team. */
  name: string;
  /** True for a system list, which a team cannot rename or delete. */
  isSystem: boolean;
  createdAtMs: number;
  donorCount: number;
}

/** A donor on a list. Positions increase in the order in which donors are added. */
export interface ListEntry {
  position: number;
  donorNumber: number;
  addedAtMs: number;
}

/** Reads and changes lists. The service makes each change to a list completely or not at all. */
export interface Lists {
  /** Returns a team's lists: first the system list, then the other lists by age. */
  all(team: string): DonorList[];
  /** Returns a list, or undefined if the team has no such list. */
  find(team: string, id: string): DonorList | undefined;
  /** Creates a list. Returns undefined if the team already has a list with this name. */
  create(team: string, name: string): DonorList | undefined;
  /** Renames a list. Returns false if another list of the team has this name. */
  rename(list: DonorList, name: string): boolean;
  delete(list: DonorList): void;
  /** Adds donors to a list and to the system list. Returns the numbers that were not on the list before. */
  add(list: DonorList, donorNumbers: readonly number[]): number[];
  /** Removes donors from a list. If the list is the system list, removes the donors from all lists. */
  remove(list: DonorList, donorNumbers: readonly number[]): void;
  /** Returns the donors that were removed from the list because they were later separated into two people. */
  mixed(list: DonorList): number[];
  /** Returns up to `limit` entries after a position, in order. */
  entries(list: DonorList, after: number, limit: number): ListEntry[];
}

/** Opens the list store in a database. `createId` returns 32 random hexadecimal characters. */
export function createLists(db: Database, clock: () => number, createId: () => string): Lists {
  const sql = prepareStatements(db);

  const openedAtMs = clock();

  /** Creates the team's system list with the team's first change. */
  function openSystemList(team: string): void {
    const id = systemListId(team);
    sql.create.run({ id, team, name: ALL_SAVED_DONORS, isSystem: 1, atMs: openedAtMs });
  }

  /**
   * Returns the system list without storing it, because reading must not write. The team's first change stores the
   * list.
   */
  function describeSystemList(team: string): DonorList {
    const rest = { isSystem: true, createdAtMs: openedAtMs, donorCount: 0 };
    return { id: systemListId(team), team, name: ALL_SAVED_DONORS, ...rest };
  }

  function find(team: string, id: string): DonorList | undefined {
    const row = sql.find.get(id, team);
    if (row !== undefined) return toList(row);
    const isSystem = id === systemListId(team) && sql.system.get(team) === undefined;
    return isSystem ? describeSystemList(team) : undefined;
  }

  return {
    all(team) {
      const lists = sql.all.all(team).map(toList);
      return lists.some(({ isSystem }) => isSystem) ? lists : [describeSystemList(team), ...lists];
    },
    find,
    create(team, name) {
      openSystemList(team);
      const id = createId();
      const isNew = sql.create.run({ id, team, name, isSystem: 0, atMs: clock() }).changes === 1;
      return isNew ? find(team, id) : undefined;
    },
    rename: ({ id }, name) => sql.rename.run({ id, name }).changes === 1,
    delete: db.transaction(({ id }: DonorList) => {
      sql.clear.run(id);
      sql.clearMarks.run(id);
      sql.delete.run(id);
    }),
    add: db.transaction(({ id, team }: DonorList, donorNumbers: readonly number[]) => {
      openSystemList(team);
      return donorNumbers.filter((donorNumber) => {
        const isNew = sql.add.run({ id, donorNumber, atMs: clock() }).changes === 1;
        sql.clearMark.run(id, donorNumber);
        sql.save.run({ team, donorNumber, atMs: clock() });
        return isNew;
      });
    }),
    remove: db.transaction((list: DonorList, donorNumbers: readonly number[]) => {
      for (const donorNumber of donorNumbers) {
        sql.clearMark.run(list.id, donorNumber);
        if (list.isSystem) {
          sql.forget.run(list.team, donorNumber);
        } else {
          sql.remove.run(list.id, donorNumber);
        }
      }
    }),
    mixed: ({ id }) => sql.mixed.all(id),
    entries: ({ id }, after, limit) => sql.entries.all(id, after, limit),
  };
}

/** Returns the system list's ID, which is the same before and after the list is stored. */
function systemListId(team: string): string {
  return createHash('sha256').update(`system list of ${team}`).digest('hex').slice(0, 32);
}

type Row = Omit<DonorList, 'isSystem'> & { isSystem: number };

function toList(row: Row): DonorList {
  return { ...row, isSystem: row.isSystem === 1 };
}

const LISTS = `
  select list_id id, team, name, is_system isSystem, created_at_ms createdAtMs,
         (select count(*) from list_donors where list_donors.list_id = lists.list_id) donorCount
  from lists`;

function prepareStatements(db: Database) {
  return {
    all: db.prepare<[string], Row>(`${LISTS} where team = ? order by is_system desc, position`),
    find: db.prepare<[string, string], Row>(`${LISTS} where list_id = ? and team = ?`),
    system: db.prepare<[string], unknown>('select 1 from lists where team = ? and is_system = 1'),
    create: db.prepare<
      [{ id: string; team: string; name: string; isSystem: number; atMs: number }]
    >(
      `insert or ignore into lists (list_id, team, name, is_system, created_at_ms)
       values (@id, @team, @name, @isSystem, @atMs)`,
    ),
    rename: db.prepare<[{ id: string; name: string }]>(
      'update or ignore lists set name = @name where list_id = @id',
    ),
    delete: db.prepare<[string]>('delete from lists where list_id = ?'),
    clear: db.prepare<[string]>('delete from list_donors where list_id = ?'),
    clearMark: db.prepare<[string, number]>(
      "delete from mixed_places where kind = 'list' and place = ? and donor = ?",
    ),
    clearMarks: db.prepare<[string]>("delete from mixed_places where kind = 'list' and place = ?"),
    mixed: db
      .prepare<[string], number>(
        "select donor from mixed_places where kind = 'list' and place = ? order by donor",
      )
      .pluck(),
    add: db.prepare<[{ id: string; donorNumber: number; atMs: number }]>(
      `insert or ignore into list_donors (list_id, donor_number, added_at_ms)
       values (@id, @donorNumber, @atMs)`,
    ),
    save: db.prepare<[{ team: string; donorNumber: number; atMs: number }]>(
      `insert or ignore into list_donors (list_id, donor_number, added_at_ms)
       select list_id, @donorNumber, @atMs from lists where team = @team and is_system = 1`,
    ),
    remove: db.prepare<[string, number]>(
      'delete from list_donors where list_id = ? and donor_number = ?',
    ),
    forget: db.prepare<[string, number]>(
      `delete from list_donors
       where list_id in (select list_id from lists where team = ?) and donor_number = ?`,
    ),
    entries: db.prepare<[string, number, number], ListEntry>(
      `select position, donor_number donorNumber, added_at_ms addedAtMs from list_donors
       where list_id = ? and position > ? order by position limit ?`,
    ),
  };
}
