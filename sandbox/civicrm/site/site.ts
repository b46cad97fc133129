/** A CiviCRM site without HTTP: its rows, its user's permissions and its variants. */

import type { World } from '../../../people/world.ts';
import { type Database, openTables, type Tables } from '../core/tables.ts';
import { type CustomFields, createCustomFields } from '../custom/custom-fields.ts';
import { fillSite } from './people.ts';
import { createPermissions, type Permissions } from './permissions.ts';
import { createRules, type Rules } from './rules.ts';
import type { Variants } from './variants.ts';

export interface Site {
  db: Database;
  tables: Tables;
  clock: () => number;
  permissions: Permissions;
  custom: CustomFields;
  rules: Rules;
  ledger: Ledger;
  variants(): Variants;
  setVariants(variants: Variants): void;
}

/** Records every change of a contact's values, in order. */
export interface Ledger {
  add(change: LedgerChange): void;
  list(): readonly LedgerChange[];
  /** Removes the changes after this number, because a transaction was rolled back. */
  cut(length: number): void;
}

export interface LedgerChange {
  contact: number;
  field: string;
  before: unknown;
  after: unknown;
  /**
   * The source `api` means that an API client made the change. The source `user` means that a user of CiviCRM made the
   * change. The source `hook` means that the site's own automation made the change.
   */
  by: 'api' | 'user' | 'hook';
}

export interface SiteOptions {
  file: string | undefined;
  world: World;
  contactCount: number;
  clock: () => number;
  variants: Variants;
}

/** Opens the site in a database. If the database is new, fills it with people. */
export function openSite({ file, clock, world, contactCount, variants }: SiteOptions): Site {
  const tables = openTables(file);
  let present = variants;
  const changes: LedgerChange[] = [];
  const site: Site = {
    db: tables.db,
    tables,
    clock,
    permissions: createPermissions(),
    custom: createCustomFields(tables),
    rules: createRules(),
    ledger: {
      add: (change) => void changes.push(change),
      list: () => changes,
      cut(length) {
        changes.length = length;
      },
    },
    variants: () => present,
    setVariants(next) {
      present = next;
    },
  };
  if (tables.of('Contact').count() === 0) {
    tables.transact(() => fillSite(tables, { world, contactCount, nowMs: clock() }));
  }
  return site;
}
