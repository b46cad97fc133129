/** Converts CiviCRM's individuals to contacts. */
import type { Contact } from '../../src/core/contact.ts';
import type { ContactsSettings, IdentityShape } from '../contract.ts';
import { markColumns, readMarks } from '../marks/mark-values.ts';
import { folded } from '../marks/yes-or-no.ts';
import type { Row } from './api.ts';
import type { Field, Fields } from './fields.ts';

const STREET = ['address_primary.street_address', 'address_primary.supplemental_address_1'];
const STATE = 'address_primary.state_province_id:abbr';
const POSTAL_CODE = 'address_primary.postal_code';
const CITY = 'address_primary.city';
const COUNTRY = 'address_primary.country_id:label';

const EMPLOYER_ID = 'employer_id';
/**
 * The field with the current employer's name. donor-sync's CiviCRM user may not have permission to see the employer's
 * contact.
 */
const EMPLOYER = 'employer_id.display_name';
/** The field that contains the employer's name as a user typed it. */
const EMPLOYER_TEXT = 'organization_name';

/** The fields that identify a contact and that CiviCRM may hide from donor-sync's user. */
export const ADDRESS_SOURCE = 'address_primary';
export const EMPLOYER_SOURCE = 'employer';

const IDENTITY = [
  ...['id', 'first_name', 'last_name', ...STREET, CITY, STATE, POSTAL_CODE, COUNTRY],
  ...[EMPLOYER_ID, EMPLOYER, EMPLOYER_TEXT],
];

const DECEASED = ['is_deceased', 'deceased_date'];

/** Returns the fields to select for a contact under these settings. */
export function contactFields(contacts: ContactsSettings): string[] {
  const marks = markColumns(contacts).map(({ column }) => column);
  return [...new Set([...IDENTITY, ...DECEASED, ...marks])];
}

/** A condition that excludes organisations and households. */
export const PEOPLE = ['contact_type', '=', 'Individual'] as const;

/** A condition that excludes contacts in CiviCRM's trash. */
export const NOT_IN_TRASH = ['is_deleted', '=', false] as const;

export function toContact(row: Row, contacts: ContactsSettings, fields: Fields): Contact {
  const employer = textOf(row, EMPLOYER) ?? textOf(row, EMPLOYER_TEXT);
  const unreadable = [
    // If a field is unknown, CiviCRM omits it from the response and does not refuse the request.
    ...(CITY in row ? [] : [ADDRESS_SOURCE]),
    ...(employer === null && row[EMPLOYER_ID] != null ? [EMPLOYER_SOURCE] : []),
  ];
  return {
    id: String(row['id']),
    firstName: textOf(row, 'first_name'),
    lastName: textOf(row, 'last_name'),
    addresses: toAddresses(row),
    employers: employer === null ? [] : [employer],
    ...marksOf(row, contacts, fields),
    ...(unreadable.length === 0 ? {} : { unreadable }),
  };
}

function marksOf(
  row: Row,
  contacts: ContactsSettings,
  fields: Fields,
): Pick<Contact, 'optedOut' | 'excluded'> {
  const marks = readMarks(contacts, (name) => {
    const field = fields.get(name);
    if (field === undefined || !(name in row)) return undefined;
    const value = row[name];
    const toText = (each: unknown) => asListed(String(each), name, field, contacts);
    return value == null ? '' : Array.isArray(value) ? value.map(toText) : toText(value);
  });
  const isDeceased = row['is_deceased'] === true || textOf(row, 'deceased_date') !== null;
  if (!isDeceased || contacts.includeDeceased === true) return marks;
  return { ...marks, excluded: 'deceased' };
}

/**
 * Returns the label of a value if the settings list the label. CiviCRM shows users only a value's label and not the
 * value itself.
 */
function asListed(
  text: string,
  name: string,
  { labels }: Field,
  contacts: ContactsSettings,
): string {
  const label = labels.get(text);
  if (label === undefined) return text;
  const isListed = markColumns(contacts).some(
    ({ column, listed: { marked, unmarked } }) =>
      column === name &&
      (marked?.has(folded(label)) === true || unmarked?.has(folded(label)) === true),
  );
  return isListed ? label : text;
}

function toAddresses(row: Row): string[] {
  const area = [textOf(row, STATE), textOf(row, POSTAL_CODE)].filter((part) => part !== null);
  const parts = [...STREET.map((name) => textOf(row, name)), textOf(row, CITY), area.join(' ')];
  const country = textOf(row, COUNTRY);
  const line = [...parts, country].filter((part) => part !== null && part !== '');
  // A country without street, city or postal code is not an address.
  return line.length === 0 || (line.length === 1 && country !== null) ? [] : [line.join(', ')];
}

function textOf(row: Row, name: string): string | null {
  const value = row[name];
  const text = value == null ? '' : String(value).trim();
  return text === '' ? null : text;
}

/** Describes how CiviCRM's contacts are converted to people. `sample` is the row of any contact, or null. */
export function toShape(sample: Row | null): IdentityShape {
  const isAddressReadable = sample === null || CITY in sample;
  return {
    columns: 'primary address, employer',
    mode: 'plain',
    names: ['first_name', 'last_name'],
    sources: [
      { name: ADDRESS_SOURCE, part: 'addresses', readable: isAddressReadable },
      { name: EMPLOYER_SOURCE, part: 'employers', readable: true },
    ],
  };
}

/** Returns the canonical form of a contact's ID, or null for any other text. */
export function canonicalId(text: string): string | null {
  const [, digits = ''] = /^\s*0*(\d{1,10})\s*$/.exec(text) ?? [];
  return digits === '' || digits === '0' ? null : digits;
}
