import type { Exclusion } from '../../src/core/contact.ts';
import { ConfigurationError } from '../../src/core/errors.ts';
import { didYouMean } from '../../src/core/near-miss.ts';
import type { ContactsSettings } from '../contract.ts';
import { folded, isMarked, requireOptOutField, yesOrNo } from '../yes-or-no.ts';
import type { DescribedProperty, Properties } from './describe.ts';
import { type HubspotRecord, textIn } from './record.ts';
import { canonicalValue, isCheckbox, isMultiple, PICKED_SEPARATOR } from './values.ts';

/** The properties by which a contact is left out of what the service is asked. */
export interface Marks {
  /** What to ask for. */
  properties: readonly string[];
  optedOut(record: HubspotRecord): boolean;
  excluded(record: HubspotRecord): Exclusion | null;
}

/** True if the record bears the mark. */
type Test = (record: HubspotRecord) => boolean;

const NEVER: Test = () => false;

/** Works the marks out of the account's own description. Throws a ConfigurationError. */
export function readMarks(described: Properties, contacts: ContactsSettings): Marks {
  requireOptOutField(contacts);
  const { optOutField, optOutValues = null, deceasedField = null } = contacts;
  const { doNotContactField = null, includeDeceased, includeDoNotContact } = contacts;
  const optOut =
    optOutField === null
      ? NEVER
      : optOutTest(propertyFor(described, 'optOutField', optOutField), optOutValues);
  const isDeceased = markTest(described, 'deceasedField', deceasedField);
  const wantsNoContact = markTest(described, 'doNotContactField', doNotContactField);
  const fields = [optOutField, deceasedField, doNotContactField];
  return {
    properties: fields.filter((name) => name !== null),
    optedOut: optOut,
    excluded(record) {
      if (includeDeceased !== true && isDeceased(record)) return 'deceased';
      return includeDoNotContact !== true && wantsNoContact(record) ? 'do_not_contact' : null;
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

/** Of a picklist only a person can say which values opt out; of anything else, they are few. */
function optOutTest(property: DescribedProperty, optOutValues: readonly string[] | null): Test {
  if (optOutValues !== null) return valuesTest(property, optOutValues);
  if (isPicklist(property)) throw valuesWanted(property);
  return (record) => bearsMark(record, property);
}

/** Only these values opt out; people write them as they stand on the screen or by internal name. */
function valuesTest(property: DescribedProperty, optOutValues: readonly string[]): Test {
  const wanted = new Set(optOutValues.flatMap((value) => internalValues(property, value)));
  return (record) => pickedIn(record, property).some((value) => wanted.has(folded(value)));
}

function internalValues(property: DescribedProperty, wanted: string): string[] {
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
  const message = `contacts.optOutValues names "${wanted}", which is no value of ${property.name} in HubSpot${guess || '.'} Its values: ${valuesOf(property)}.`;
  throw new ConfigurationError(message, {
    code: 'opt_out_values_unknown',
    details: { field: property.name },
  });
}

function markTest(described: Properties, setting: MarkSetting, name: string | null): Test {
  if (name === null) return NEVER;
  const property = propertyFor(described, setting, name);
  if (!isPicklist(property)) return (record) => bearsMark(record, property);
  const meanings = new Map(property.options.map((option) => [option.value, meaningOf(option)]));
  if (meanings.size === 0 || [...meanings.values()].includes(null)) {
    throw markUnclear(property, setting);
  }
  return (record) =>
    pickedIn(record, property).some((value) => meanings.get(value) ?? isMarked(value));
}

type Option = DescribedProperty['options'][number];

function meaningOf({ value, label }: Option): boolean | null {
  return yesOrNo(value) ?? yesOrNo(label);
}

/** A checkbox, a number or a word may say no; a date that is there says yes. */
function bearsMark(record: HubspotRecord, property: DescribedProperty): boolean {
  const value = canonicalValue(textIn(record, property.name), property);
  return typeof value === 'string' ? isMarked(value) : Boolean(value);
}

function pickedIn(record: HubspotRecord, property: DescribedProperty): string[] {
  const text = textIn(record, property.name);
  if (text === null) return [];
  return isMultiple(property) ? text.split(PICKED_SEPARATOR) : [text];
}

/** An enumeration of which people choose among several values. */
function isPicklist(property: DescribedProperty): boolean {
  return property.type === 'enumeration' && !isCheckbox(property);
}

function valuesWanted(property: DescribedProperty): ConfigurationError {
  const values = shownValues(property);
  const line =
    values.length === 0
      ? 'Write those that opt out into contacts.optOutValues.'
      : `Write into contacts this line, and leave in it only those that opt out: optOutValues: ${JSON.stringify(values)}`;
  const message = `contacts.optOutField names ${property.name}, a picklist with the values ${valuesOf(property)}. Which of them opt out, only a person can say. ${line}`;
  return new ConfigurationError(message, {
    code: 'opt_out_values_missing',
    details: { field: property.name, options: values },
  });
}

function markUnclear(property: DescribedProperty, setting: MarkSetting): ConfigurationError {
  const message = `contacts.${setting} names ${property.name}, a picklist with the values ${valuesOf(property)}, of which not all mean yes or no. Name a checkbox or a date there, or leave these contacts out by contacts.filter.`;
  return new ConfigurationError(message, {
    code: 'crm_field_unsuitable',
    details: { field: property.name },
  });
}

/** More values than this are not listed: a person looks into HubSpot then. */
const MOST_VALUES_LISTED = 30;

function valuesOf(property: DescribedProperty): string {
  const values = shownValues(property);
  if (values.length === 0) return 'that HubSpot does not list';
  const others = values.length - MOST_VALUES_LISTED;
  const listed = values.slice(0, MOST_VALUES_LISTED).join(', ');
  return others > 0 ? `${listed} and ${others} others` : listed;
}

function shownValues({ options }: DescribedProperty): string[] {
  return options.filter(({ hidden }) => !hidden).map(({ value }) => value);
}
