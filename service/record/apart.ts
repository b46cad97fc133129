/** Pairs of donors that are two people according to an operator, so they are never joined. */

import type { Database } from '../database.ts';
import { joinedTo } from './vacancy.ts';

/** Call methods that write in a transaction of the caller. */
export interface Apart {
  add(one: number, other: number): void;
  /** True if two donors, or any two donors who were joined to them, are two people. */
  has(one: number, other: number): boolean;
  /** Removes the pairs of a donor who was erased, and of the donors who were joined to it. */
  forget(number: number): void;
}

/** Opens the pairs of a database. */
export function openApart(db: Database): Apart {
  const insert = db.prepare<[number, number]>('insert or ignore into record_apart values (?, ?)');
  const select = db.prepare<[number, number]>(
    `with recursive ${joinedTo('mine')}, ${joinedTo('theirs')}
     select 1 from record_apart
     where one in (select number from mine) and other in (select number from theirs)
        or one in (select number from theirs) and other in (select number from mine)
     limit 1`,
  );
  const remove = db.prepare<[number]>(
    `with recursive ${joinedTo('gone')}
     delete from record_apart
     where one in (select number from gone) or other in (select number from gone)`,
  );
  const ordered = (one: number, other: number) =>
    [Math.min(one, other), Math.max(one, other)] as const;
  return {
    add(one, other) {
      insert.run(...ordered(one, other));
    },
    has: (one, other) => select.get(one, other) !== undefined,
    forget(number) {
      remove.run(number);
    },
  };
}
