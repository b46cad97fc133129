/** The types of records in the account. */

import { validationError } from './errors.ts';

/** A type of records. */
export interface ObjectType {
  /** The name of the object type in paths, which is also the name of the table. */
  name: 'contacts' | 'companies';
  typeId: '0-1' | '0-2';
  /** The name that messages contain. */
  word: 'CONTACT' | 'COMPANY';
  /** The property with the time of the record's last change. */
  modifiedProperty: 'lastmodifieddate' | 'hs_lastmodifieddate';
  /** The properties that a response contains if the request names none. */
  defaultProperties: readonly string[];
  /** The properties that identify a single record, in addition to `hs_object_id`. */
  uniqueProperties: readonly string[];
  /** The properties that a text search includes. */
  searchedProperties: readonly string[];
}

export const CONTACTS: ObjectType = {
  name: 'contacts',
  typeId: '0-1',
  word: 'CONTACT',
  modifiedProperty: 'lastmodifieddate',
  defaultProperties: [
    'createdate',
    'email',
    'firstname',
    'hs_object_id',
    'lastmodifieddate',
    'lastname',
  ],
  uniqueProperties: ['email'],
  searchedProperties: ['firstname', 'lastname', 'email', 'phone', 'company'],
};

export const COMPANIES: ObjectType = {
  name: 'companies',
  typeId: '0-2',
  word: 'COMPANY',
  modifiedProperty: 'hs_lastmodifieddate',
  defaultProperties: ['createdate', 'domain', 'hs_lastmodifieddate', 'hs_object_id', 'name'],
  uniqueProperties: [],
  searchedProperties: ['name', 'domain', 'phone', 'website'],
};

export const OBJECT_TYPES: readonly ObjectType[] = [CONTACTS, COMPANIES];

/** Returns the only other object type, with whose records the given type's records can be associated. */
export function otherType(type: ObjectType): ObjectType {
  return type === CONTACTS ? COMPANIES : CONTACTS;
}

/** Returns the type. A path contains its name, its singular name or its type ID. */
export function findObjectType(word: string): ObjectType {
  const type = OBJECT_TYPES.find(({ name, typeId, word: singular }) =>
    [name, typeId, singular.toLowerCase()].includes(word.toLowerCase()),
  );
  if (type !== undefined) return type;
  throw validationError(`Unable to infer object type from: ${word}`);
}
