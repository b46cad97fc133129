/** Stores which contacts belong to which company. */

import type { Database } from '../core/database.ts';
import { CONTACTS, type ObjectType } from '../core/object-type.ts';

/** Every association has the kind `unlabeled`. One association of each contact also has the kind `primary`. */
export type AssociationKind = 'primary' | 'unlabeled';

/** An association from the perspective of one record. */
export interface Association {
  /** The ID of the other record. */
  id: string;
  kinds: AssociationKind[];
}

/** The associations of an account. The caller must make sure that all IDs belong to records that are not archived. */
export interface Associations {
  /** Returns the associations of a record with records of the other type, sorted by ID. */
  list(from: ObjectType, id: string): Association[];
  /**
   * Adds an association. The company becomes the primary company if it is the contact's first company or if `primary`
   * is set.
   */
  add(contactId: string, companyId: string, primary: boolean): void;
  /** Removes an association, or only its `primary` label. */
  remove(contactId: string, companyId: string, kinds?: readonly AssociationKind[]): void;
  move(type: ObjectType, fromId: string, toId: string): void;
  /** Returns the primary company of a contact, or null if it has none. */
  primaryCompanyOf(contactId: string): string | null;
}

interface AssociationRow {
  id: number;
  kind: AssociationKind;
}

/** Opens the store of associations in a database. */
export function createAssociations(db: Database): Associations {
  const ofContact = db.prepare<[string], AssociationRow>(
    'select company_id as id, kind from associations where contact_id = ? order by company_id, kind',
  );
  const ofCompany = db.prepare<[string], AssociationRow>(
    'select contact_id as id, kind from associations where company_id = ? order by contact_id, kind',
  );
  const primary = db
    .prepare<[string], number>(
      `select company_id from associations where contact_id = ? and kind = 'primary'`,
    )
    .pluck();
  const insert = db.prepare('insert or ignore into associations values (?, ?, ?)');
  const removeKind = db.prepare(
    'delete from associations where contact_id = ? and company_id = ? and kind = ?',
  );
  const removeFirst = db.prepare(
    `delete from associations where contact_id = ? and kind = 'primary'`,
  );

  return {
    list: (from, id) => toAssociations((from === CONTACTS ? ofContact : ofCompany).all(id)),
    add(contactId, companyId, isPrimary) {
      const becomesPrimary = isPrimary || primary.get(contactId) === undefined;
      insert.run(contactId, companyId, 'unlabeled');
      if (!becomesPrimary) return;
      removeFirst.run(contactId);
      insert.run(contactId, companyId, 'primary');
    },
    remove(contactId, companyId, kinds = ['primary', 'unlabeled']) {
      for (const kind of kinds) removeKind.run(contactId, companyId, kind);
    },
    move(type, fromId, toId) {
      const column = type === CONTACTS ? 'contact_id' : 'company_id';
      if (type === CONTACTS && primary.get(toId) !== undefined) removeFirst.run(fromId);
      db.prepare(`update or ignore associations set ${column} = ? where ${column} = ?`).run(
        toId,
        fromId,
      );
      db.prepare(`delete from associations where ${column} = ?`).run(fromId);
    },
    primaryCompanyOf(contactId) {
      const id = primary.get(contactId);
      return id === undefined ? null : `${id}`;
    },
  };
}

function toAssociations(rows: readonly AssociationRow[]): Association[] {
  const found = new Map<number, Association>();
  for (const { id, kind } of rows) {
    const association = found.get(id) ?? { id: `${id}`, kinds: [] };
    association.kinds.push(kind);
    found.set(id, association);
  }
  return [...found.values()];
}
