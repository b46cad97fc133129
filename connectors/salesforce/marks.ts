import { ConfigurationError } from '../../src/core/errors.ts';
import { didYouMean } from '../../src/core/near-miss.ts';
import type { ContactsSettings } from '../contract.ts';
import type { MarkKind, MarkMeaning } from '../marks/mark-values.ts';
import type { DescribedField, ObjectDescription } from './describe.ts';
import type { ColumnReader } from './query.ts';
import { blankToNull, canonicalValue } from './values.ts';

/** Types of fields whose values are options. One of them may well be "No". */
export const PICKLIST_TYPES: ReadonlySet<string> = new Set([
  'picklist',
  'multipicklist',
  'combobox',
]);

/**
 * Returns a field of Contact. Throws a ConfigurationError if the integration's user sees no field with that
 * name.
 */
export function requireField(
  { fields }: ObjectDescription,
  name: string,
  reason: string,
): DescribedField {
  const field = fields.get(name);
  if (field !== undefined) return field;
  const guess = didYouMean(name, fields.keys());
  const message = `Contact has no field ${name}, or it is hidden from the integration's user${guess || '.'} ${reason}`;
  throw new ConfigurationError(message, { code: 'crm_field_missing', details: { field: name } });
}

/**
 * Returns the value of a field that excludes contacts. A response without it gives no information about them,
 * and must not look like permission.
 */
export function readMark(read: ColumnReader, name: string): unknown {
  const raw = read(name);
  if (raw !== undefined) return raw;
  throw new ConfigurationError(
    `Salesforce's response lacks the field ${name}, which marks contacts that must not be researched. Let the integration's user read it, and try again.`,
    { code: 'crm_field_missing', details: { field: name } },
  );
}

/**
 * True if the field marks the contact. A checkbox does if it is ticked. Any other field marks with every value except
 * zero.
 */
export function isMarked(raw: unknown, field: DescribedField): boolean {
  const value = canonicalValue(raw, field);
  return value !== null && value !== false && value !== 0;
}

/** How `contacts.optOutField` is read. */
export interface OptOutShape {
  /** The columns to select. */
  columns: readonly string[];
  /**
   * A condition that all contacts who have opted out meet, and perhaps others. Null if no contact can have opted out,
   * or if no condition can be written.
   */
  condition: string | null;
  isOptedOut(read: ColumnReader): boolean;
  /** True if the value is in neither list of the settings. */
  isUnknown(read: ColumnReader): boolean;
}

/** Types whose texts users type freely. */
const TEXT_TYPES: ReadonlySet<string> = new Set(['string', 'textarea', 'phone', 'url', 'email']);

/** The maximum number of options that a message lists. */
const MOST_LISTED = 30;

/** Reads the opt-out setting, or throws before anything is read, so nothing is spent on a guess. */
export function shapeOptOut(
  description: ObjectDescription,
  { optOutField: name, optOutValues = null, unmarkedValues }: ContactsSettings,
): OptOutShape {
  if (name === null) {
    if (optOutValues === null)
      return { columns: [], condition: null, isOptedOut: () => false, isUnknown: () => false };
    throw valuesUnknown(
      'contacts.optOutValues lists the values that mean an opt-out, but contacts.optOutField does not name their field. Name the field.',
    );
  }
  const field = requireField(description, name, 'contacts.optOutField names it.');
  if (optOutValues === null) {
    if (PICKLIST_TYPES.has(field.type)) throw valuesMissing(field);
    return {
      columns: [name],
      condition: conditionOfMark(field),
      isOptedOut: (read) => isMarked(readMark(read, name), field),
      isUnknown: () => false,
    };
  }
  const meaning = readListed(field, 'optOut', optOutValues, unmarkedValues?.optOut);
  return {
    columns: [name],
    condition: conditionOfMark(field),
    isOptedOut: (read) => meaning(readMark(read, name)) === 'marked',
    isUnknown: (read) => meaning(readMark(read, name)) === 'unknown',
  };
}

/**
 * Returns the condition, or null if there is none. If a text cannot be part of a query, it cannot be searched for. A
 * pure function.
 */
function conditionOfMark({ name, type, filterable }: DescribedField): string | null {
  if (!filterable) return null;
  return type === 'boolean' ? `${name} = true` : `${name} != null`;
}

/** Reads a field by the values in the settings. Throws if the field has no such values. */
export function readListed(
  field: DescribedField,
  kind: MarkKind,
  marked: readonly string[],
  unmarked: readonly string[] | undefined,
): (raw: unknown) => MarkMeaning {
  // With both lists, any other value waits, so a value that is not an option is harmless.
  const mayBeOther = unmarked !== undefined;
  const isMarking = chooser(field, { kind, setting: `${kind}Values`, mayBeOther }, marked);
  const isHarmless =
    unmarked === undefined
      ? () => true
      : chooser(field, { kind, setting: `unmarkedValues.${kind}`, mayBeOther }, unmarked);
  return (raw) => {
    const text = blankToNull(raw);
    if (text === null) return 'unmarked';
    const values = PICKLIST_TYPES.has(field.type) ? text.split(';') : [text];
    if (values.some(isMarking)) return 'marked';
    return values.every(isHarmless) ? 'unmarked' : 'unknown';
  };
}

interface ValueList {
  kind: MarkKind;
  setting: string;
  /**
   * True if it may have values that are not options, because records keep the values of deleted options and of imports.
   */
  mayBeOther: boolean;
}

function chooser(
  field: DescribedField,
  list: ValueList,
  values: readonly string[],
): (text: string) => boolean {
  const { kind, setting } = list;
  if (PICKLIST_TYPES.has(field.type)) {
    requireOptions(field, list, values);
    const chosen = new Set(values);
    return (text) => chosen.has(text);
  }
  if (TEXT_TYPES.has(field.type)) {
    const chosen = new Set(values.map(folded));
    return (text) => chosen.has(folded(text));
  }
  throw valuesUnknown(
    `contacts.${kind}Field: ${field.name} is not a picklist but a field of type ${field.type}, which marks by being set: leave contacts.${setting} out.`,
  );
}

/** Requires that the values are options. Retired options are included, because records may still have them. */
function requireOptions(
  field: DescribedField,
  { setting, mayBeOther }: ValueList,
  values: readonly string[],
): void {
  const options = (field.picklistValues ?? []).map(({ value }) => value);
  if (options.length === 0) return;
  const guesses = values.flatMap((value) =>
    options.includes(value) ? [] : [{ value, guess: didYouMean(value, options) }],
  );
  const unknown = guesses.find(({ guess }) => guess !== '' || !mayBeOther);
  if (unknown === undefined) return;
  const { value, guess } = unknown;
  throw valuesUnknown(
    `contacts.${setting}: "${value}" is not an option of the picklist ${field.name}${guess || '.'} Its options are ${listed(options)}.`,
  );
}

function valuesMissing(field: DescribedField): ConfigurationError {
  const options = (field.picklistValues ?? []).flatMap(({ value, active }) =>
    active ? [value] : [],
  );
  const message = `contacts.optOutField: ${field.name} is a picklist, and "No" may be one of its values, so the settings must name the values that opt out. Its options are ${listed(options)}. Write under contacts, and keep only what opts out: optOutValues: [${listed(options)}]`;
  return new ConfigurationError(message, {
    code: 'opt_out_values_missing',
    details: { field: field.name },
  });
}

function valuesUnknown(message: string): ConfigurationError {
  return new ConfigurationError(message, { code: 'opt_out_values_unknown' });
}

function listed(options: readonly string[]): string {
  const shown = options.slice(0, MOST_LISTED).map((option) => JSON.stringify(option));
  return options.length > MOST_LISTED ? `${shown.join(', ')}, …` : shown.join(', ');
}

function folded(text: string): string {
  return text.trim().toLowerCase();
}
