/** Deletes and restores records together with their child records. */

import type { User } from '../metadata/access.ts';
import type { Catalogue } from '../metadata/catalogue.ts';
import type { ObjectType } from '../metadata/object-type.ts';
import { changeStamps } from './record-values.ts';
import type { Rows } from './rows.ts';

/** The parts of an org that the recycle bin needs. */
export interface BinOrg {
  catalogue: Catalogue;
  rows: Rows;
}

/** Moves a record to the recycle bin. `masterId` is the record into which it was merged. */
export function putIntoBin(
  org: BinOrg,
  user: User,
  type: ObjectType,
  id: string,
  atMs: number,
  masterId?: string,
): void {
  const mark = changeStamps(user, atMs).set('IsDeleted', 1);
  if (masterId !== undefined) mark.set('MasterRecordId', masterId);
  org.rows.update(type, id, mark);
  org.rows.logDeletion(type, id, atMs);
  for (const child of childrenOf(org, type, id, null)) {
    putIntoBin(org, user, child.type, child.id, atMs);
  }
}

/** Restores a record from the recycle bin, together with the records that were deleted at the same moment. */
export function takeOutOfBin(
  org: BinOrg,
  user: User,
  type: ObjectType,
  id: string,
  atMs: number,
): void {
  const wentAtMs = Number(org.rows.read(type, id)?.['SystemModstamp']);
  for (const child of childrenOf(org, type, id, wentAtMs)) {
    takeOutOfBin(org, user, child.type, child.id, atMs);
  }
  const mark = changeStamps(user, atMs).set('IsDeleted', 0);
  if (type.mergeable) mark.set('MasterRecordId', null);
  org.rows.update(type, id, mark);
}

/**
 * Returns a record's child records. Returns either the records that are not deleted, or the records that were deleted
 * at the given moment.
 */
function childrenOf(
  { catalogue, rows }: BinOrg,
  parent: ObjectType,
  id: string,
  wentAtMs: number | null,
) {
  return parent.cascade.flatMap(({ type: name, field }) => {
    const type = catalogue.find(name);
    if (type === undefined) return [];
    return rows.childIds(type, field, id, wentAtMs).map((childId) => ({ type, id: childId }));
  });
}
