import type { Contact } from '../../src/core/contact.ts';
import type { Log } from '../../src/core/log.ts';
import type { ContactsSettings, IdentityShape, IdentitySource } from '../contract.ts';
import type { SalesforceApi } from './api.ts';
import type { ObjectDescription } from './describe.ts';
import { type EmployerShape, shapeEmployer } from './employer.ts';
import { type ExclusionShape, shapeExclusions } from './exclusions.ts';
import { requireField, shapeOptOut } from './marks.ts';
import { CURRENCY, hasCurrencies } from './money/currencies.ts';
import type { ColumnReader } from './query.ts';
import { RELATION_NAME, type Relations, shapeRelations } from './relations.ts';
import type { SalesforceSettings } from './settings.ts';
import { hasSuccessPack } from './success-pack.ts';
import { blankToNull } from './values.ts';

export interface ContactShape {
  /** The columns to select. The first column is the ID. Hidden columns are never included. */
  columns: readonly string[];
  identity: IdentityShape;
  relations: Relations;
  exclusions: ExclusionShape;
  /** A condition that selects all contacts who have opted out, or null if there is none. */
  optOutCondition: string | null;
  toContact(read: ColumnReader): Contact;
}

interface ShapeOptions {
  employer: SalesforceSettings['employer'];
  contacts: ContactsSettings;
  log: Log;
}

/**
 * Determines the columns from the org's own description of Contact. Sends further requests only if they are necessary.
 */
export async function shapeContact(
  api: SalesforceApi,
  description: ObjectDescription,
  { employer: setting, contacts, log }: ShapeOptions,
): Promise<ContactShape> {
  for (const name of NAMES) requireField(description, name, 'It is needed.');
  const optOut = shapeOptOut(description, contacts);
  const [employer, relations, exclusions] = await Promise.all([
    shapeEmployer(api, description, setting),
    shapeRelations(api, description, setting),
    shapeExclusions(api, description, { contacts, log }),
  ]);
  const addresses = ADDRESSES.map((parts) => parts.filter((name) => description.fields.has(name)));
  const sources = [...addressSources(description), ...employer.sources];
  const listUnreadable = createUnreadable(sources, employer, relations);
  const columns = [
    ...['Id', 'FirstName', 'LastName', ...addresses.flat()],
    ...[...employer.columns, ...exclusions.columns, ...optOut.columns],
    ...(hasCurrencies(description) ? [CURRENCY] : []),
  ];
  return {
    columns: [...new Set(columns)],
    identity: {
      columns: `employer=${setting}`,
      mode: getMode(description),
      names: NAMES,
      sources: [...sources, ...relations.sources],
    },
    relations,
    exclusions,
    optOutCondition: optOut.condition,
    toContact(read) {
      const missing: string[] = [];
      const lines = addresses.map((parts) => joined(parts, read, missing));
      const name = employer.getName(read);
      const unreadable = listUnreadable(name);
      return {
        id: blankToNull(read('Id')) ?? '',
        firstName: blankToNull(read('FirstName')),
        lastName: nameOrNull(read('LastName')),
        addresses: lines.filter((line) => line !== ''),
        employers: typeof name === 'string' ? [name] : [],
        optedOut: optOut.isOptedOut(read),
        ...(exclusions.isObjection(read) ? { objects: true } : {}),
        ...exclusions.getPrivacy(read),
        excluded: exclusions.getExclusion(read) ?? (optOut.isUnknown(read) ? 'mark_unknown' : null),
        unreadable: missing.length === 0 ? unreadable : [...missing, ...unreadable],
        ...(hasCurrencies(description)
          ? { currencies: { [CURRENCY]: blankToNull(read(CURRENCY)) } }
          : {}),
      };
    },
  };
}

const NAMES = ['FirstName', 'LastName'];
const PARTS = ['Street', 'City', 'State', 'PostalCode', 'Country'];

/** The names of the address fields. The most important address comes first. */
const ADDRESSES = ['Mailing', 'Other'].map((kind) => PARTS.map((part) => `${kind}${part}`));

/** Adds the sources of addresses. A field without a description is hidden. */
function addressSources({ fields }: ObjectDescription): IdentitySource[] {
  return ADDRESSES.flat().map((name) => ({ name, part: 'addresses', readable: fields.has(name) }));
}

/**
 * Returns the way in which the org models people. The result must not change when a user gains or loses a permission.
 */
function getMode(description: ObjectDescription): string {
  const models = [
    hasSuccessPack(description) ? 'npsp' : null,
    description.fields.has('IsPersonAccount') ? 'personAccounts' : null,
  ];
  return models.filter((model) => model !== null).join('+') || 'plain';
}

/**
 * Returns a function that lists the unreadable parts of a contact. The parts depend on the employer's name, because
 * relations are queried only if a contact has no other employer. All contacts share these lists, because an org can
 * have a million contacts.
 */
function createUnreadable(
  sources: readonly IdentitySource[],
  employer: EmployerShape,
  relations: Relations,
): (employerName: string | null | undefined) => readonly string[] {
  const always = sources.flatMap(({ name, readable }) => (readable ? [] : [name]));
  const ofRelations = relations.state === 'hidden' ? [RELATION_NAME] : [];
  const ofEmployer = employer.source === null ? [] : [employer.source];
  const whenNamed = Object.freeze(always);
  const whenNone =
    ofRelations.length === 0 ? whenNamed : Object.freeze([...always, ...ofRelations]);
  const whenHidden = Object.freeze([...always, ...ofEmployer, ...ofRelations]);
  return (name) => {
    if (name === undefined) return whenHidden;
    return name === null ? whenNone : whenNamed;
  };
}

/** Joins the values of several columns. Adds columns that the response lacks to `missing`. */
function joined(parts: readonly string[], read: ColumnReader, missing: string[]): string {
  let address = '';
  for (const part of parts) {
    const raw = read(part);
    if (raw === undefined) missing.push(part);
    const text = blankToNull(raw);
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

/**
 * The last names that Salesforce products enter if a contact has no last name. A last name is required in Salesforce.
 */
const NO_NAMES: ReadonlySet<string> = new Set(['[not provided]', '[[Unknown]]']);

function nameOrNull(raw: unknown): string | null {
  const name = blankToNull(raw);
  return name === null || NO_NAMES.has(name) ? null : name;
}
