/** Simulates a trigger of the Nonprofit Success Pack. The trigger ticks "do not contact" for deceased contacts. */

import type { StoredValue } from '../metadata/field.ts';
import type { ObjectType } from '../metadata/object-type.ts';
import type { Columns } from './record-values.ts';
import type { Row } from './rows.ts';

const DECEASED = 'npsp__Deceased__c';
const DO_NOT_CONTACT = 'npsp__Do_Not_Contact__c';
const CHANNELS = ['HasOptedOutOfEmail', 'DoNotCall'];

/** Returns true if the trigger needs the state of the record before the change. */
export function isCoupled(type: ObjectType, columns: Columns): boolean {
  return type.name === 'Contact' && (columns.has(DECEASED) || columns.has(DO_NOT_CONTACT));
}

/**
 * Applies a changed checkbox to the checkboxes that depend on it, in both directions. The package does the same
 * (`CON_DoNotContact_TDTM`). `before` is the record's state before the change. `before` is empty for a new record.
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
