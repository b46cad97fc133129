/** Opens an account's lists. If the database is new, fills it with lists. */

import type { Hono } from 'hono';
import { chooseGroups } from '../../../people/groups.ts';
import type { World } from '../../../people/world.ts';
import type { ListsInProgress } from '../account/list-processing.ts';
import { contactIdOf } from '../account/person-id.ts';
import { accountSetting, type Database } from '../core/database.ts';
import { CONTACTS } from '../core/object-type.ts';
import type { Properties } from '../properties/properties.ts';
import type { RecordStore } from '../records/record-store.ts';
import { createRouter, type HubspotEnv } from '../requests/context.ts';
import { listRoutes } from './list-routes.ts';
import { type ListStore, openListStore } from './list-store.ts';
import { keepLists } from './list-upkeep.ts';
import { membershipRoutes } from './membership-routes.ts';
import { type Memberships, openMemberships } from './memberships.ts';
import { showMembers } from './shown-members.ts';

/** The objects from which the lists are opened. */
export interface ListsOptions {
  db: Database;
  records: RecordStore;
  world: World;
  /** The number of people that the account contains from the world's contact list. */
  contactCount: number;
  /** The properties that conditions can use. */
  properties: Pick<Properties, 'find'>;
  inProgress: ListsInProgress;
  clock: () => number;
}

/** Opens the lists and returns the routes for `/crm/v3/lists` and for the paths with a date. */
export function openLists(options: ListsOptions): Hono<HubspotEnv> {
  const { db, records, properties, inProgress, clock } = options;
  const lists = openListStore(db, clock);
  const memberships = openMemberships(db, clock);
  // If the sandbox is stopped before the end, the next start fills the lists again.
  db.transaction(() => accountSetting(db, 'lists', () => fillLists(lists, memberships, options)))();
  const upkeep = keepLists({ lists, memberships, records });
  const shown = showMembers(memberships, inProgress);
  const parts = { lists, memberships, shown, inProgress, upkeep, records, properties, clock };
  const router = createRouter();
  router.route('/', listRoutes(parts));
  router.route('/', membershipRoutes(parts));
  return router;
}

/** Creates lists that users would maintain by hand. Returns a description of the lists' source. */
function fillLists(lists: ListStore, memberships: Memberships, options: ListsOptions): string {
  const { board, staff } = chooseGroups(options);
  for (const { name, people } of [board, staff]) {
    const { id } = lists.create({
      name,
      objectTypeId: CONTACTS.typeId,
      processingType: 'MANUAL',
      filterBranch: null,
    });
    memberships.add(
      id,
      people.map((number) => Number(contactIdOf(number))),
    );
  }
  return 'the board and the staff';
}
