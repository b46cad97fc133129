/**
 * Stores addresses, email addresses and phones as separate records. Of each kind, one record is the constituent's
 * primary record.
 */
import { z } from 'zod';
import type { Database } from '../core/database.ts';

export const DETAIL_KINDS = ['address', 'email', 'phone'] as const;

export type DetailKind = (typeof DETAIL_KINDS)[number];

const text = z.string().nullish();

export const detailSchemas = {
  address: z.object({
    Type: z.enum(['Home', 'Vacation', 'Work']).default('Home'),
    Street: text,
    City: text,
    State: text,
    PostalCode: text,
    Country: text,
    IsBad: z.boolean().default(false),
  }),
  email: z.object({
    Type: z.enum(['Home', 'Work']).default('Home'),
    Value: z.string(),
    IsBad: z.boolean().default(false),
  }),
  phone: z.object({
    Type: z.enum(['Home', 'Work', 'Mobile', 'Fax']).default('Home'),
    Extension: text,
    Number: z.string(),
  }),
} as const satisfies Record<DetailKind, z.ZodType>;

export interface Detail {
  id: number;
  kind: DetailKind;
  constituentId: number;
  isPrimary: boolean;
  modifiedAtMs: number;
  body: Readonly<Record<string, unknown>>;
}

export interface Details {
  /** Returns a constituent's addresses, email addresses and phones. The primary record comes first. */
  of(constituentId: number): Detail[];
  list(kind: DetailKind): Detail[];
  find(kind: DetailKind, id: number): Detail | undefined;
  /** Adds a record. If the new record is primary, the current primary record becomes secondary. */
  add(detail: Omit<Detail, 'id'>): Detail;
  update(detail: Detail): void;
  remove(id: number): void;
  /** Removes the primary record of this kind. */
  removePrimary(constituentId: number, kind: DetailKind): void;
}

export function createDetails(db: Database): Details {
  const byConstituent = db.prepare<[number], Row>(
    'select * from details where constituent_id = ? order by is_primary desc, id',
  );
  const byKind = db.prepare<[string], Row>('select * from details where kind = ? order by id');
  const one = db.prepare<[string, number], Row>('select * from details where kind = ? and id = ?');
  const insert = db.prepare('insert into details values (null, ?, ?, ?, ?, ?)');
  const demote = db.prepare(
    'update details set is_primary = 0 where constituent_id = ? and kind = ?',
  );

  return {
    of: (constituentId) => byConstituent.all(constituentId).map(toDetail),
    list: (kind) => byKind.all(kind).map(toDetail),
    find(kind, id) {
      const row = one.get(kind, id);
      return row && toDetail(row);
    },
    add(detail) {
      const { kind, constituentId, isPrimary, modifiedAtMs, body } = detail;
      if (isPrimary) demote.run(constituentId, kind);
      const values = [kind, constituentId, isPrimary ? 1 : 0, modifiedAtMs, JSON.stringify(body)];
      return { ...detail, id: Number(insert.run(...values).lastInsertRowid) };
    },
    update({ id, kind, constituentId, isPrimary, modifiedAtMs, body }) {
      if (isPrimary) demote.run(constituentId, kind);
      db.prepare(
        'update details set is_primary = ?, modified_at_ms = ?, body = ? where id = ?',
      ).run(isPrimary ? 1 : 0, modifiedAtMs, JSON.stringify(body), id);
    },
    remove: (id) => void db.prepare('delete from details where id = ?').run(id),
    removePrimary(constituentId, kind) {
      db.prepare('delete from details where constituent_id = ? and kind = ? and is_primary').run(
        constituentId,
        kind,
      );
    },
  };
}

interface Row {
  id: number;
  kind: DetailKind;
  constituent_id: number;
  is_primary: number;
  modified_at_ms: number;
  body: string;
}

function toDetail({ id, kind, constituent_id, is_primary, modified_at_ms, body }: Row): Detail {
  return {
    id,
    kind,
    constituentId: constituent_id,
    isPrimary: is_primary === 1,
    modifiedAtMs: modified_at_ms,
    body: JSON.parse(body),
  };
}
