/** The kinds of records that the account has. */

import { validationError } from './errors.ts';

/** One kind of records. */
export interface ObjectType {
  /** As in paths, and the name of its table. */
  name: 'contacts' | 'companies';
  typeId: '0-1' | '0-2';
  /** As in messages. */
  word: 'CONTACT' | 'COMPANY';
  /** The property with the time of the last change. */
  modifiedProperty: 'lastmodifieddate' | 'hs_lastmodifieddate';
  /** What is read of a record where nothing is asked for. */
  defaultProperties: readonly string[];
  /** The properties besides `hs_object_id` by which one record can be found. */
  uniqueProperties: readonly string[];
  /** Those that a search for words looks into. */
  searchedProperties: readonly string[];
}

/** People. */
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

/** Organisations. */
export const COMPANIES: ObjectType = {
  name: 'companies',
  typeId: '0-2',
  word: 'COMPANY',
  modifiedProperty: 'hs_lastmodifieddate',
  defaultProperties: ['createdate', 'domain', 'hs_lastmodifieddate', 'hs_object_id', 'name'],
  uniqueProperties: [],
  searchedProperties: ['name', 'domain', 'phone', 'website'],
};

/** All of them. */
export const OBJECT_TYPES: readonly ObjectType[] = [CONTACTS, COMPANIES];

/** The type that records of a type are tied to: there are two. */
export function otherType(type: ObjectType): ObjectType {
  return type === CONTACTS ? COMPANIES : CONTACTS;
}

/** The type that a path names, by its name, its singular or its type id. */
export function findObjectType(word: string): ObjectType {
  const type = OBJECT_TYPES.find(({ name, typeId, word: singular }) =>
    [name, typeId, singular.toLowerCase()].includes(word.toLowerCase()),
  );
  if (type !== undefined) return type;
  throw validationError(`Unable to infer object type from: ${word}`);
}
