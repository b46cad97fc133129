/** A trigger of the Nonprofit Success Pack: who has died wants no contact, and no mail and no call. */

import type { StoredValue } from '../metadata/field.ts';
import type { ObjectType } from '../metadata/object-type.ts';
import type { Columns } from './record-values.ts';
import type { Row } from './rows.ts';

const DECEASED = 'npsp__Deceased__c';
const DO_NOT_CONTACT = 'npsp__Do_Not_Contact__c';
const CHANNELS = ['HasOptedOutOfEmail', 'DoNotCall'];

/** True if the trigger has to see the record as it was before this change. */
export function isCoupled(type: ObjectType, columns: Columns): boolean {
  return type.name === 'Contact' && (columns.has(DECEASED) || columns.has(DO_NOT_CONTACT));
}

/**
 * Lets a changed box change those that hang on it, in both directions, as the pack does
 * (`CON_DoNotContact_TDTM`). `before` is the record as it was; empty for a new one.
 */
export function coupleDoNotContact(columns: Columns, before: Row): void {
  const deceased = changed(columns, before, DECEASED);
  if (deceased !== undefined) columns.set(DO_NOT_CONTACT, deceased);
  const doNotContact = changed(columns, before, DO_NOT_CONTACT);
  if (doNotContact === undefined) return;
  for (const channel of CHANNELS) columns.set(channel, doNotContact);
}

function changed(columns: Columns, before: Row, name: string): StoredValue | undefined {
  const value = columns.get(name);
  return value === undefined || value === (before[name] ?? 0) ? undefined : value;
}
