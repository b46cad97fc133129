/** Merges two records into a new record, which gets the associations of the merged records. */

import { CONTACTS, type ObjectType } from '../core/object-type.ts';
import type { StoredRecord } from '../records/record.ts';
import type { Author, MergeOptions } from '../records/record-store.ts';
import { type Account, followPrimaryCompany } from './account.ts';

/** Merges two records and their associations. Returns undefined if one of the records does not exist. */
export function mergeRecords(
  account: Account,
  type: ObjectType,
  { primaryId, otherId }: { primaryId: string; otherId: string },
  author: Author,
  options: MergeOptions = {},
): StoredRecord | undefined {
  const { store } = account;
  return store.transact(() => {
    // The IDs are looked up again, because the caller may use earlier IDs and a merge changes IDs.
    const ids = [primaryId, otherId].map((id) => store.read(type, id)?.id);
    const merged = store.merge(type, primaryId, otherId, author, options);
    if (merged === undefined) return undefined;
    for (const id of ids) {
      if (id !== undefined && id !== merged.id) moveTies(account, type, id, merged.id, author);
    }
    return store.read(type, merged.id);
  });
}

function moveTies(
  account: Account,
  type: ObjectType,
  fromId: string,
  toId: string,
  author: Author,
): void {
  const { associations } = account;
  const contactIds =
    type === CONTACTS ? [toId] : associations.list(type, fromId).map(({ id }) => id);
  associations.move(type, fromId, toId);
  for (const contactId of contactIds) followPrimaryCompany(account, contactId, author);
}
