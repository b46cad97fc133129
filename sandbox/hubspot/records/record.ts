/** A stored record, and the values of its properties. */

import type { ObjectType } from '../core/object-type.ts';
import { isoTime } from '../properties/property.ts';
import type { Values } from '../properties/property-values.ts';

export interface StoredRecord {
  /** The ID, which contains only digits. */
  id: string;
  createdAtMs: number;
  modifiedAtMs: number;
  /** The time of archiving, or null if the record is not archived. */
  archivedAtMs: number | null;
  /** The record into which this record was merged, or null for nearly all records. */
  mergedInto: string | null;
  values: Values;
}

/** The columns of a record table. */
export interface RecordRow {
  id: number;
  created_at_ms: number;
  modified_at_ms: number;
  archived_at_ms: number | null;
  merged_into: number | null;
  email: string | null;
  properties: string;
}

/** Reads a row from a record table. */
export function toRecord(row: RecordRow): StoredRecord {
  return {
    id: `${row.id}`,
    createdAtMs: row.created_at_ms,
    modifiedAtMs: row.modified_at_ms,
    archivedAtMs: row.archived_at_ms,
    mergedInto: row.merged_into === null ? null : `${row.merged_into}`,
    values: readStoredValues(row.properties),
  };
}

/**
 * Returns the value of a property, which HubSpot computes for some properties. Returns null if the property never had a
 * value.
 */
export function propertyValue(type: ObjectType, record: StoredRecord, name: string): string | null {
  switch (name) {
    case 'hs_object_id':
      return record.id;
    case 'createdate':
      return isoTime(record.createdAtMs);
    case type.modifiedProperty:
      return isoTime(record.modifiedAtMs);
    default:
      return record.values[name] ?? computedValue(type, record.values, name);
  }
}

function computedValue(type: ObjectType, values: Values, name: string): string | null {
  if (type.name !== 'contacts') return null;
  const email = values['email'] ?? '';
  switch (name) {
    case 'hs_email_domain':
      return email.split('@')[1] ?? null;
    case 'hs_full_name_or_email': {
      const full = [values['firstname'], values['lastname']].filter(Boolean).join(' ');
      return full || email || null;
    }
    default:
      return null;
  }
}

/**
 * Parses stored values without validating them, because the store itself has written them. The function runs for each
 * record in every response.
 */
function readStoredValues(text: string): Values {
  return JSON.parse(text);
}
