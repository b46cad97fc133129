import type { CrmFieldType } from '../core/crm-field.ts';
import type { FieldSource } from '../core/field-map.ts';

/**
 * A profile's value before it is fitted to a field. The kind of the value decides how the value may be changed. Lists
 * and prose may be cut, because a reader sees that they continue. Text, a link or a range would be misleading if it
 * were cut. A value of this kind is therefore left out unless it fits completely.
 */
export type RawValue =
  | { kind: 'text'; text: string }
  | { kind: 'url'; text: string }
  | { kind: 'prose'; text: string }
  | { kind: 'list'; items: readonly string[] }
  | { kind: 'number'; value: number }
  /** A share between 0 and 1. A percent field shows 0.72 as 72. */
  | { kind: 'share'; value: number }
  /** An amount in whole US dollars. `high` is null if the range has no upper end. */
  | { kind: 'range'; low: number; high: number | null }
  | { kind: 'instant'; epochMs: number };

export type RawKind = RawValue['kind'];

/** The values, by the source names in the field map. An unknown value has no entry. */
export type RawValues = ReadonlyMap<FieldSource, RawValue>;

/** The kind of value that each source provides. */
export const SOURCE_KINDS = {
  donorId: 'text',
  profileUrl: 'url',
  'name.full': 'text',
  age: 'number',
  'netWorth.low': 'number',
  'netWorth.high': 'number',
  'netWorth.label': 'range',
  'capacity.nonprofit': 'number',
  'capacity.political': 'number',
  'capacity.highest': 'number',
  'work.primary': 'text',
  'work.all': 'list',
  'education.primary': 'text',
  'education.all': 'list',
  bio: 'prose',
  enhancedAt: 'instant',
  'warmPath.strength': 'share',
  'warmPath.introducer': 'text',
  'warmPath.network': 'text',
  'warmPath.via': 'text',
  'warmPath.sentence': 'prose',
  'sync.status': 'text',
  'sync.statusDate': 'instant',
} as const satisfies Record<FieldSource, RawKind>;

/** The field types that can contain a value, the best type first, for each kind of value. */
export const TYPES_FOR_KIND: Readonly<Record<RawKind, readonly CrmFieldType[]>> = {
  text: ['text', 'longText', 'picklist', 'multiPicklist'],
  url: ['url', 'text', 'longText'],
  prose: ['longText', 'text'],
  list: ['longText', 'text', 'multiPicklist'],
  number: ['number', 'currency', 'integer', 'percent', 'text', 'longText', 'picklist'],
  share: ['percent', 'number', 'text', 'longText'],
  range: ['text', 'longText', 'picklist'],
  instant: ['datetime', 'date', 'text', 'longText'],
};
