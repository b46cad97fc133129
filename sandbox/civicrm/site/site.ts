/** A CiviCRM site without HTTP: its rows, its user's permissions and its behaviour. */

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

/** Records every changed value of a contact, in order. */
export interface Ledger {
  add(change: LedgerChange): void;
  list(): readonly LedgerChange[];
  /** Removes all changes after this number, because they were rolled back. */
  cut(length: number): void;
}

export interface LedgerChange {
  contact: number;
  field: string;
  before: unknown;
  after: unknown;
  /** `api`: through the API. `user`: by a user in CiviCRM. `hook`: the site's own automation. */
  by: 'api' | 'user' | 'hook';
}

export interface SiteOptions {
  file: string | undefined;
  world: World;
  contactCount: number;
  clock: () => number;
  variants: Variants;
}

/** Opens the site in a database. Fills it when it is first used. */
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
