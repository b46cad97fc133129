import type { Contact } from '../../src/core/contact.ts';
import { ConfigurationError } from '../../src/core/errors.ts';
import { didYouMean } from '../../src/core/near-miss.ts';
import type { CompanyNames } from './companies.ts';
import type { DescribedProperty, Properties } from './describe.ts';
import { type HubspotRecord, MERGED_IDS, textIn } from './record.ts';
import type { HubspotSettings } from './settings.ts';
import { canonicalValue } from './values.ts';

/** Which properties make the person that the service is shown. */
export interface ContactShape {
  /** What to ask for; `hs_merged_object_ids` is among it, to see who was merged. */
  properties: readonly string[];
  /** The companies that `toContacts` would ask HubSpot for. */
  unknownCompanies(records: readonly HubspotRecord[]): string[];
  /** In the order of the records. */
  toContacts(records: readonly HubspotRecord[]): Promise<Contact[]>;
}

/** The parts of an address in the order in which they are written into one line. */
const ADDRESS_PARTS = ['address', 'city', 'state', 'zip', 'country'];

const COMPANY = 'company';
const PRIMARY_COMPANY = 'associatedcompanyid';

export interface ShapeOptions {
  employer: HubspotSettings['employer'];
  optOutField: string | null;
  companies: CompanyNames;
}

/** Works out the properties from the account's own description. */
export function shapeContact(
  described: Properties,
  { employer, optOutField, companies }: ShapeOptions,
): ContactShape {
  const optOut = optOutField === null ? null : propertyFor(optOutField, described);
  const readsCompanies = employer !== 'company';
  const readsText = employer !== 'associated';
  const wanted = ['firstname', 'lastname', ...ADDRESS_PARTS];
  if (readsText) wanted.push(COMPANY);
  if (readsCompanies) wanted.push(PRIMARY_COMPANY);
  if (optOut !== null) wanted.push(optOut.name);
  const companiesOf = (records: readonly HubspotRecord[]) =>
    readsCompanies ? records.flatMap((record) => companyIdOf(record)) : [];
  return {
    properties: [...new Set([...wanted, MERGED_IDS])],
    unknownCompanies: (records) => companies.unknownAmong(companiesOf(records)),
    async toContacts(records) {
      const names = await companies.namesOf(companiesOf(records));
      return records.map((record) => ({
        id: record.id,
        firstName: textIn(record, 'firstname'),
        lastName: textIn(record, 'lastname'),
        addresses: addressesOf(record),
        employers: employersOf(record, names, readsText),
        optedOut: optOut !== null && isOptedOut(record, optOut),
      }));
    },
  };
}

function companyIdOf(record: HubspotRecord): string[] {
  const id = textIn(record, PRIMARY_COMPANY);
  return id === null ? [] : [id];
}

/** Streets may have several lines; an address is one. */
function addressesOf(record: HubspotRecord): string[] {
  const parts = ADDRESS_PARTS.flatMap((name) => textIn(record, name)?.split('\n') ?? []);
  const address = parts
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join(', ');
  return address === '' ? [] : [address];
}

/** The primary company first; the text is often only another spelling of it. */
function employersOf(
  record: HubspotRecord,
  names: ReadonlyMap<string, string | null>,
  readsText: boolean,
): string[] {
  const associated = names.get(textIn(record, PRIMARY_COMPANY) ?? '') ?? null;
  const text = readsText ? textIn(record, COMPANY) : null;
  if (associated === null) return text === null ? [] : [text];
  const isSame = text === null || text.toLowerCase() === associated.toLowerCase();
  return isSame ? [associated] : [associated, text];
}

/** A checkbox says it; of any other property every value but zero and `false` does. */
function isOptedOut(record: HubspotRecord, optOut: DescribedProperty): boolean {
  const value = canonicalValue(textIn(record, optOut.name), optOut);
  return value !== null && value !== false && value !== 0 && value !== 'false';
}

function propertyFor(name: string, described: Properties): DescribedProperty {
  const property = described.get(name);
  if (property !== undefined) return property;
  const guess = didYouMean(name, described.keys());
  const message = `HubSpot has no contact property ${name}${guess || '.'} contacts.optOutField names it: write the internal name.`;
  throw new ConfigurationError(message, { code: 'crm_field_missing', details: { field: name } });
}
