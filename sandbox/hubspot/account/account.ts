/** A HubSpot account with its records, properties and rules. */

import { accountSetting, type Database } from '../core/database.ts';
import { CONTACTS } from '../core/object-type.ts';
import { createProperties, type Properties } from '../properties/properties.ts';
import {
  createPropertyValidations,
  type PropertyValidations,
} from '../properties/property-validations.ts';
import { type Associations, createAssociations } from '../records/associations.ts';
import { type Author, createRecordStore, type RecordStore } from '../records/record-store.ts';
import { createRules, type Rules } from '../records/rules.ts';
import { createLateRecords, type LateRecords } from '../search/late-records.ts';
import { createSearch, type Search } from '../search/search.ts';
import { type Automation, createAutomation } from './automation.ts';
import { type Currencies, createCurrencies } from './currencies.ts';
import { createListsInProgress, type ListsInProgress } from './list-processing.ts';
import { fillPeople, type PeopleOptions } from './people.ts';

/** The default account number. */
export const PORTAL_ID = 48_291_057;

/** The user on whose behalf the private app acts, and who owns all records that have an owner. */
export const OWNER = {
  ownerId: '76129483',
  userId: 61_204_377,
  email: 'integration@riverside.example.org',
  firstName: 'Ines',
  lastName: 'Marlow',
};

/** A HubSpot account without HTTP, tokens and limits. */
export interface Account {
  db: Database;
  portalId: number;
  clock: () => number;
  properties: Properties;
  store: RecordStore;
  associations: Associations;
  rules: Rules;
  /** The validation rules for property values, which the API returns. */
  validations: PropertyValidations;
  automation: Automation;
  currencies: Currencies;
  listsInProgress: ListsInProgress;
  /** Records whose changes appear in searches only after a delay. */
  lateRecords: LateRecords;
  search: Search;
}

export interface AccountOptions extends Omit<PeopleOptions, 'nowMs'> {
  clock: () => number;
  portalId: number;
  /** The delay of searches (ms). A search finds the data as it was this time ago. */
  searchLagMs: number;
}

/** Opens an account. If the database is new, fills it with people. */
export function openAccount(db: Database, options: AccountOptions): Account {
  const { clock, world, contactCount, portalId } = options;
  const made = `${contactCount} contacts of ${world.donorCount} donors with seed ${world.seed}`;
  db.transaction(() => {
    const kept = accountSetting(db, 'people', () => {
      fillPeople(db, { world, contactCount, nowMs: clock() });
      return made;
    });
    if (kept !== made) throw new Error(`The database holds another account: ${kept}.`);
  })();
  const properties = createProperties(db);
  const store = createRecordStore(db, clock);
  const lateRecords = createLateRecords();
  return {
    db,
    portalId,
    clock,
    properties,
    store,
    associations: createAssociations(db),
    rules: createRules(),
    validations: createPropertyValidations(db, clock),
    automation: createAutomation({ properties, store, clock }),
    currencies: createCurrencies(clock),
    listsInProgress: createListsInProgress(),
    lateRecords,
    search: createSearch(db, properties, { clock, lagMs: options.searchLagMs, late: lateRecords }),
  };
}

/** Sets a contact's `associatedcompanyid` to the ID of the contact's primary company. */
export function followPrimaryCompany(account: Account, contactId: string, author: Author): void {
  const contact = account.store.read(CONTACTS, contactId);
  if (contact?.archivedAtMs !== null) return;
  const associatedcompanyid = account.associations.primaryCompanyOf(contactId) ?? '';
  account.store.update(CONTACTS, contact, { associatedcompanyid }, author);
}
