/** Stores pairs of donors that an operator has identified as two different people, whom the service never joins. */

import type { Database } from '../database.ts';
import { joinedTo } from './vacancy.ts';

/** Pairs of different people. Call the methods that write only inside a transaction. */
export interface Apart {
  add(one: number, other: number): void;
  /**
   * Returns true if an operator has decided that the two donors are two different people. The decision also applies to
   * every donor that was joined to one of the two donors.
   */
  has(one: number, other: number): boolean;
  /**
   * Removes the pairs of an erased donor, and the pairs of donors who were joined to that donor.
   */
  forget(number: number): void;
}

/** Opens the store of pairs in a database. */
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
