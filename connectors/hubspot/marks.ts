import type { Exclusion } from '../../src/core/contact.ts';
import { ConfigurationError } from '../../src/core/errors.ts';
import { didYouMean } from '../../src/core/near-miss.ts';
import type { ContactsSettings } from '../contract.ts';
import { MARK_LISTS, type MarkKind, type MarkMeaning } from '../marks/mark-values.ts';
import { folded, isMarked, requireOptOutField, yesOrNo } from '../marks/yes-or-no.ts';
import type { DescribedProperty, Properties } from './describe.ts';
import { type HubspotRecord, textIn } from './record.ts';
import { canonicalValue, isCheckbox, isMultiple, PICKED_SEPARATOR } from './values.ts';

/** The properties that exclude a contact. */
export interface Marks {
  /** The properties that donor-sync requests to find a contact's marks. */
  properties: readonly string[];
  optedOut(record: HubspotRecord): boolean;
  excluded(record: HubspotRecord): Exclusion | 'mark_unknown' | null;
}

type Test = (record: HubspotRecord) => MarkMeaning;

const NEVER: Test = () => 'unmarked';

/**
 * Determines the marks from the account's own description. Throws a ConfigurationError if the settings do not match the
 * description.
 */
export function readMarks(described: Properties, contacts: ContactsSettings): Marks {
  requireOptOutField(contacts);
  const { optOutField, deceasedField = null } = contacts;
  const { doNotContactField = null, includeDeceased, includeDoNotContact } = contacts;
  const optOut =
    optOutField === null
      ? NEVER
      : optOutTest(propertyFor(described, 'optOutField', optOutField), contacts);
  const deceased = markTest(described, contacts, 'deceased');
  const doNotContact = markTest(described, contacts, 'doNotContact');
  const fields = [optOutField, deceasedField, doNotContactField];
  return {
    properties: fields.filter((name) => name !== null),
    optedOut: (record) => optOut(record) === 'marked',
    excluded(record) {
      const meanings = {
        optOut: optOut(record),
        deceased: includeDeceased === true ? 'unmarked' : deceased(record),
        doNotContact: includeDoNotContact === true ? 'unmarked' : doNotContact(record),
      };
      if (meanings.deceased === 'marked') return 'deceased';
      if (meanings.doNotContact === 'marked') return 'do_not_contact';
      const isUnknown = Object.values(meanings).includes('unknown');
      return isUnknown && meanings.optOut !== 'marked' ? 'mark_unknown' : null;
    },
  };
}

type MarkSetting = 'optOutField' | 'deceasedField' | 'doNotContactField';

function propertyFor(described: Properties, setting: MarkSetting, name: string): DescribedProperty {
  const property = described.get(name);
  if (property !== undefined) return property;
  const guess = didYouMean(name, described.keys());
  const message = `HubSpot has no contact property ${name}${guess || '.'} contacts.${setting} names it: write the internal name.`;
  throw new ConfigurationError(message, { code: 'crm_field_missing', details: { field: name } });
}

/**
 * For a picklist, the settings must define the values that mean an opt-out. Properties of other types have only a few
 * possible values.
 */
function optOutTest(property: DescribedProperty, contacts: ContactsSettings): Test {
  const meanings = readMeanings(property, contacts, 'optOut');
  if (meanings !== null) return testBy(property, meanings);
  if (isPicklist(property)) throw valuesWanted(property);
  return (record) => (bearsMark(record, property) ? 'marked' : 'unmarked');
}

/** Interprets the values of a property. */
export interface Meanings {
  of(value: string): MarkMeaning;
  /** The options that the settings define. The list is empty if the property allows several options per contact. */
  known: readonly string[];
}

/**
 * Returns the meanings of a property's values. The meanings come from the settings. If a picklist has words such as
 * "yes" and "no", the meanings come from these words. Returns null if neither the settings nor the words define a
 * meaning. In the settings, users write values by their label or by their internal name.
 */
export function readMeanings(
  property: DescribedProperty,
  contacts: ContactsSettings,
  kind: MarkKind,
): Meanings | null {
  const of = meaningByLists(property, contacts, kind) ?? meaningByWords(property, kind);
  if (of === null) return null;
  const known = property.options.filter(({ value }) => of(value) !== 'unknown');
  return { of, known: isMultiple(property) ? [] : known.map(({ value }) => value) };
}

/** Returns the values of a record whose meaning is not defined. */
export function listUnknown(
  record: HubspotRecord,
  property: DescribedProperty,
  { of }: Meanings,
): string[] {
  return pickedIn(record, property).filter((value) => of(value) === 'unknown');
}

function testBy(property: DescribedProperty, { of }: Meanings): Test {
  return (record) => {
    const meanings = pickedIn(record, property).map(of);
    if (meanings.includes('marked')) return 'marked';
    return meanings.includes('unknown') ? 'unknown' : 'unmarked';
  };
}

function meaningByLists(
  property: DescribedProperty,
  contacts: ContactsSettings,
  kind: MarkKind,
): Meanings['of'] | null {
  const marked = contacts[MARK_LISTS[kind]];
  const unmarked = contacts.unmarkedValues?.[kind];
  if (marked == null) return null;
  // If the settings contain both lists, a contact with any other value waits for a decision. A value in the settings
  // that is not an option is therefore harmless.
  const mayBeOther = unmarked !== undefined;
  const internal = (setting: string, values: readonly string[]) =>
    new Set(values.flatMap((value) => internalValues(property, { setting, mayBeOther }, value)));
  const marking = internal(MARK_LISTS[kind], marked);
  const harmless = unmarked === undefined ? null : internal(`unmarkedValues.${kind}`, unmarked);
  return (value) => {
    if (marking.has(folded(value))) return 'marked';
    return harmless === null || harmless.has(folded(value)) ? 'unmarked' : 'unknown';
  };
}

/**
 * Interprets words such as "yes" and "no". An administrator may add options to the picklist. Contacts with a new option
 * wait until a user has defined its meaning.
 */
function meaningByWords(property: DescribedProperty, kind: MarkKind): Meanings['of'] | null {
  if (kind === 'optOut' || !isPicklist(property)) return null;
  const meanings = new Map(property.options.map((option) => [option.value, toMeaning(option)]));
  return (value) => {
    const meaning = meanings.get(value) ?? yesOrNo(value);
    return meaning === null ? 'unknown' : meaning ? 'marked' : 'unmarked';
  };
}

interface ValueList {
  setting: string;
  /** True if the property may contain values that are not options. Records keep the values of deleted options. */
  mayBeOther: boolean;
}

function internalValues(
  property: DescribedProperty,
  { setting, mayBeOther }: ValueList,
  wanted: string,
): string[] {
  const { options } = property;
  const known = options.filter(({ value, label }) =>
    [value, label].some((word) => folded(word) === folded(wanted)),
  );
  if (known.length > 0) return known.map(({ value }) => folded(value));
  if (options.length === 0) return [folded(wanted)];
  const guess = didYouMean(
    wanted,
    options.flatMap(({ value, label }) => [value, label]),
  );
  if (guess === '' && mayBeOther) return [folded(wanted)];
  const message = `contacts.${setting} names "${wanted}", which is not a value of ${property.name} in HubSpot${guess || '.'} Its values: ${describeValues(property)}.`;
  throw new ConfigurationError(message, {
    code: 'opt_out_values_unknown',
    details: { field: property.name },
  });
}

function markTest(
  described: Properties,
  contacts: ContactsSettings,
  kind: 'deceased' | 'doNotContact',
): Test {
  const setting = `${kind}Field` as const;
  const name = contacts[setting] ?? null;
  if (name === null) return NEVER;
  const property = propertyFor(described, setting, name);
  const meanings = readMeanings(property, contacts, kind);
  if (meanings === null) return (record) => (bearsMark(record, property) ? 'marked' : 'unmarked');
  const isListed = contacts[MARK_LISTS[kind]] != null;
  const canMark = property.options.some(({ value }) => meanings.of(value) === 'marked');
  if (!isListed && !canMark) throw markUnclear(property, setting);
  return testBy(property, meanings);
}

type Option = DescribedProperty['options'][number];

function toMeaning({ value, label }: Option): boolean | null {
  return yesOrNo(value) ?? yesOrNo(label);
}

/**
 * Returns true if the value marks the contact. A checkbox, a number or a word can mean "no". A date always marks the
 * contact.
 */
function bearsMark(record: HubspotRecord, property: DescribedProperty): boolean {
  const value = canonicalValue(textIn(record, property.name), property);
  return typeof value === 'string' ? isMarked(value) : Boolean(value);
}

function pickedIn(record: HubspotRecord, property: DescribedProperty): string[] {
  const text = textIn(record, property.name);
  if (text === null) return [];
  return isMultiple(property) ? text.split(PICKED_SEPARATOR) : [text];
}

/** Returns true for an enumeration in which users select one of several values. */
function isPicklist(property: DescribedProperty): boolean {
  return property.type === 'enumeration' && !isCheckbox(property);
}

function valuesWanted(property: DescribedProperty): ConfigurationError {
  const values = shownValues(property);
  const line =
    values.length === 0
      ? 'List the values that mean an opt-out in contacts.optOutValues.'
      : `Add this line to contacts, and keep only the values that mean an opt-out: optOutValues: ${JSON.stringify(values)}`;
  const message = `contacts.optOutField names ${property.name}, a picklist with the values ${describeValues(property)}. donor-sync cannot tell which of them mean an opt-out. ${line}`;
  return new ConfigurationError(message, {
    code: 'opt_out_values_missing',
    details: { field: property.name, options: values },
  });
}

function markUnclear(property: DescribedProperty, setting: MarkSetting): ConfigurationError {
  const message = `contacts.${setting} names ${property.name}, a picklist with the values ${describeValues(property)}, none of which means yes. List the values that mark a contact in contacts.${setting.replace('Field', 'Values')} and the others in contacts.unmarkedValues, or name a checkbox or a date there.`;
  return new ConfigurationError(message, {
    code: 'crm_field_unsuitable',
    details: { field: property.name },
  });
}

/** The maximum number of values that a message lists. Users can look up the other values in HubSpot. */
const MOST_VALUES_LISTED = 30;

function describeValues(property: DescribedProperty): string {
  const values = shownValues(property);
  if (values.length === 0) return 'that HubSpot does not list';
  const others = values.length - MOST_VALUES_LISTED;
  const listed = values.slice(0, MOST_VALUES_LISTED).join(', ');
  return others > 0 ? `${listed} and ${others} others` : listed;
}

function shownValues({ options }: DescribedProperty): string[] {
  return options.filter(({ hidden }) => !hidden).map(({ value }) => value);
}
