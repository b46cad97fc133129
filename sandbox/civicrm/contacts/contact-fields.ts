/** The fields of a contact, as APIv4 returns them and compares them. */

import { formatTime, parseTime } from '../core/site-time.ts';
import type { Row } from '../core/tables.ts';
import { type CustomField, decoded } from '../custom/custom-fields.ts';
import type { Site } from '../site/site.ts';

/** The core fields, with their types in `getFields`. */
export const CORE_FIELDS = {
  id: 'Integer',
  contact_type: 'String',
  contact_sub_type: 'String',
  do_not_email: 'Boolean',
  do_not_phone: 'Boolean',
  do_not_mail: 'Boolean',
  do_not_sms: 'Boolean',
  do_not_trade: 'Boolean',
  is_opt_out: 'Boolean',
  external_identifier: 'String',
  display_name: 'String',
  nick_name: 'String',
  first_name: 'String',
  middle_name: 'String',
  last_name: 'String',
  job_title: 'String',
  is_deceased: 'Boolean',
  deceased_date: 'Date',
  organization_name: 'String',
  household_name: 'String',
  employer_id: 'Integer',
  is_deleted: 'Boolean',
  created_date: 'Timestamp',
  modified_date: 'Timestamp',
} as const;

const ADDRESS_COLUMNS = ['street_address', 'supplemental_address_1', 'city', 'postal_code'];

const STATES = ['CA', 'NY', 'IL', 'TX', 'MA', 'WA', 'FL'];

/** Returns true if the user can see this contact. */
export function isVisible({ permissions }: Site, contact: Row | undefined): contact is Row {
  if (contact === undefined || permissions.isHidden(contact.id)) return false;
  if (!permissions.has('view all contacts') && !permissions.has('edit all contacts')) return false;
  return contact['is_deleted'] !== true || permissions.has('access deleted contacts');
}

/** The rows with the primary address, email or phone of each contact, by contact ID. */
export class PrimaryRows {
  readonly #byContact = new Map<string, Map<number, Row>>();
  readonly #site: Site;

  constructor(site: Site) {
    this.#site = site;
  }

  of(entity: 'Address' | 'Email' | 'Phone', contactId: number): Row | undefined {
    const known = this.#byContact.get(entity) ?? this.#read(entity);
    return known.get(contactId);
  }

  #read(entity: string): Map<number, Row> {
    const found = new Map<number, Row>();
    for (const row of this.#site.tables.of(entity).all()) {
      if (row['is_primary'] === true) found.set(Number(row['contact_id']), row);
    }
    this.#byContact.set(entity, found);
    return found;
  }
}

/** Returns a field's value in a response, or undefined if the user cannot see the field. */
export function shownValue(site: Site, primary: PrimaryRows, contact: Row, path: string): unknown {
  const [name = '', suffix] = path.split(':');
  const [head = '', rest] = splitPath(name);
  if (rest === undefined) {
    if (!(name in CORE_FIELDS)) return undefined;
    const value = contact[name] ?? null;
    if (name === 'created_date' || name === 'modified_date') {
      return formatTime(Number(value), site.variants().timeZone);
    }
    return decoded(value);
  }
  if (head === 'employer_id') {
    const employer = site.tables.of('Contact').get(Number(contact['employer_id']));
    if (!(rest in CORE_FIELDS)) return undefined;
    return isVisible(site, employer) ? decoded(employer[rest] ?? null) : null;
  }
  if (head.endsWith('_primary')) return primaryValue(site, primary, contact, head, rest, suffix);
  const field = findCustomField(site, name);
  return field === undefined ? undefined : customValue(site, contact, field, suffix);
}

/** Returns a field's value for comparisons. Times are converted to numbers. */
export function comparedValue(
  site: Site,
  primary: PrimaryRows,
  contact: Row,
  path: string,
): unknown {
  if (path === 'created_date' || path === 'modified_date') {
    return Math.floor(Number(contact[path]) / 1000) * 1000;
  }
  return shownValue(site, primary, contact, path);
}

/**
 * Parses the times in a condition. The database may use a different time zone for comparisons than the site uses for
 * writing times.
 */
export function withTimes(where: readonly unknown[], site: Site): unknown[] {
  const { timeZone, databaseZone } = site.variants();
  return where.map((clause) => {
    if (!Array.isArray(clause)) return clause;
    const [name, operator, value] = clause;
    if (name === 'AND' || name === 'OR' || name === 'NOT') {
      return [name, Array.isArray(operator) ? withTimes(operator, site) : operator];
    }
    if (name !== 'modified_date' && name !== 'created_date') return clause;
    return [name, operator, parseTime(String(value), databaseZone ?? timeZone)];
  });
}

/** Returns the custom field with this name, if the user has access to custom data. */
export function findCustomField(site: Site, name: string): CustomField | undefined {
  if (!site.permissions.has('access all custom data')) return undefined;
  return site.custom.find(name);
}

function splitPath(name: string): [string, string | undefined] {
  const at = name.indexOf('.');
  return at < 0 ? [name, undefined] : [name.slice(0, at), name.slice(at + 1)];
}

function customValue(
  site: Site,
  contact: Row,
  field: CustomField,
  suffix: string | undefined,
): unknown {
  const value = contact[`custom_${field.id}`] ?? null;
  if (suffix === undefined || value === null) {
    return Array.isArray(value) ? value.map(decoded) : decoded(value);
  }
  const options = site.custom.optionsOf(field);
  const found = options.find((option) => option.value === String(value));
  return suffix === 'label' ? (found?.label ?? null) : (found?.name ?? null);
}

function primaryValue(
  site: Site,
  primary: PrimaryRows,
  contact: Row,
  head: string,
  column: string,
  suffix: string | undefined,
): unknown {
  if (!site.variants().primaryJoins) return undefined;
  if (head === 'email_primary' && column === 'email') {
    return primary.of('Email', contact.id)?.['email'] ?? null;
  }
  if (head === 'phone_primary' && column === 'phone') {
    return primary.of('Phone', contact.id)?.['phone'] ?? null;
  }
  if (head !== 'address_primary') return undefined;
  return addressValue(primary.of('Address', contact.id), column, suffix);
}

/** Returns the value of an address column, or undefined if the column does not exist. */
export function addressValue(
  address: Row | undefined,
  column: string,
  suffix: string | undefined,
): unknown {
  if (ADDRESS_COLUMNS.includes(column)) return address?.[column] ?? null;
  if (column === 'state_province_id') {
    const state = address?.['state'] ?? null;
    return state === null || suffix !== undefined ? state : 1000 + STATES.indexOf(String(state));
  }
  if (column === 'country_id') {
    const country = address?.['country'] ?? null;
    if (country === null || suffix === 'abbr') return country;
    return suffix === undefined ? 1228 : country === 'US' ? 'United States' : country;
  }
  return undefined;
}
