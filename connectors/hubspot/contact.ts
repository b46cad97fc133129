import type { Contact } from '../../src/core/contact.ts';
import { ConfigurationError } from '../../src/core/errors.ts';
import type { ContactsSettings, IdentityShape, IdentitySource } from '../contract.ts';
import type { Properties } from './describe.ts';
import { readMarks } from './marks.ts';
import { currencyProperties } from './money/currencies.ts';
import type { CompanyNames } from './reading/companies.ts';
import { type HubspotRecord, MERGED_IDS, textIn } from './record.ts';
import type { HubspotSettings } from './settings.ts';

/** The properties with the identity of a contact. */
export interface ContactShape {
  /**
   * The contact properties that donor-sync requests. The requested properties include `hs_merged_object_ids`, which
   * contains the IDs of merged contacts.
   */
  properties: readonly string[];
  /** Returns the parts of an identity that the token can currently read. A user may withdraw a scope during a run. */
  identity(): IdentityShape;
  /** Returns the companies that `toContacts` must request from HubSpot. */
  unknownCompanies(records: readonly HubspotRecord[]): string[];
  /** Converts records to contacts, and requests the missing companies. The contacts have the order of the records. */
  toContacts(records: readonly HubspotRecord[]): Promise<Contact[]>;
}

/** The properties of an address, in the order in which they are written on one line. */
const ADDRESS_PARTS = ['address', 'city', 'state', 'zip', 'country'];

const NAMES = ['firstname', 'lastname'];
const COMPANY = 'company';
/** The property with the ID of the contact's primary company. */
export const PRIMARY_COMPANY = 'associatedcompanyid';

/** The name of the source for a primary company's name. The company's name is not a property of contacts. */
export const COMPANY_NAME = 'companies.name';

export interface ShapeOptions {
  employer: HubspotSettings['employer'];
  contacts: ContactsSettings;
  companies: CompanyNames;
  /** Requests the description of the properties again. */
  describe(): Promise<Properties>;
}

/**
 * Determines the properties from the account's own description. If the account's description does not contain a
 * property, the token cannot read that property. donor-sync treats the value of an unreadable property as unknown, not
 * as blank.
 */
export function shapeContact(
  described: Properties,
  { employer, contacts, companies, describe }: ShapeOptions,
): ContactShape {
  const marks = readMarks(described, contacts);
  const readsCompanies = employer !== 'company';
  const texts = employer === 'associated' ? ADDRESS_PARTS : [...ADDRESS_PARTS, COMPANY];
  const needed = [...NAMES, ...marks.properties];
  const money = currencyProperties(described);
  const wanted = [...needed, ...texts, ...(readsCompanies ? [PRIMARY_COMPANY] : []), ...money];
  const visible = watchProperties(described, { wanted, needed, describe });
  return {
    properties: [...new Set([...wanted.filter(visible.has), MERGED_IDS])],
    identity: () => ({
      columns: `employer: ${employer}`,
      mode: 'plain',
      names: NAMES,
      sources: sources(),
    }),
    unknownCompanies: (records) => companies.unknownAmong(listCompanyIds(records)),
    async toContacts(records) {
      await visible.check(records);
      const names = await companies.findNames(listCompanyIds(records));
      const listUnreadable = createUnreadable(names);
      return records.map((record) => {
        const excluded = marks.excluded(record);
        const unreadable = listUnreadable(record);
        return {
          id: record.id,
          firstName: textIn(record, 'firstname'),
          lastName: textIn(record, 'lastname'),
          addresses: toAddresses(record),
          employers: toEmployers(record, names, employer !== 'associated'),
          optedOut: marks.optedOut(record),
          ...(excluded === null ? {} : { excluded }),
          ...(unreadable.length === 0 ? {} : { unreadable }),
          ...readCurrencies(record),
        };
      });
    },
  };

  /**
   * If the currency property is blank, the amount is in the company currency. If the currency property is hidden, the
   * currency is unknown.
   */
  function readCurrencies(record: HubspotRecord): Pick<Contact, 'currencies'> {
    const seen = money.filter(visible.has);
    if (seen.length === 0) return {};
    return { currencies: Object.fromEntries(seen.map((name) => [name, textIn(record, name)])) };
  }

  function listCompanyIds(records: readonly HubspotRecord[]): string[] {
    return readsCompanies ? records.flatMap((record) => getCompanyId(record) ?? []) : [];
  }

  function sources(): IdentitySource[] {
    const all: IdentitySource[] = texts.map((name) => ({
      name,
      part: name === COMPANY ? 'employers' : 'addresses',
      readable: visible.has(name),
    }));
    if (!readsCompanies) return all;
    const readable = visible.has(PRIMARY_COMPANY) && companies.isReadable();
    return [...all, { name: COMPANY_NAME, part: 'employers', readable }];
  }

  /**
   * Returns a function that lists the unreadable parts of a contact. If contacts show whether they have a company, a
   * hidden company name affects only contacts with a company.
   */
  function createUnreadable(
    names: ReadonlyMap<string, string | null>,
  ): (record: HubspotRecord) => readonly string[] {
    const hidden = texts.filter((name) => !visible.has(name));
    const hiddenAndCompany = [...hidden, COMPANY_NAME];
    if (!readsCompanies) return () => hidden;
    if (!visible.has(PRIMARY_COMPANY)) return () => hiddenAndCompany;
    return (record) => {
      const companyId = getCompanyId(record);
      return companyId === null || names.has(companyId) ? hidden : hiddenAndCompany;
    };
  }
}

function getCompanyId(record: HubspotRecord): string | null {
  return textIn(record, PRIMARY_COMPANY);
}

/** A street can have several lines, but a contact has only one address. */
function toAddresses(record: HubspotRecord): string[] {
  const parts = ADDRESS_PARTS.flatMap((name) => textIn(record, name)?.split('\n') ?? []);
  const address = parts
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join(', ');
  return address === '' ? [] : [address];
}

/**
 * Returns the employers. The primary company is the first employer. The text property `company` is often only a
 * different spelling of the primary company.
 */
function toEmployers(
  record: HubspotRecord,
  names: ReadonlyMap<string, string | null>,
  readsText: boolean,
): string[] {
  const associated = names.get(getCompanyId(record) ?? '') ?? null;
  const text = readsText ? textIn(record, COMPANY) : null;
  if (associated === null) return text === null ? [] : [text];
  const isSame = text === null || text.toLowerCase() === associated.toLowerCase();
  return isSame ? [associated] : [associated, text];
}

/**
 * The required properties that the token can see. If a user hides properties during a run, donor-sync removes them from
 * this list.
 */
export interface VisibleProperties {
  has(name: string): boolean;
  /**
   * Checks whether properties that are missing from these records are blank or hidden. Throws a ConfigurationError if a
   * required property is hidden.
   */
  check(records: readonly HubspotRecord[]): Promise<void>;
}

export interface VisibleOptions {
  wanted: readonly string[];
  /** The properties that donor-sync requires. */
  needed: readonly string[];
  /** Requests the description of the properties again. */
  describe(): Promise<Properties>;
}

/**
 * Detects properties that become hidden during a run. HubSpot's response contains null for a blank property. HubSpot's
 * response omits a property that the token cannot see. If a property is missing from a response, donor-sync requests
 * the description before it uses the response. If HubSpot omitted blank properties too, donor-sync would only send
 * unnecessary requests.
 */
function watchProperties(
  described: Properties,
  { wanted, needed, describe }: VisibleOptions,
): VisibleProperties {
  requireAll(needed.filter((name) => !described.has(name)));
  const visible = new Set(wanted.filter((name) => described.has(name)));
  let leavesOutBlank = false;

  return {
    has: (name) => visible.has(name),
    async check(records) {
      if (leavesOutBlank) return;
      const lacking = [...visible].filter((name) =>
        records.some(({ properties }) => properties[name] === undefined),
      );
      if (lacking.length === 0) return;
      const present = await describe();
      const hidden = lacking.filter((name) => !present.has(name));
      requireAll(hidden.filter((name) => needed.includes(name)));
      leavesOutBlank = hidden.length === 0;
      for (const name of hidden) visible.delete(name);
    },
  };
}

function requireAll(missing: readonly string[]): void {
  if (missing.length === 0) return;
  const message = `The token cannot read the contact properties ${missing.join(' and ')}, which identify the person. Let the token read them.`;
  throw new ConfigurationError(message, {
    code: 'crm_field_missing',
    details: { fields: missing },
  });
}
