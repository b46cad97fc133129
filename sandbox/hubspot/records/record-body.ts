/** A record as the API shows it. */

import type { ObjectType } from '../core/object-type.ts';
import type { Properties } from '../properties/properties.ts';
import { isoTime } from '../properties/property.ts';
import { mayRead } from '../properties/sensitive-data.ts';
import { propertyValue, type StoredRecord } from './record.ts';

/** The properties that an answer shows of each record, in their order. */
export type ShownNames = readonly string[];

/** These properties and those that are always there; worked out once for all records of an answer. */
export function shownNames(type: ObjectType, names: readonly string[]): ShownNames {
  const always = ['createdate', 'hs_object_id', type.modifiedProperty];
  return [...new Set([...always, ...names])].sort();
}

/** Those that a reader asks for and may see; without any the usual ones of the type. */
export function askedNames(
  properties: Pick<Properties, 'find' | 'isHidden'>,
  type: ObjectType,
  asked: readonly string[],
  granted: readonly string[],
): ShownNames {
  const names = shownNames(type, asked.length === 0 ? type.defaultProperties : asked);
  return names.filter((name) => mayRead(properties, type, name, granted));
}

/** The usual ones and those that were written. */
export function writtenNames(type: ObjectType, written: readonly string[]): ShownNames {
  return shownNames(type, [...type.defaultProperties, ...written]);
}

/** A record with these properties; null for those without a value. */
export function recordBody(type: ObjectType, record: StoredRecord, names: ShownNames) {
  return bodyOf(type, record, names, true);
}

/** A record as the answer to a write shows it: without what has no value. */
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

  /** The times are among the properties as well, and dear to write. */
  function timeOf(name: string): string | null {
    if (name === 'createdate') return createdAt;
    return name === type.modifiedProperty ? updatedAt : null;
  }
}
