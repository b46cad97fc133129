/** Groups of constituents. The API returns groups only inside the records of their members. */
import type { Database } from '../core/database.ts';

export interface Group {
  id: number;
  name: string;
  description: string;
}

export interface Groups {
  /** Returns the group with this name, and creates it if necessary. */
  open(name: string): Group;
  find(id: number): Group | undefined;
}

export function createGroups(db: Database): Groups {
  const byName = db.prepare<[string], Group>('select * from groups where name = ?');
  const byId = db.prepare<[number], Group>('select * from groups where id = ?');
  const insert = db.prepare('insert into groups values (null, ?, ?)');
  return {
    open(name) {
      const present = byName.get(name);
      if (present !== undefined) return present;
      const description = `The group ${name}`;
      return { id: Number(insert.run(name, description).lastInsertRowid), name, description };
    },
    find: (id) => byId.get(id),
  };
}
