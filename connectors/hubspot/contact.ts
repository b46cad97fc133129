import type { Contact } from '../../src/core/contact.ts';
import { ConfigurationError } from '../../src/core/errors.ts';
import type { ContactsSettings, IdentityShape, IdentitySource } from '../contract.ts';
import type { CompanyNames } from './companies.ts';
import type { Properties } from './describe.ts';
import { readMarks } from './marks.ts';
import { type HubspotRecord, MERGED_IDS, textIn } from './record.ts';
import type { HubspotSettings } from './settings.ts';

/** Which properties make the person that the service is shown. */
export interface ContactShape {
  /** What to ask for; `hs_merged_object_ids` is among it, to see who was merged. */
  properties: readonly string[];
  /** What of an identity can be read by now: a scope may be withdrawn while a run goes on. */
  identity(): IdentityShape;
  /** The companies that `toContacts` would ask HubSpot for. */
  unknownCompanies(records: readonly HubspotRecord[]): string[];
  /** In the order of the records. */
  toContacts(records: readonly HubspotRecord[]): Promise<Contact[]>;
}

/** The parts of an address in the order in which they are written into one line. */
const ADDRESS_PARTS = ['address', 'city', 'state', 'zip', 'country'];

const NAMES = ['firstname', 'lastname'];
const COMPANY = 'company';
/** The property that says which company the contact belongs to. */
export const PRIMARY_COMPANY = 'associatedcompanyid';

/** How the name of the primary company is called among the sources: it is no contact's property. */
export const COMPANY_NAME = 'companies.name';

export interface ShapeOptions {
  employer: HubspotSettings['employer'];
  contacts: ContactsSettings;
  companies: CompanyNames;
}

/**
 * Works out the properties from the account's own description. What is not described cannot be
 * read: it is named as unreadable, and what stands there is unknown instead of blank.
 */
export function shapeContact(
  described: Properties,
  { employer, contacts, companies }: ShapeOptions,
): ContactShape {
  requireNames(described);
  const marks = readMarks(described, contacts);
  const readsCompanies = employer !== 'company';
  const texts = employer === 'associated' ? ADDRESS_PARTS : [...ADDRESS_PARTS, COMPANY];
  const isDescribed = (name: string) => described.has(name);
  const hiddenTexts = texts.filter((name) => !isDescribed(name));
  const seesPrimary = readsCompanies && isDescribed(PRIMARY_COMPANY);
  const wanted = [...NAMES, ...texts.filter(isDescribed), ...marks.properties, MERGED_IDS];
  if (seesPrimary) wanted.push(PRIMARY_COMPANY);
  const companiesOf = (records: readonly HubspotRecord[]) =>
    seesPrimary ? records.flatMap((record) => companyIdOf(record) ?? []) : [];
  return {
    properties: [...new Set(wanted)],
    identity: () => ({ columns: `employer: ${employer}`, mode: 'plain', sources: sources() }),
    unknownCompanies: (records) => companies.unknownAmong(companiesOf(records)),
    async toContacts(records) {
      const names = await companies.namesOf(companiesOf(records));
      return records.map((record) => {
        const excluded = marks.excluded(record);
        const unreadable = unreadableOf(record, names);
        return {
          id: record.id,
          firstName: textIn(record, 'firstname'),
          lastName: textIn(record, 'lastname'),
          addresses: addressesOf(record),
          employers: employersOf(record, names, employer !== 'associated'),
          optedOut: marks.optedOut(record),
          ...(excluded === null ? {} : { excluded }),
          ...(unreadable.length === 0 ? {} : { unreadable }),
        };
      });
    },
  };

  function sources(): IdentitySource[] {
    const all: IdentitySource[] = texts.map((name) => ({
      name,
      part: name === COMPANY ? 'employers' : 'addresses',
      readable: isDescribed(name),
    }));
    if (!readsCompanies) return all;
    const readable = seesPrimary && companies.isReadable();
    return [...all, { name: COMPANY_NAME, part: 'employers', readable }];
  }

  /** Of companies only those concern a contact to which it belongs, where that can be seen. */
  function unreadableOf(
    record: HubspotRecord,
    names: ReadonlyMap<string, string | null>,
  ): readonly string[] {
    if (!readsCompanies) return hiddenTexts;
    const companyId = companyIdOf(record);
    const isUnknown = seesPrimary ? companyId !== null && !names.has(companyId) : true;
    return isUnknown ? [...hiddenTexts, COMPANY_NAME] : hiddenTexts;
  }
}

/** Without names there is no person to ask about, and no contact lost its name. */
function requireNames(described: Properties): void {
  const missing = NAMES.filter((name) => !described.has(name));
  if (missing.length === 0) return;
  const message = `HubSpot does not show the contact properties ${missing.join(' and ')}: give the token the right to read them.`;
  throw new ConfigurationError(message, {
    code: 'crm_field_missing',
    details: { fields: missing },
  });
}

function companyIdOf(record: HubspotRecord): string | null {
  return textIn(record, PRIMARY_COMPANY);
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
  const associated = names.get(companyIdOf(record) ?? '') ?? null;
  const text = readsText ? textIn(record, COMPANY) : null;
  if (associated === null) return text === null ? [] : [text];
  const isSame = text === null || text.toLowerCase() === associated.toLowerCase();
  return isSame ? [associated] : [associated, text];
}
