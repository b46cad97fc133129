/** Edits that a user makes in the account. */

import { z } from 'zod';
import { type Account, followPrimaryCompany, OWNER } from '../account/account.ts';
import { mergeRecords } from '../account/merge-records.ts';
import { createRecords, updateRecords } from '../account/record-writes.ts';
import { unknownRecord } from '../core/errors.ts';
import { CONTACTS, findObjectType, type ObjectType } from '../core/object-type.ts';
import { inputValuesSchema } from '../properties/property-values.ts';
import { type Author, authorSchema } from '../records/record-store.ts';

const type = z.string().default('contacts');
const values = inputValuesSchema;
const id = z.string();

export const editSchema = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('create'), type, values }),
  z.strictObject({
    action: z.literal('update'),
    type,
    id,
    values,
    /** The source that the property history shows. */
    source: authorSchema.shape.source.default('CRM_UI'),
    sourceId: z.string().optional(),
  }),
  z.strictObject({ action: z.literal('archive'), type, id }),
  z.strictObject({ action: z.literal('restore'), type, id }),
  /** Removes a record permanently. */
  z.strictObject({ action: z.literal('erase'), type, id }),
  z.strictObject({
    action: z.literal('merge'),
    type,
    primaryId: id,
    otherId: id,
    /**
     * False if the merged record keeps the ID of the primary record. By default, the merged record gets a new ID, as in
     * HubSpot.
     */
    newId: z.boolean().default(true),
    /** Values that the edit writes into the record in the same step, for example a new name. */
    values: values.optional(),
  }),
  /** Makes a company the primary company of a contact. The value null removes the company from the contact. */
  z.strictObject({ action: z.literal('employ'), id, companyId: id.nullable() }),
]);

type Edit = z.output<typeof editSchema>;

const BY_HAND: Author = { source: 'CRM_UI', sourceId: `userId:${OWNER.userId}` };

/** Makes the edit, and returns the ID of the changed or created record. Throws if the edit is rejected. */
export function editRecord(account: Account, edit: Edit): string {
  if (edit.action === 'employ') return employ(account, edit.id, edit.companyId);
  const object = findObjectType(edit.type);
  switch (edit.action) {
    case 'create':
      return write(account, object, null, edit.values);
    case 'update':
      return write(account, object, edit.id, edit.values, {
        source: edit.source,
        sourceId: edit.sourceId ?? BY_HAND.sourceId,
      });
    case 'archive':
      return checkDone(account.store.archive(object, edit.id, BY_HAND), edit.id);
    case 'restore':
      return checkDone(account.store.restore(object, edit.id, BY_HAND), edit.id);
    case 'erase':
      return checkDone(account.store.erase(object, edit.id, BY_HAND), edit.id);
    case 'merge': {
      const merged = mergeRecords(account, object, edit, BY_HAND, { newId: edit.newId });
      if (merged === undefined) throw unknownRecord(`${edit.primaryId}, ${edit.otherId}`);
      return edit.values === undefined ? merged.id : write(account, object, merged.id, edit.values);
    }
  }
}

function write(
  account: Account,
  object: ObjectType,
  recordId: string | null,
  properties: z.output<typeof values>,
  author = BY_HAND,
): string {
  const writer = { author, isStrict: false };
  const { written, failures } =
    recordId === null
      ? createRecords(account, object, [{ properties, ties: [] }], writer)
      : updateRecords(account, object, [{ id: recordId, properties }], writer);
  const [failure] = failures;
  if (failure !== undefined) throw failure.error;
  return written[0]?.record.id ?? '';
}

function checkDone(done: boolean, recordId: string): string {
  if (!done) throw unknownRecord(recordId);
  return recordId;
}

function employ(account: Account, contactId: string, companyId: string | null): string {
  const { associations, store } = account;
  store.transact(() => {
    const present = associations.primaryCompanyOf(contactId);
    if (companyId !== null) {
      associations.add(contactId, companyId, true);
    } else if (present !== null) {
      associations.remove(contactId, present);
    }
    followPrimaryCompany(account, contactId, BY_HAND);
  });
  if (store.read(CONTACTS, contactId) === undefined) throw unknownRecord(contactId);
  return contactId;
}
