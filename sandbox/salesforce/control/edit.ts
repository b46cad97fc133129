/** What a user of the org does by hand, beside the integration; merges exist nowhere else in REST. */

import { z } from 'zod';
import type { SaveResult } from '../core/errors.ts';
import { saved } from '../core/errors.ts';
import { SYSTEM } from '../metadata/setup-records.ts';
import type { Org } from '../org/org.ts';

const values = z.record(z.string(), z.unknown());
const type = z.string().default('Contact');
const id = z.string();

/** An edit. */
export const editSchema = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('create'), type, values }),
  z.strictObject({ action: z.literal('update'), type, id, values }),
  z.strictObject({ action: z.literal('delete'), type, id }),
  z.strictObject({ action: z.literal('undelete'), type, id }),
  /** Takes a deleted record out of the recycle bin for good. */
  z.strictObject({ action: z.literal('purge'), type, id }),
  z.strictObject({
    action: z.literal('merge'),
    type,
    masterId: id,
    loserIds: z.array(id).min(1).max(2),
  }),
]);

/** Does the edit with every right there is. */
export function editRecords(org: Org, edit: z.output<typeof editSchema>): SaveResult {
  const { store } = org;
  const object = org.catalogue.get(edit.type);
  switch (edit.action) {
    case 'create':
      return store.insert(SYSTEM, object, edit.values);
    case 'update':
      return store.update(SYSTEM, object, edit.id, edit.values);
    case 'delete':
      return store.remove(SYSTEM, object, edit.id);
    case 'undelete':
      return store.undelete(SYSTEM, object, edit.id);
    case 'merge':
      return store.merge(SYSTEM, object, edit.masterId, edit.loserIds);
    default:
      store.purge(object, edit.id);
      return saved(edit.id);
  }
}
