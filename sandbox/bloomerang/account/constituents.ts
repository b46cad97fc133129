/** Stores constituents. No response contains deleted or merged constituents. */
import type { Database } from '../core/database.ts';
import type { Body, Constituent } from './constituent.ts';

/** The conditions of a request for a list. An undefined condition matches every constituent. */
export interface ListQuery {
  type: string | undefined;
  ids: readonly number[] | undefined;
  modifiedAfterMs: number | undefined;
  custom: { fieldId: string; value: string } | undefined;
  orderBy: 'id' | 'created_at_ms' | 'modified_at_ms';
  descending: boolean;
  skip: number;
  take: number;
}

export interface Constituents {
  find(id: number): Constituent | undefined;
  /** Returns true if the constituent exists, even if it is deleted or hidden. */
  exists(id: number): boolean;
  list(query: ListQuery): { rows: Constituent[]; total: number; totalFiltered: number };
  all(): Constituent[];
  /** Returns the number of constituents that are not deleted or hidden. */
  count(): number;
  create(constituent: Omit<Constituent, 'id'>): Constituent;
  /** Stores the body of a constituent. `touches` is false if Bloomerang does not count the change as a modification. */
  save(constituent: Constituent, author: { by: string; atMs: number; touches: boolean }): void;
  delete(id: number): void;
  /** Hides a constituent from the API key's user, or shows it again. */
  hide(id: number, isHidden: boolean): void;
  changes(id: number): { at: string; by: string; before: Body }[];
}

const PRESENT = 'deleted = 0 and hidden = 0';

export function createConstituents(db: Database): Constituents {
  const one = db.prepare<[number], Row>(`select * from constituents where id = ? and ${PRESENT}`);
  const any = db.prepare<[number], number>('select 1 from constituents where id = ?').pluck();
  const total = db
    .prepare<[], number>(`select count(*) from constituents where ${PRESENT}`)
    .pluck();
  const insert = db.prepare(
    'insert into constituents (id, account_number, type, created_at_ms, modified_at_ms, modified_by, body) values (null, ?, ?, ?, ?, ?, ?)',
  );
  const update = db.prepare(
    'update constituents set type = ?, modified_at_ms = ?, modified_by = ?, body = ? where id = ?',
  );
  const addChange = db.prepare('insert into changes values (?, ?, ?, ?)');

  return {
    find(id) {
      const row = one.get(id);
      return row && toConstituent(row);
    },
    exists: (id) => any.get(id) !== undefined,
    list(query) {
      const { where, values } = toConditions(query);
      const order = `${query.orderBy} ${query.descending ? 'desc' : 'asc'}, id`;
      const rows = db
        .prepare<unknown[], Row>(
          `select * from constituents where ${where} order by ${order} limit ? offset ?`,
        )
        .all(...values, query.take, query.skip);
      const totalFiltered = db
        .prepare<unknown[], number>(`select count(*) from constituents where ${where}`)
        .pluck()
        .get(...values);
      return {
        rows: rows.map(toConstituent),
        total: total.get() ?? 0,
        totalFiltered: totalFiltered ?? 0,
      };
    },
    all: () =>
      db
        .prepare<[], Row>(`select * from constituents where ${PRESENT} order by id`)
        .all()
        .map(toConstituent),
    count: () => total.get() ?? 0,
    create(constituent) {
      const { accountNumber, type, createdAtMs, modifiedAtMs, modifiedBy, body } = constituent;
      const values = [accountNumber, type, createdAtMs, modifiedAtMs, modifiedBy];
      const { lastInsertRowid } = insert.run(...values, JSON.stringify(body));
      return { ...constituent, id: Number(lastInsertRowid) };
    },
    save({ id, type, modifiedAtMs, modifiedBy, body }, { by, atMs, touches }) {
      const before = one.get(id);
      if (before !== undefined) addChange.run(id, atMs, by, before.body);
      const text = JSON.stringify(body);
      update.run(type, touches ? atMs : modifiedAtMs, touches ? by : modifiedBy, text, id);
    },
    delete: (id) => void db.prepare('update constituents set deleted = 1 where id = ?').run(id),
    hide(id, isHidden) {
      db.prepare('update constituents set hidden = ? where id = ?').run(isHidden ? 1 : 0, id);
    },
    changes: (id) =>
      db
        .prepare<[number], { at_ms: number; by: string; before: string }>(
          'select * from changes where constituent_id = ? order by rowid',
        )
        .all(id)
        .map(({ at_ms, by, before }) => ({
          at: new Date(at_ms).toISOString(),
          by,
          before: JSON.parse(before),
        })),
  };
}

function toConditions({ type, ids, modifiedAfterMs, custom }: ListQuery) {
  const conditions = [PRESENT];
  const values: unknown[] = [];
  if (type !== undefined) {
    conditions.push('type = ?');
    values.push(type);
  }
  if (ids !== undefined) {
    conditions.push(`id in (${ids.map(() => '?').join(', ')})`);
    values.push(...ids);
  }
  if (modifiedAfterMs !== undefined) {
    conditions.push('modified_at_ms > ?');
    values.push(modifiedAfterMs);
  }
  if (custom !== undefined) {
    conditions.push("json_extract(body, '$.custom.\"' || ? || '\"') = ?");
    values.push(custom.fieldId, custom.value);
  }
  return { where: conditions.join(' and '), values };
}

interface Row {
  id: number;
  account_number: number;
  type: Constituent['type'];
  created_at_ms: number;
  modified_at_ms: number;
  modified_by: string;
  body: string;
}

function toConstituent(row: Row): Constituent {
  return {
    id: row.id,
    accountNumber: row.account_number,
    type: row.type,
    createdAtMs: row.created_at_ms,
    modifiedAtMs: row.modified_at_ms,
    modifiedBy: row.modified_by,
    body: JSON.parse(row.body),
  };
}
