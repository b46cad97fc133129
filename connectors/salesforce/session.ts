import type { WallClock } from '../../src/core/clock.ts';
import type { Log } from '../../src/core/log.ts';
import type { ConnectorOptions, CrmAccount } from '../contract.ts';
import { createApi, type SalesforceApi, type SalesforceWorld } from './api.ts';
import { type ContactShape, shapeContact } from './contact.ts';
import { describeObject, type ObjectDescription } from './describe.ts';
import { createLessons, type Lessons } from './rows/lessons.ts';
import { createRecentWrites, type RecentWrites } from './rows/recent-writes.ts';
import type { SalesforceSettings } from './settings.ts';

/** What the jobs of a connector share while it is open. */
export interface SalesforceSession {
  settings: SalesforceSettings;
  /** The SOQL condition that every contact must meet; null for none. */
  filter: string | null;
  api: SalesforceApi;
  clock: WallClock;
  log: Log;
  signal: AbortSignal;
  random: () => number;
  account: CrmAccount;
  /** The integration's user. */
  userId: string;
  shape: ContactShape;
  /** Contact as the user sees it; renewed when fields are created. */
  description: ObjectDescription;
  /** What its writes have learned of refusals that name no field. */
  lessons: Lessons;
  /** What it has written last, to read it back. */
  recent: RecentWrites;
}

/** Signs in and learns what Contact looks like in this org: one request besides the sign-in as a rule. */
export async function openSession(
  { settings, contacts, deps }: ConnectorOptions<SalesforceSettings>,
  world: SalesforceWorld,
): Promise<SalesforceSession> {
  const api = createApi(settings, deps, world);
  const { orgId, userId, instanceUrl } = await api.signIn();
  const description = await describeObject(api, 'Contact');
  const { employer } = settings;
  const { filter } = contacts;
  return {
    settings,
    filter: filter === null ? null : `(${filter})`,
    api,
    clock: deps.clock,
    log: deps.log,
    signal: deps.signal,
    random: world.random,
    // The host tells a sandbox from the org that it was copied from; their names are the same.
    account: { id: orgId, name: new URL(instanceUrl).host },
    userId,
    shape: await shapeContact(api, description, { employer, contacts, log: deps.log }),
    description,
    lessons: createLessons(),
    recent: createRecentWrites(),
  };
}
