/** A Bloomerang account, with all of its data in one database. */

import { keptSetting } from '../../crm/kept-setting.ts';
import type { Database } from '../core/database.ts';
import type { VariantBook } from '../core/variant.ts';
import { type Constituents, createConstituents } from './constituents.ts';
import { type CustomFields, createCustomFields, type NewCustomField } from './custom-fields.ts';
import { createDetails, type Details } from './details.ts';
import { createGroups, type Groups } from './groups.ts';
import { createHouseholds, type Households } from './households.ts';
import { fillPeople, type PeopleOptions } from './people.ts';
import { createRules, type Rules } from './rules.ts';

export interface Account {
  db: Database;
  clock: () => number;
  variant: VariantBook;
  constituents: Constituents;
  details: Details;
  households: Households;
  groups: Groups;
  customFields: CustomFields;
  rules: Rules;
  /** The name of the user to whom the key belongs. */
  keyUser: string;
  /** The ID of the account, which `GET /database` returns. */
  databaseId: string;
}

export interface AccountOptions extends Omit<PeopleOptions, 'nowMs'> {
  clock: () => number;
  variant: VariantBook;
  /** Fields that an administrator has already created. */
  customFields: readonly NewCustomField[];
  createId: () => string;
}

/** Opens an account. If the database is new, fills it with people. */
export function openAccount(db: Database, options: AccountOptions): Account {
  const { clock, variant, world, contactCount } = options;
  const setting = (name: string, create: () => string) =>
    keptSetting(db, 'account_settings', name, create);
  const account: Account = {
    db,
    clock,
    variant,
    constituents: createConstituents(db),
    details: createDetails(db),
    households: createHouseholds(db),
    groups: createGroups(db),
    customFields: createCustomFields(db),
    rules: createRules(),
    keyUser: 'Example Integration User',
    databaseId: setting('database_id', options.createId),
  };
  const made = `${contactCount} contacts of ${world.donorCount} donors with seed ${world.seed}`;
  db.transaction(() => {
    const kept = setting('people', () => {
      for (const field of options.customFields) account.customFields.create(field);
      fillPeople(account, { world, contactCount, nowMs: clock() });
      return made;
    });
    if (kept !== made) throw new Error(`The database holds another account: ${kept}.`);
  })();
  return account;
}
