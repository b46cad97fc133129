/** Nobody may contact a deceased contact by email or by phone. */

import type { StoredValue } from '../metadata/field.ts';
import type { ObjectType } from '../metadata/object-type.ts';
import type { Columns } from './record-values.ts';
import type { Row } from './rows.ts';

const DECEASED = 'npsp__Deceased__c';
const DO_NOT_CONTACT = 'npsp__Do_Not_Contact__c';
const CHANNELS = ['HasOptedOutOfEmail', 'DoNotCall'];

/** True if the trigger needs the state of the record before this change. */
export function isCoupled(type: ObjectType, columns: Columns): boolean {
  return type.name === 'Contact' && (columns.has(DECEASED) || columns.has(DO_NOT_CONTACT));
}

/**
 * Applies a changed box to the boxes that depend on it, in both directions, as the pack does (`CON_DoNotContact_TDTM`).
 * `before` is the record before the change. Empty for a new record.
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
