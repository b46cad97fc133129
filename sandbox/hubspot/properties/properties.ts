/** The properties of all object types: HubSpot's own properties and the properties that clients have created. */

import type { Database } from '../core/database.ts';
import type { ObjectType } from '../core/object-type.ts';
import { type Property, propertyDefinitionSchema } from './property.ts';
import { standardProperties } from './standard-properties.ts';

export interface Properties {
  /** Returns a property, or undefined if the property never existed. */
  find(type: ObjectType, name: string): Property | undefined;
  /** Returns all properties of a type, including archived properties. HubSpot's own properties come first. */
  list(type: ObjectType): Property[];
  /** Stores a property that a client has created. Replaces an existing property with the same name. */
  save(type: ObjectType, property: Property): void;
  /** Returns true if the property and its values are hidden from tokens. Users of the account can always see them. */
  isHidden(type: ObjectType, name: string): boolean;
  hide(type: ObjectType, name: string, isHidden: boolean): void;
}

interface PropertyRow {
  name: string;
  definition: string;
  archived_at_ms: number | null;
}

/** Opens the property store in a database. */
export function createProperties(db: Database): Properties {
  const known = new Map<ObjectType, Map<string, Property>>();
  const hidden = new Set<string>();
  const keyOf = (type: ObjectType, name: string) => `${type.name}.${name}`;

  function ofType(type: ObjectType): Map<string, Property> {
    const present = known.get(type) ?? readAll(db, type);
    known.set(type, present);
    return present;
  }

  return {
    find: (type, name) => ofType(type).get(name),
    list: (type) => [...ofType(type).values()],
    save(type, property) {
      const { archivedAtMs, ...definition } = property;
      db.prepare('insert or replace into properties values (?, ?, ?, ?)').run(
        type.name,
        property.name,
        JSON.stringify(definition),
        archivedAtMs,
      );
      ofType(type).set(property.name, property);
    },
    isHidden: (type, name) => hidden.has(keyOf(type, name)),
    hide(type, name, isHidden) {
      if (isHidden) hidden.add(keyOf(type, name));
      else hidden.delete(keyOf(type, name));
    },
  };
}

function readAll(db: Database, type: ObjectType): Map<string, Property> {
  const rows = db
    .prepare<[string], PropertyRow>('select * from properties where type = ? order by name')
    .all(type.name);
  const own = rows.map(({ definition, archived_at_ms: archivedAtMs }) => ({
    ...propertyDefinitionSchema.parse(JSON.parse(definition)),
    archivedAtMs,
  }));
  return new Map(
    [...standardProperties(type), ...own].map((property) => [property.name, property]),
  );
}
