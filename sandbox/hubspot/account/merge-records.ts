/** Merging: two records become one, and what was tied to either is tied to it. */

import { CONTACTS, type ObjectType } from '../core/object-type.ts';
import type { StoredRecord } from '../records/record.ts';
import type { Author, MergeOptions } from '../records/record-store.ts';
import { type Account, followPrimaryCompany } from './account.ts';

/** Makes one record of two, with the ties of both; undefined if one of them is not there. */
export function mergeRecords(
  account: Account,
  type: ObjectType,
  { primaryId, otherId }: { primaryId: string; otherId: string },
  author: Author,
  options: MergeOptions = {},
): StoredRecord | undefined {
  const { store } = account;
  return store.transact(() => {
    // They are known by other numbers afterwards, and may be named by former ones now.
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
