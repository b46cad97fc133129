/** Stores households. A search returns households together with constituents. */
import type { Database } from '../core/database.ts';
import { BLANK_BODY, type Body } from './constituent.ts';

export interface Household {
  id: number;
  name: string;
  headId: number;
  memberIds: readonly number[];
  Status: Body['Status'];
  CommunicationRestrictions: Body['CommunicationRestrictions'];
  modifiedAtMs: number;
}

export interface Households {
  create(household: Pick<Household, 'name' | 'headId' | 'memberIds' | 'modifiedAtMs'>): Household;
  find(id: number): Household | undefined;
  all(): Household[];
}

export function createHouseholds(db: Database): Households {
  const insert = db.prepare('insert into households values (null, ?, ?)');
  const one = db.prepare<[number], Row>('select * from households where id = ?');
  const all = db.prepare<[], Row>('select * from households order by id');
  return {
    create({ modifiedAtMs, ...body }) {
      const { Status, CommunicationRestrictions } = BLANK_BODY;
      const whole = { ...body, Status, CommunicationRestrictions };
      const { lastInsertRowid } = insert.run(modifiedAtMs, JSON.stringify(whole));
      return { id: Number(lastInsertRowid), modifiedAtMs, ...whole };
    },
    find(id) {
      const row = one.get(id);
      return row && toHousehold(row);
    },
    all: () => all.all().map(toHousehold),
  };
}

interface Row {
  id: number;
  modified_at_ms: number;
  body: string;
}

function toHousehold({ id, modified_at_ms, body }: Row): Household {
  return { id, modifiedAtMs: modified_at_ms, ...JSON.parse(body) };
}
