import type { Contact } from '../../src/core/contact.ts';
import { ConfigurationError } from '../../src/core/errors.ts';
import { didYouMean } from '../../src/core/near-miss.ts';
import type { SalesforceApi } from './api.ts';
import { describeObject, type ObjectDescription } from './describe.ts';
import type { ColumnReader } from './query.ts';
import { hasRelations } from './relations.ts';
import type { SalesforceSettings } from './settings.ts';
import { canonicalValue } from './values.ts';

/** Which columns of Contact make the person that the service is shown. */
export interface ContactShape {
  /** What to select, the id first; never a column that the user cannot see. */
  columns: readonly string[];
  /** True if relations tell of employers that the columns do not have; asked once, when needed. */
  hasRelations(): Promise<boolean>;
  toContact(read: ColumnReader): Contact;
}

/** The lookup of the Nonprofit Success Pack that names a person's employer. */
const PRIMARY_AFFILIATION = 'npsp__Primary_Affiliation__c';
const PRIMARY_AFFILIATION_NAME = 'npsp__Primary_Affiliation__r.Name';

/** The fields that the Nonprofit Success Pack brings. */
const SUCCESS_PACK_FIELD = /^(npsp|npe01|npo02)__/;

/** The field of an account by which it marks households; organizations are blank or say so. */
const HOUSEHOLD_MARK = 'npe01__SYSTEM_AccountType__c';
const ORGANIZATION = 'Organization';

const ADDRESS_PARTS = ['Street', 'City', 'State', 'PostalCode', 'Country'];

/** Works out the columns from the org's own description; asks more only where it must. */
export async function shapeContact(
  api: SalesforceApi,
  description: ObjectDescription,
  { employer, optOutField }: Pick<SalesforceSettings, 'employer'> & { optOutField: string | null },
): Promise<ContactShape> {
  for (const name of ['FirstName', 'LastName']) {
    if (!description.fields.has(name)) throw unseenField(name, 'It is needed.', description);
  }
  if (optOutField !== null && !description.fields.has(optOutField)) {
    throw unseenField(optOutField, 'contacts.optOutField names it.', description);
  }
  const employerColumns = await employerColumnsOf(api, description, employer);
  const addresses = ['Mailing', 'Other'].map((kind) =>
    ADDRESS_PARTS.map((part) => `${kind}${part}`).filter((name) => description.fields.has(name)),
  );
  const columns = ['Id', 'FirstName', 'LastName', ...addresses.flat(), ...employerColumns];
  if (optOutField !== null) columns.push(optOutField);
  let relations = employer === 'primaryAffiliation' ? false : null;
  return {
    columns: [...new Set(columns)],
    async hasRelations() {
      relations ??= await hasRelations(api, description);
      return relations;
    },
    toContact: (read) => ({
      id: blankToNull(read('Id')) ?? '',
      firstName: blankToNull(read('FirstName')),
      lastName: nameOrNull(read('LastName')),
      addresses: addresses.map((parts) => joined(parts, read)).filter((address) => address !== ''),
      employers: employersOf(employerColumns, read),
      optedOut: optOutField !== null && isOptedOut(read(optOutField), optOutField, description),
    }),
  };
}

/**
 * Where the employer stands: with the Nonprofit Success Pack the account is the household, and of
 * a person account it is the person, so neither is ever taken for an employer.
 */
async function employerColumnsOf(
  api: SalesforceApi,
  { fields }: ObjectDescription,
  employer: SalesforceSettings['employer'],
): Promise<string[]> {
  const hasAffiliation = fields.has(PRIMARY_AFFILIATION);
  if (employer === 'primaryAffiliation' && !hasAffiliation) {
    const message = `crm.employer is "primaryAffiliation", but the integration's user sees no field ${PRIMARY_AFFILIATION} on Contact: grant access to it, or write "account".`;
    throw new ConfigurationError(message, { code: 'crm_field_missing' });
  }
  if (employer !== 'account' && hasAffiliation) return [PRIMARY_AFFILIATION_NAME];
  if (!fields.has('AccountId')) return [];
  const columns = ['Account.Name'];
  if (fields.has('IsPersonAccount')) columns.push('IsPersonAccount');
  if (!fields.keys().some((name) => SUCCESS_PACK_FIELD.test(name))) return columns;
  // Whoever cannot tell a household from an employer takes none.
  const account = await describeObject(api, 'Account');
  return account.fields.has(HOUSEHOLD_MARK) ? [...columns, `Account.${HOUSEHOLD_MARK}`] : [];
}

function employersOf(columns: readonly string[], read: ColumnReader): string[] {
  const [column] = columns;
  if (column === undefined) return [];
  const isPerson =
    columns.includes('IsPersonAccount') && String(read('IsPersonAccount')) === 'true';
  const mark = `Account.${HOUSEHOLD_MARK}`;
  const kind = columns.includes(mark) ? blankToNull(read(mark)) : null;
  const isHousehold = kind !== null && kind !== ORGANIZATION;
  const name = isPerson || isHousehold ? null : blankToNull(read(column));
  return name === null ? [] : [name];
}

/** Streets have several lines; an address is one. */
function joined(parts: readonly string[], read: ColumnReader): string {
  let address = '';
  for (const part of parts) {
    const text = blankToNull(read(part));
    if (text === null) continue;
    const line = text.includes('\n') ? oneLine(text) : text;
    address = address === '' ? line : `${address}, ${line}`;
  }
  return address;
}

function oneLine(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '').join(', ');
}

/** A checkbox says it; of any other field every value but zero does. */
function isOptedOut(raw: unknown, name: string, { fields }: ObjectDescription): boolean {
  const field = fields.get(name);
  const value = field === undefined ? null : canonicalValue(raw, field);
  return value !== null && value !== false && value !== 0;
}

/** What Salesforce writes into a last name that nobody gave, since there must be one. */
const NO_NAMES: ReadonlySet<string> = new Set(['[not provided]', '[[Unknown]]']);

function nameOrNull(raw: unknown): string | null {
  const name = blankToNull(raw);
  return name === null || NO_NAMES.has(name) ? null : name;
}

function blankToNull(raw: unknown): string | null {
  if (typeof raw !== 'string') return null;
  const text = raw.trim();
  return text === '' ? null : text;
}

function unseenField(
  name: string,
  reason: string,
  { fields }: ObjectDescription,
): ConfigurationError {
  const guess = didYouMean(name, fields.keys());
  const message = `Contact has no field ${name}, or it is hidden from the integration's user${guess || '.'} ${reason}`;
  return new ConfigurationError(message, { code: 'crm_field_missing', details: { field: name } });
}
