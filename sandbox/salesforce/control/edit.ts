/** Edits that a user makes in the org. With the REST API, records cannot be merged in any other way. */

import { z } from 'zod';
import type { SaveResult } from '../core/errors.ts';
import { saved } from '../core/errors.ts';
import { readId } from '../core/ids.ts';
import type { User } from '../metadata/access.ts';
import { INTEGRATION_USER, SYSTEM } from '../metadata/setup-records.ts';
import type { Org } from '../org/org.ts';

const values = z.record(z.string(), z.unknown());
const type = z.string().default('Contact');
const id = z.string();
/** The user who makes the change. Another tool can use the integration user too. */
const by = z.enum(['administrator', 'integration']).default('administrator');

export const editSchema = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('create'), type, values, by }),
  z.strictObject({ action: z.literal('update'), type, id, values, by }),
  z.strictObject({ action: z.literal('delete'), type, id }),
  z.strictObject({ action: z.literal('undelete'), type, id }),
  /** Permanently removes a deleted record from the recycle bin. */
  z.strictObject({ action: z.literal('purge'), type, id }),
  /** Removes a record and all information about it. Salesforce reports no deletion, and no look-up finds the record. */
  z.strictObject({ action: z.literal('vanish'), type, id }),
  z.strictObject({
    action: z.literal('merge'),
    type,
    masterId: id,
    loserIds: z.array(id).min(1).max(2),
    /** True if blank fields of the master record get the values of the other records. */
    fillBlanks: z.boolean().default(false),
    /** Values that the master record gets in the same step, for example a new name. */
    values: values.optional(),
  }),
]);

/** Makes the edit with all permissions. */
export function editRecords(org: Org, edit: z.output<typeof editSchema>): SaveResult {
  const { store } = org;
  const object = org.catalogue.get(edit.type);
  switch (edit.action) {
    case 'create':
      return store.insert(authorOf(edit.by), object, edit.values);
    case 'update':
      return store.update(authorOf(edit.by), object, edit.id, edit.values);
    case 'delete':
      return store.remove(SYSTEM, object, edit.id);
    case 'undelete':
      return store.undelete(SYSTEM, object, edit.id);
    case 'merge':
      return store.merge(SYSTEM, object, edit.masterId, edit.loserIds, {
        fillBlanks: edit.fillBlanks,
        ...(edit.values === undefined ? {} : { values: edit.values }),
      });
    case 'vanish':
      store.vanish(object, readId(edit.id) ?? edit.id);
      return saved(edit.id);
    default:
      store.purge(object, edit.id);
      return saved(edit.id);
  }
}

/** Returns the author of a change. The author has all permissions. */
function authorOf(by: 'administrator' | 'integration'): User {
  return by === 'administrator' ? SYSTEM : { ...INTEGRATION_USER, role: 'system' };
}
