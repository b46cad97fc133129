/**
 * Writes person accounts. A person account consists of an account and a contact, which represent one person and change
 * together.
 */

import { type RecordError, recordError } from '../core/errors.ts';
import type { User } from '../metadata/access.ts';
import type { Catalogue } from '../metadata/catalogue.ts';
import type { ObjectType } from '../metadata/object-type.ts';
import { missingFields } from './checks.ts';
import { type Columns, changeStamps, defaultColumns, newStamps } from './record-values.ts';
import type { Row, Rows } from './rows.ts';

/** The parts of an org that are necessary to write person accounts. */
export interface PersonOrg {
  catalogue: Catalogue;
  rows: Rows;
}

/** Returns the errors for the values of a new person. */
export function checkNewPerson(person: Columns): RecordError[] {
  const isNameless = person.size > 0 && (person.get('LastName') ?? null) === null;
  return isNameless ? [missingFields(['LastName'])] : [];
}

/** Checks that a person's values are written only to a person account, and only through the account. */
export function checkPerson(
  type: ObjectType,
  row: Row,
  columns: Columns,
  person: Columns,
): RecordError[] {
  const isPerson = row['IsPersonAccount'] === 1;
  if (type.name === 'Account' && !isPerson && person.size > 0) return [badNames(type, person)];
  if (type.name !== 'Contact' || !isPerson) return [];
  // A client cannot edit the contact of a person account. The client must edit the account.
  const standard = new Map([...columns].filter(([name]) => !name.endsWith('__c')));
  return standard.size > 0 ? [badNames(type, standard)] : [];
}

/** Returns the name of a person's account. A written part of the name replaces the stored part. */
export function personName(person: Columns, present: Row): string {
  const part = (name: string) => (person.has(name) ? person.get(name) : present[name]) ?? '';
  return `${part('FirstName')} ${part('LastName')}`.trim();
}

/** Creates the contact for a new account. */
export function insertPerson(
  { catalogue, rows }: PersonOrg,
  user: User,
  accountId: string,
  person: Columns,
  atMs: number,
): void {
  const contact = catalogue.get('Contact');
  const key = rows.nextKey(contact);
  const columns = new Map([...defaultColumns(contact, user), ...person, ...newStamps(user, atMs)]);
  rows.insert(contact, key, columns.set('AccountId', accountId).set('IsPersonAccount', 1));
  const link: Columns = new Map([['PersonContactId', key.id]]);
  rows.update(catalogue.get('Account'), accountId, link.set('IsPersonAccount', 1));
}

/**
 * Applies a change of the account to the contact, or the other way round. `row` is the changed record's state before
 * the change.
 */
export function updateOtherHalf(
  { catalogue, rows }: PersonOrg,
  user: User,
  type: ObjectType,
  row: Row,
  person: Columns,
  atMs: number,
): void {
  if (row['IsPersonAccount'] !== 1) return;
  const moved = changeStamps(user, atMs);
  if (type.name === 'Contact') {
    rows.update(catalogue.get('Account'), String(row['AccountId']), moved);
    return;
  }
  const contact = catalogue.get('Contact');
  const contactId = String(row['PersonContactId']);
  const name = personName(person, rows.read(contact, contactId) ?? {});
  rows.update(contact, contactId, new Map([...person, ...moved]));
  rows.update(type, String(row['Id']), new Map([['Name', name]]));
}

function badNames(type: ObjectType, columns: Columns): RecordError {
  const names = [...columns.keys()];
  const message = `${type.name}: bad field names on insert/update call: ${names.join(', ')}`;
  return recordError('INVALID_FIELD_FOR_INSERT_UPDATE', message, names);
}
