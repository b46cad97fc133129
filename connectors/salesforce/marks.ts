import { ConfigurationError } from '../../src/core/errors.ts';
import { didYouMean } from '../../src/core/near-miss.ts';
import type { ContactsSettings } from '../contract.ts';
import type { MarkKind, MarkMeaning } from '../marks/mark-values.ts';
import type { DescribedField, ObjectDescription } from './describe.ts';
import type { ColumnReader } from './query.ts';
import { blankToNull, canonicalValue } from './values.ts';

/** Types of fields whose values are options. An option of a picklist may be "No". */
export const PICKLIST_TYPES: ReadonlySet<string> = new Set([
  'picklist',
  'multipicklist',
  'combobox',
]);

/**
 * Returns a field of Contact. Throws a ConfigurationError if the integration's user cannot see a field with that name.
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
 * Returns the value of a field that excludes contacts. If the response lacks the field, the function throws. A missing
 * field must not count as permission.
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
 * Returns true if the field marks the contact. A checkbox marks the contact if it is ticked. Every other field marks
 * the contact unless its value is blank or zero.
 */
export function isMarked(raw: unknown, field: DescribedField): boolean {
  const value = canonicalValue(raw, field);
  return value !== null && value !== false && value !== 0;
}

/** Describes how `contacts.optOutField` is read. */
export interface OptOutShape {
  /** The columns that donor-sync selects to read opt-outs. */
  columns: readonly string[];
  /**
   * A SOQL condition that matches every contact who has opted out. The condition may also match other contacts. The
   * condition is null if SOQL cannot express it.
   */
  condition: string | null;
  isOptedOut(read: ColumnReader): boolean;
  /** Returns true if the field has a value that the settings do not list. */
  isUnknown(read: ColumnReader): boolean;
}

/** The Salesforce types for free text. */
const TEXT_TYPES: ReadonlySet<string> = new Set(['string', 'textarea', 'phone', 'url', 'email']);

/** The maximum number of options that a message lists. */
const MOST_LISTED = 30;

/**
 * Returns the way to read opt-outs. Invalid settings throw an error before donor-sync reads contacts or spends credits.
 */
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

/** Returns the SOQL condition, or null if there is none. A query cannot contain a condition on every type of field. */
function conditionOfMark({ name, type, filterable }: DescribedField): string | null {
  if (!filterable) return null;
  return type === 'boolean' ? `${name} = true` : `${name} != null`;
}

/** Returns a function that interprets listed values. Throws if a listed value is not an option of the field. */
export function readListed(
  field: DescribedField,
  kind: MarkKind,
  marked: readonly string[],
  unmarked: readonly string[] | undefined,
): (raw: unknown) => MarkMeaning {
  // If the settings contain both lists, a contact with any other value waits for a decision. Additional values in the
  // settings are therefore harmless.
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
   * True if records may contain values that are not options of the field. Imports add values, and deleted options
   * remain in records.
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

/**
 * Throws if a value in the settings is not an option. The function accepts inactive options, because records may still
 * contain them.
 */
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
