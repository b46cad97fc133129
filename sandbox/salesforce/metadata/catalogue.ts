/** Which objects the org has, with their tables. */

import { z } from 'zod';
import { type Database, quoted } from '../core/database.ts';
import { unknownType } from '../core/errors.ts';
import { type Field, fieldSchema, isStored, isText } from './field.ts';
import { addField, findField, type ObjectType, removeField, replaceField } from './object-type.ts';
import { campaignObjects } from './objects/campaigns.ts';
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
 * How the org models people: with the Nonprofit Success Pack, as Salesforce comes, or with person
 * accounts (as in Nonprofit Cloud).
 */
export const ORG_SHAPES = ['npsp', 'plain', 'personAccounts'] as const;

/** A way to model people. */
export type OrgShape = (typeof ORG_SHAPES)[number];

/** What an org may have switched on besides. */
export interface OrgFeatures {
  /** Data Protection and Privacy: an Individual holds what a person allows. */
  individuals?: boolean;
  /** Contacts have a `DeceasedDate`. */
  deceasedDate?: boolean;
}

/** The objects of an org. */
export interface Catalogue {
  shape: OrgShape;
  list(): ObjectType[];
  /** The object of a name, in whatever case it is written. */
  find(name: string): ObjectType | undefined;
  /** The same; INVALID_TYPE for an unknown name. */
  get(name: string): ObjectType;
  /** The object that an id belongs to. */
  ofId(id: string): ObjectType | undefined;
  /** Brings a custom field, for good. */
  addCustomField(id: string, type: ObjectType, field: Field, metadata: unknown): void;
  removeCustomField(id: string, type: ObjectType, field: Field): void;
  /**
   * Changes a field for good; `metadata` is what the tooling API shows of it. A custom field that
   * becomes one of another kind loses its values; a RangeError if a standard one is to.
   */
  changeField(type: ObjectType, field: Field, metadata?: unknown): void;
}

/** Brings the tables of all objects, and the custom fields that were made before. */
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

  /** With person accounts a field of Contact is one of Account as well. */
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
 * The indexes that make large orgs quick. They come after the people, as filling a table that has
 * them takes three times as long.
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
  return [
    accountObject([
      ...accountFields[shape](),
      ...(shape === 'personAccounts' ? personFeatureFields(features) : []),
    ]),
    contactObject([...contactFields[shape](), ...featureFields(features)]),
    leadObject(),
    ...campaignObjects(),
    ...setupObjects(),
    ...own[shape].map((create) => create()),
    ...(features.individuals ? [individualObject()] : []),
  ];
}

function featureFields({ individuals, deceasedDate }: OrgFeatures): Field[] {
  return [
    ...(individuals ? [individualField()] : []),
    ...(deceasedDate ? [deceasedDateField()] : []),
  ];
}

/** The same on the account of a person. */
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

/** A custom field is kept with its metadata, and a standard one by itself. */
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

/** Lookups are followed from the other side, and people are looked for by name and mail. */
function isLookedUp(field: Field): boolean {
  // A field that an administrator made can be deleted again, which an index would forbid.
  if (!isStored(field) || field.needsGrant) return false;
  const isTie = field.type === 'reference' && !UNINDEXED.has(field.name);
  return isTie || field.type === 'email' || field.name === 'LastName' || field.name === 'Name';
}

/** These point to one of two users in every record, so an index on them would only mislead. */
const UNINDEXED = new Set(['CreatedById', 'LastModifiedById', 'OwnerId', 'ReportsToId']);

function createIndex(db: Database, type: ObjectType, ...columns: string[]): void {
  const name = quoted(`${type.name} by ${columns.join(', ')}`);
  const list = columns.map(quoted).join(', ');
  db.exec(`create index if not exists ${name} on ${quoted(type.name)} (${list})`);
}
