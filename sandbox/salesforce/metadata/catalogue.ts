/** The objects of the org and their database tables. */

import { z } from 'zod';
import { type Database, quoted } from '../core/database.ts';
import { unknownType } from '../core/errors.ts';
import { type Field, fieldSchema, isStored, isText } from './field.ts';
import { addField, findField, type ObjectType, removeField, replaceField } from './object-type.ts';
import { campaignObjects } from './objects/campaigns.ts';
import { currencyField, currencyObjects } from './objects/currencies.ts';
import { definitionObjects } from './objects/definitions.ts';
import {
  deceasedDateField,
  individualField,
  individualObject,
  personDeceasedDateField,
  personIndividualField,
} from './objects/individuals.ts';
import {
  affiliationObject,
  successPackAccountFields,
  successPackContactFields,
} from './objects/nonprofit-success-pack.ts';
import { accountObject, contactObject, leadObject } from './objects/people.ts';
import {
  accountContactRelationObject,
  personAccountContactFields,
  personAccountFields,
  personAccountTwin,
} from './objects/person-accounts.ts';
import { setupObjects } from './objects/setup.ts';

/**
 * The ways in which an org can model people. An org can model people with the Nonprofit Success Pack, Salesforce's
 * standard objects, or person accounts (as in Nonprofit Cloud).
 */
const ORG_SHAPES = ['npsp', 'plain', 'personAccounts'] as const;

/** One of the ways in which an org can model people. */
export type OrgShape = (typeof ORG_SHAPES)[number];

/** Optional features of an org. */
export interface OrgFeatures {
  /** True if Data Protection and Privacy is enabled. An Individual then stores a person's consents. */
  individuals?: boolean;
  /** True if contacts have a `DeceasedDate`. */
  deceasedDate?: boolean;
  /** True if each record has a currency and the org has exchange rates. */
  currencies?: boolean;
}

export interface Catalogue {
  shape: OrgShape;
  list(): ObjectType[];
  /** Finds an object by name. Letter case is ignored. */
  find(name: string): ObjectType | undefined;
  /** Returns the same object as `find`. Throws INVALID_TYPE for an unknown name. */
  get(name: string): ObjectType;
  /** Finds the object to which an ID belongs. */
  ofId(id: string): ObjectType | undefined;
  addCustomField(id: string, type: ObjectType, field: Field, metadata: unknown): void;
  removeCustomField(id: string, type: ObjectType, field: Field): void;
  /**
   * Changes a field permanently. `metadata` is the field in the form of the Tooling API. If the type of a custom field
   * changes, its values are deleted. Throws a RangeError if the type of a standard field changes.
   */
  changeField(type: ObjectType, field: Field, metadata?: unknown): void;
}

/** Creates the tables of all objects, and loads custom fields that exist in the database. */
export function createCatalogue(
  db: Database,
  shape: OrgShape,
  features: OrgFeatures = {},
): Catalogue {
  const types = objectsOf(shape, features);
  const byName = new Map(types.map((type) => [type.name.toLowerCase(), type]));
  const byPrefix = new Map(types.map((type) => [type.keyPrefix, type]));
  const find = (name: string) => byName.get(name.toLowerCase());

  function get(name: string): ObjectType {
    const type = find(name);
    if (type === undefined) throw unknownType(name);
    return type;
  }

  for (const { type, definition } of readCustomFields(db)) {
    addWithTwin(get(type), definition);
  }
  for (const { type, definition } of readChangedFields(db)) {
    if (findField(get(type), definition.name) !== undefined) replaceField(get(type), definition);
  }
  for (const type of types) createTable(db, type);

  /** Adds a field. In an org with person accounts, a field of Contact is also a field of Account. */
  function addWithTwin(type: ObjectType, field: Field): void {
    addField(type, field);
    if (shape === 'personAccounts' && type.name === 'Contact') {
      addField(get('Account'), personAccountTwin(field));
    }
  }

  return {
    shape,
    list: () => types,
    find,
    get,
    ofId: (id) => byPrefix.get(id.slice(0, 3)),
    addCustomField(id, type, field, metadata) {
      db.exec(`alter table ${quoted(type.name)} add column ${columnOf(field)}`);
      db.prepare('insert into custom_fields values (?, ?, ?, ?)').run(
        id,
        type.name,
        JSON.stringify(field),
        JSON.stringify(metadata),
      );
      addWithTwin(type, field);
    },
    changeField(type, field, metadata) {
      const present = findField(type, field.name);
      if (present === undefined) throw new RangeError(`${type.name} has no field ${field.name}.`);
      const isOfAnotherKind = columnType(present) !== columnType(field);
      if (isOfAnotherKind && !(present.custom && isStored(present))) {
        throw new RangeError(`${field.name} cannot become one of type ${field.type}.`);
      }
      if (isOfAnotherKind) {
        db.exec(`alter table ${quoted(type.name)} drop column ${quoted(field.name)}`);
        db.exec(`alter table ${quoted(type.name)} add column ${columnOf(field)}`);
      }
      keepChange(db, type, field, metadata);
      replaceField(type, field);
      const account = get('Account');
      const twin = findField(account, personAccountTwin(field).name);
      if (type.name === 'Contact' && twin?.ofPerson === field.name) {
        replaceField(account, personAccountTwin(field));
      }
    },
    removeCustomField(id, type, field) {
      db.exec(`alter table ${quoted(type.name)} drop column ${quoted(field.name)}`);
      db.prepare('delete from custom_fields where id = ?').run(id);
      removeField(type, field);
      const twin = findField(get('Account'), personAccountTwin(field).name);
      if (type.name === 'Contact' && twin?.ofPerson === field.name) {
        removeField(get('Account'), twin);
      }
    },
  };
}

/**
 * Creates the indexes that make large orgs fast. The function runs after the people have been stored. Filling a table
 * takes three times as long if the indexes already exist.
 */
export function createIndexes(db: Database, catalogue: Catalogue): void {
  for (const type of catalogue.list()) {
    createIndex(db, type, 'SystemModstamp', 'Id');
    for (const field of type.fields) {
      if (isLookedUp(field)) createIndex(db, type, field.name);
    }
  }
}

function objectsOf(shape: OrgShape, features: OrgFeatures): ObjectType[] {
  const contactFields = {
    npsp: successPackContactFields,
    personAccounts: personAccountContactFields,
    plain: none,
  };
  const accountFields = {
    npsp: successPackAccountFields,
    personAccounts: personAccountFields,
    plain: none,
  };
  const own = {
    npsp: [affiliationObject],
    personAccounts: [accountContactRelationObject],
    plain: [],
  };
  const types = [
    accountObject([
      ...accountFields[shape](),
      ...(shape === 'personAccounts' ? personFeatureFields(features) : []),
    ]),
    contactObject([...contactFields[shape](), ...featureFields(features)]),
    leadObject(),
    ...campaignObjects(),
    ...setupObjects(),
    ...definitionObjects(),
    ...own[shape].map((create) => create()),
    ...(features.individuals ? [individualObject()] : []),
  ];
  return features.currencies ? withCurrencies(types) : types;
}

/** Adds currencies. Every writable object gets a currency. Users and the org have a default currency. */
function withCurrencies(types: ObjectType[]): ObjectType[] {
  for (const type of types) {
    if (MONEY_OBJECTS.has(type.name)) addField(type, currencyField());
    if (type.name === 'User' || type.name === 'Organization') {
      addField(type, currencyField('DefaultCurrencyIsoCode', 'Default Currency ISO Code'));
    }
  }
  return [...types, ...currencyObjects()];
}

const MONEY_OBJECTS = new Set([
  'Account',
  'Contact',
  'Lead',
  'Campaign',
  'CampaignMember',
  'npe5__Affiliation__c',
]);

function featureFields({ individuals, deceasedDate }: OrgFeatures): Field[] {
  return [
    ...(individuals ? [individualField()] : []),
    ...(deceasedDate ? [deceasedDateField()] : []),
  ];
}

/** Returns the fields that optional features add to a person account. */
function personFeatureFields({ individuals, deceasedDate }: OrgFeatures): Field[] {
  return [
    ...(individuals ? [personIndividualField()] : []),
    ...(deceasedDate ? [personDeceasedDateField()] : []),
  ];
}

function none(): Field[] {
  return [];
}

const customFieldRows = z.array(
  z.object({ type: z.string(), definition: z.string().transform(readDefinition) }),
);

function readCustomFields(db: Database) {
  return customFieldRows.parse(db.prepare('select type, definition from custom_fields').all());
}

function readChangedFields(db: Database) {
  return customFieldRows.parse(db.prepare('select type, definition from changed_fields').all());
}

/** Stores a changed field. A custom field is stored with its metadata. A standard field has no metadata. */
function keepChange(db: Database, type: ObjectType, field: Field, metadata: unknown): void {
  const definition = JSON.stringify(field);
  const { changes } = db
    .prepare(
      `update custom_fields set definition = ?, metadata = coalesce(?, metadata)
       where type = ? and definition ->> '$.name' = ?`,
    )
    .run(
      definition,
      metadata === undefined ? null : JSON.stringify(metadata),
      type.name,
      field.name,
    );
  if (changes > 0) return;
  db.prepare('insert or replace into changed_fields values (?, ?, ?)').run(
    type.name,
    field.name,
    definition,
  );
}

function readDefinition(text: string): Field {
  return fieldSchema.parse(JSON.parse(text));
}

function createTable(db: Database, type: ObjectType): void {
  const columns = type.fields.filter(isStored).map(columnOf);
  db.exec(`create table if not exists ${quoted(type.name)} (${columns.join(', ')})`);
}

function columnOf(field: Field): string {
  return `${quoted(field.name)} ${columnType(field)}`;
}

function columnType(field: Field): string {
  if (field.type === 'id') return 'text primary key';
  if (isText(field)) return 'text collate nocase';
  if (field.type === 'boolean') return 'integer not null default 0';
  if (field.type === 'int' || field.type === 'datetime') return 'integer';
  return field.type === 'date' || field.type === 'reference' ? 'text' : 'real';
}

/**
 * Returns true if queries search by the field. They search people by name and email, and they follow lookups in the
 * opposite direction.
 */
function isLookedUp(field: Field): boolean {
  // A field that an administrator has created gets no index, because an index would prevent the field's deletion.
  if (!isStored(field) || field.needsGrant) return false;
  const isTie = field.type === 'reference' && !UNINDEXED.has(field.name);
  return isTie || field.type === 'email' || field.name === 'LastName' || field.name === 'Name';
}

/** Fields without an index. Each of them refers to only two users, so an index would not help. */
const UNINDEXED = new Set(['CreatedById', 'LastModifiedById', 'OwnerId', 'ReportsToId']);

function createIndex(db: Database, type: ObjectType, ...columns: string[]): void {
  const name = quoted(`${type.name} by ${columns.join(', ')}`);
  const list = columns.map(quoted).join(', ');
  db.exec(`create index if not exists ${name} on ${quoted(type.name)} (${list})`);
}
