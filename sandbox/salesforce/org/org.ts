/** A complete Salesforce org with its records, its users and data about its clients. */

import type { World } from '../../../people/world.ts';
import { findSetting, keptSetting } from '../../crm/kept-setting.ts';
import type { Database } from '../core/database.ts';
import { type Access, createAccess, type User } from '../metadata/access.ts';
import {
  type Catalogue,
  createCatalogue,
  createIndexes,
  type OrgFeatures,
  type OrgShape,
} from '../metadata/catalogue.ts';
import { fillCurrencies } from '../metadata/objects/currencies.ts';
import { fillSetup, SYSTEM, USERS } from '../metadata/setup-records.ts';
import { wholeSecond } from '../metadata/value.ts';
import { type Automation, createAutomation } from '../records/automation.ts';
import { createLocks, type Locks } from '../records/locks.ts';
import { createRecordStore, type RecordStore } from '../records/record-store.ts';
import { createRules, type Rules } from '../records/rules.ts';
import { type ApiUsage, createApiUsage } from './api-usage.ts';
import { fillPeople } from './people.ts';
import { fillReports } from './reports.ts';

/** An org. `runQuery(org, …)` reads its records, and `org.store` writes them. */
export interface Org {
  db: Database;
  catalogue: Catalogue;
  access: Access;
  store: RecordStore;
  locks: Locks;
  rules: Rules;
  automation: Automation;
  usage: ApiUsage;
  clock: () => number;
}

/** The objects from which an org is created. */
export interface OrgOptions {
  world: World;
  /** The number of people from the world's contact list in this org. */
  contactCount: number;
  shape: OrgShape;
  /** The optional features of the org. There are none by default. */
  features?: OrgFeatures;
  /** The maximum number of API requests per day. */
  apiLimit: number;
  clock: () => number;
}

/** Opens an org. Throws an error if the database was filled with different data. */
export function openOrg(db: Database, options: OrgOptions): Org {
  const { clock } = options;
  const isNew = isSameOrNew(db, options) === 'new';
  const catalogue = createCatalogue(db, options.shape, options.features);
  if (isNew) fill(db, catalogue, options);
  createIndexes(db, catalogue);
  const access = createAccess(db);
  const locks = createLocks();
  const rules = createRules({ db, catalogue, access, clock }, SYSTEM);
  const automation = createAutomation({ db, catalogue, access, clock }, SYSTEM);
  return {
    db,
    catalogue,
    access,
    locks,
    rules,
    automation,
    clock,
    store: createRecordStore({ db, catalogue, access, locks, rules, automation, clock }),
    usage: createApiUsage(db, options.apiLimit, clock),
  };
}

export function findUser(id: string): User | undefined {
  return USERS.find((user) => user.id === id);
}

/** Returns a setting of the org. If the setting does not exist yet, calls `create` and stores the result. */
export function orgSetting(db: Database, name: string, create: () => string): string {
  return keptSetting(db, 'org_settings', name, create);
}

function isSameOrNew(db: Database, options: OrgOptions): 'same' | 'new' {
  const wanted = ingredientsOf(options);
  const present = findSetting(db, 'org_settings', INGREDIENTS);
  if (present !== undefined && present !== wanted) {
    throw new Error(`The database holds another org: ${present}. This one is to have ${wanted}.`);
  }
  return present === undefined ? 'new' : 'same';
}

/** The name of the setting that describes how the database was filled. */
const INGREDIENTS = 'made of';

function ingredientsOf({ world, contactCount, shape, features = {} }: OrgOptions): string {
  const extras = Object.entries(features).flatMap(([name, isOn]) => (isOn ? [`, ${name}`] : []));
  return `seed ${world.seed}, ${world.donorCount} donors, ${contactCount} contacts, shape ${shape}${extras.join('')}`;
}

/**
 * Fills the database either completely or not at all. If the sandbox is stopped in the meantime, the next start fills
 * the database from the beginning.
 */
function fill(db: Database, catalogue: Catalogue, options: OrgOptions): void {
  const { world, contactCount, shape, clock } = options;
  const nowMs = clock();
  db.transaction(() => {
    fillSetup(db, wholeSecond(nowMs), shape === 'npsp');
    fillPeople(db, catalogue, { world, contactCount, nowMs });
    fillReports(db, wholeSecond(nowMs));
    if (options.features?.currencies) fillCurrencies(db, catalogue.list(), wholeSecond(nowMs));
    orgSetting(db, INGREDIENTS, () => ingredientsOf(options));
  })();
}
