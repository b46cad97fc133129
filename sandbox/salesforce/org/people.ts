/** Stores the world's people in this org as contacts, households, employers and affiliations. */

import type { CrmPerson, World } from '../../../people/world.ts';
import type { Database } from '../core/database.ts';
import type { Catalogue } from '../metadata/catalogue.ts';
import type { StoredValue } from '../metadata/field.ts';
import { ORG_NAME } from '../metadata/setup-records.ts';
import { wholeSecond } from '../metadata/value.ts';
import { fillGroups } from './groups.ts';
import { createInsert, type Insert } from './insert.ts';
import { contactIdOf } from './person-id.ts';

/** The last name of a contact for whom no last name is known. Every contact must have a last name. */
const NO_LAST_NAME = '[not provided]';

/** The period (ms) in which the contacts were added. The period covers the two years before the start. */
const HISTORY_MS = 2 * 365 * 86_400_000;

/**
 * The number of rows that are searched for members of a household. The number is sufficient, because members of a
 * household are close together in the list.
 */
const HOUSEHOLD_WINDOW = 12;

/** The options for converting people to records. */
export interface PeopleOptions {
  world: World;
  /** The number of people from the world's contact list in this org. */
  contactCount: number;
  nowMs: number;
}

/** Stores all contacts and their related records. The database must be empty. */
export function fillPeople(db: Database, catalogue: Catalogue, options: PeopleOptions): void {
  const insert = createInsert(db, catalogue);
  const accounts = createAccounts(insert);
  const startMs = wholeSecond(options.nowMs - HISTORY_MS);
  const own = accounts.employer(ORG_NAME, startMs);
  for (let number = 0; number < options.contactCount; number += 1) {
    const person = options.world.crmPerson(number);
    const atMs = stampOf(number, options);
    const contact = contactValues(person);
    switch (catalogue.shape) {
      case 'npsp':
        addWithHousehold(insert, accounts, person, contact, atMs);
        break;
      case 'personAccounts':
        addWithOwnAccount(insert, accounts, person, contact, atMs);
        break;
      default:
        insert('Contact', atMs, { ...contact, AccountId: accounts.employerOf(person, atMs) });
    }
  }
  const board = catalogue.shape === 'npsp' ? own : null;
  fillGroups(insert, { ...options, atMs: startMs, boardOf: board });
}

/** Returns the values of a contact that are the same in every kind of org. */
function contactValues(person: CrmPerson): Record<string, StoredValue> {
  return {
    FirstName: person.firstName,
    LastName: person.lastName ?? NO_LAST_NAME,
    Email: person.email,
    Title: person.jobTitle,
    MailingStreet: person.address?.street ?? null,
    MailingCity: person.address?.city ?? null,
    MailingState: person.address?.state ?? null,
    MailingPostalCode: person.address?.postalCode ?? null,
    MailingCountry: person.address === null ? null : 'United States',
  };
}

function addWithHousehold(
  insert: Insert,
  accounts: Accounts,
  person: CrmPerson,
  contact: Record<string, StoredValue>,
  atMs: number,
): void {
  const employer = accounts.employerOf(person, atMs);
  const id = insert('Contact', atMs, {
    ...contact,
    AccountId: accounts.householdOf(person, atMs),
    npsp__Primary_Affiliation__c: employer,
  });
  if (employer === null) return;
  insert('npe5__Affiliation__c', atMs, {
    npe5__Contact__c: id,
    npe5__Organization__c: employer,
    npe5__Role__c: person.jobTitle,
    npe5__Status__c: 'Current',
    npe5__Primary__c: 1,
  });
}

function addWithOwnAccount(
  insert: Insert,
  accounts: Accounts,
  person: CrmPerson,
  contact: Record<string, StoredValue>,
  atMs: number,
): void {
  const employer = accounts.employerOf(person, atMs);
  const name = `${contact['FirstName'] ?? ''} ${contact['LastName']}`.trim();
  const contactId = contactIdOf(person.number);
  const account = insert('Account', atMs, {
    Name: name,
    IsPersonAccount: 1,
    PersonContactId: contactId,
  });
  insert('Contact', atMs, { ...contact, AccountId: account, IsPersonAccount: 1 });
  if (employer === null) return;
  insert('AccountContactRelation', atMs, {
    AccountId: employer,
    ContactId: contactId,
    Roles: 'Employee',
    IsActive: 1,
  });
}

/** Stores accounts. Each account is created when it is first needed. */
interface Accounts {
  employer(name: string, atMs: number): string;
  employerOf(person: CrmPerson, atMs: number): string | null;
  householdOf(person: CrmPerson, atMs: number): string;
}

function createAccounts(insert: Insert): Accounts {
  const employers = new Map<string, string>();
  const households: { key: string; id: string }[] = [];

  function employer(name: string, atMs: number): string {
    const id = employers.get(name) ?? insert('Account', atMs, { Name: name, ...ORGANISATION });
    employers.set(name, id);
    return id;
  }

  return {
    employer,
    employerOf: (person, atMs) =>
      person.employer === null ? null : employer(person.employer, atMs),
    householdOf(person, atMs) {
      const last = person.lastName ?? person.firstName ?? NO_LAST_NAME;
      const key = `${last} ${person.address?.street ?? `at no address ${person.number}`}`;
      const present = households.find((household) => household.key === key)?.id;
      const id = present ?? insert('Account', atMs, { Name: `${last} Household`, ...HOUSEHOLD });
      households.push({ key, id });
      if (households.length > HOUSEHOLD_WINDOW) households.shift();
      return id;
    },
  };
}

/** The values that mark an organisation. Only an org with the Nonprofit Success Pack has this field. */
const ORGANISATION = { npe01__SYSTEM_AccountType__c: 'Organization' };
const HOUSEHOLD = {
  Type: 'Household',
  npe01__SYSTEM_AccountType__c: 'Household Account',
  npe01__SYSTEMIsIndividual__c: 1,
};

/**
 * Returns the time at which a contact was added. The last person in the list was added shortly before the org started.
 */
function stampOf(number: number, { nowMs, contactCount }: PeopleOptions): number {
  return wholeSecond(nowMs - HISTORY_MS + Math.floor((HISTORY_MS * number) / contactCount));
}
