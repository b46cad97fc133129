/**
 * Person accounts. A person account consists of an account and a contact that represent one person and change together.
 */

import { type RecordError, recordError } from '../core/errors.ts';
import type { User } from '../metadata/access.ts';
import type { Catalogue } from '../metadata/catalogue.ts';
import type { ObjectType } from '../metadata/object-type.ts';
import { missingFields } from './checks.ts';
import { type Columns, changeStamps, defaultColumns, newStamps } from './record-values.ts';
import type { Row, Rows } from './rows.ts';

/** The parts of an org that are needed to write people. */
export interface PersonOrg {
  catalogue: Catalogue;
  rows: Rows;
}

/** Returns the errors for the values of a new person. */
export function checkNewPerson(person: Columns): RecordError[] {
  const isNameless = person.size > 0 && (person.get('LastName') ?? null) === null;
  return isNameless ? [missingFields(['LastName'])] : [];
}

/** Checks that a person's values are written only to person accounts and only through the account. */
export function checkPerson(
  type: ObjectType,
  row: Row,
  columns: Columns,
  person: Columns,
): RecordError[] {
  const isPerson = row['IsPersonAccount'] === 1;
  if (type.name === 'Account' && !isPerson && person.size > 0) return [badNames(type, person)];
  if (type.name !== 'Contact' || !isPerson) return [];
  // The contact behind a person account cannot be edited directly. Its account is edited instead.
  const standard = new Map([...columns].filter(([name]) => !name.endsWith('__c')));
  return standard.size > 0 ? [badNames(type, standard)] : [];
}

/** Returns the name of a person's account. Written parts of the name take precedence over stored parts. */
export function personName(person: Columns, present: Row): string {
  const part = (name: string) => (person.has(name) ? person.get(name) : present[name]) ?? '';
  return `${part('FirstName')} ${part('LastName')}`.trim();
}

/** Creates the contact behind an account that was just created. */
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
 * Applies a change of one of the two records to the other. `row` is the state of the changed record before the change.
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
