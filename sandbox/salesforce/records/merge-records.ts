import type { User } from '../metadata/access.ts';
import type { Catalogue } from '../metadata/catalogue.ts';
import { isStored } from '../metadata/field.ts';
import type { ObjectType } from '../metadata/object-type.ts';
import { type Columns, changeStamps } from './record-values.ts';
import { putIntoBin } from './recycle-bin.ts';
import type { Row, Rows } from './rows.ts';
import type { Transact } from './transactions.ts';

/** The parts of an org that are necessary to merge records. */
export interface MergeOrg {
  catalogue: Catalogue;
  rows: Rows;
  transact: Transact;
}

/** Makes all references to the loser refer to the master record, and moves the loser to the recycle bin. */
export function mergeInto(
  org: MergeOrg,
  user: User,
  type: ObjectType,
  ids: { masterId: string; loserId: string },
  atMs: number,
): void {
  for (const { child, field } of linksTo(org.catalogue, type)) {
    for (const id of org.rows.childIds(child, field, ids.loserId, null)) {
      moveChild(org, child, id, changeStamps(user, atMs).set(field, ids.masterId));
    }
  }
  putIntoBin(org, user, type, ids.loserId, atMs, ids.masterId);
}

export function filledBlanks(type: ObjectType, master: Row, loser: Row): Columns {
  return new Map(
    type.fields
      .filter((field) => isStored(field) && field.createable && field.updateable)
      .filter(({ name }) => (master[name] ?? null) === null && (loser[name] ?? null) !== null)
      .map(({ name }) => [name, loser[name] ?? null]),
  );
}

/** Returns all fields that can refer to records of an object. */
function linksTo(catalogue: Catalogue, type: ObjectType) {
  return catalogue.list().flatMap((child) =>
    child.fields
      .filter((field) => field.reference?.to === type.name && isStored(field))
      .filter(({ name }) => name !== 'MasterRecordId')
      .map(({ name }) => ({ child, field: name })),
  );
}

/**
 * Moves a child record to the master record. If the master already has the same child record, the child is deleted with
 * the loser.
 */
function moveChild(
  { rows, transact }: MergeOrg,
  child: ObjectType,
  id: string,
  columns: ReturnType<typeof changeStamps>,
): void {
  transact(
    () => {
      rows.update(child, id, columns);
      return rows.findTwins(child, id);
    },
    (twins) => twins.length === 0,
  );
}
