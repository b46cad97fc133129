/** Converts a record to the form in which the API returns it. */

import type { ObjectType } from '../core/object-type.ts';
import type { Properties } from '../properties/properties.ts';
import { isoTime } from '../properties/property.ts';
import { mayRead } from '../properties/sensitive-data.ts';
import { propertyValue, type StoredRecord } from './record.ts';

/** The names of the properties in a response, in order. */
export type ShownNames = readonly string[];

/** Adds the properties that every response contains. The function runs once for all records in a response. */
export function shownNames(type: ObjectType, names: readonly string[]): ShownNames {
  const always = ['createdate', 'hs_object_id', type.modifiedProperty];
  return [...new Set([...always, ...names])].sort();
}

/**
 * Returns the requested properties that the token is allowed to read. If the request names no properties, returns the
 * type's default properties.
 */
export function askedNames(
  properties: Pick<Properties, 'find' | 'isHidden'>,
  type: ObjectType,
  asked: readonly string[],
  granted: readonly string[],
): ShownNames {
  const names = shownNames(type, asked.length === 0 ? type.defaultProperties : asked);
  return names.filter((name) => mayRead(properties, type, name, granted));
}

/** Returns the default properties and the properties that were written. */
export function writtenNames(type: ObjectType, written: readonly string[]): ShownNames {
  return shownNames(type, [...type.defaultProperties, ...written]);
}

/** Returns a record with these properties for a response. Properties without a value are null. */
export function recordBody(type: ObjectType, record: StoredRecord, names: ShownNames) {
  return bodyOf(type, record, names, true);
}

/** Returns a record for the response to a write. Properties without a value are left out. */
export function writtenBody(type: ObjectType, record: StoredRecord, names: ShownNames) {
  return bodyOf(type, record, names, false);
}

function bodyOf(type: ObjectType, record: StoredRecord, names: ShownNames, showsBlanks: boolean) {
  const { id, archivedAtMs } = record;
  const createdAt = isoTime(record.createdAtMs);
  const updatedAt = isoTime(record.modifiedAtMs);
  const properties: Record<string, string | null> = {};
  for (const name of names) {
    const value = timeOf(name) ?? propertyValue(type, record, name);
    if (showsBlanks || value !== null) properties[name] = value;
  }
  return {
    id,
    properties,
    createdAt,
    updatedAt,
    archived: archivedAtMs !== null,
    ...(archivedAtMs === null ? {} : { archivedAt: isoTime(archivedAtMs) }),
  };

  /**
   * Formats the record's times, which are also among its properties. Formatting a time is slow, so it is done only when
   * necessary.
   */
  function timeOf(name: string): string | null {
    if (name === 'createdate') return createdAt;
    return name === type.modifiedProperty ? updatedAt : null;
  }
}
