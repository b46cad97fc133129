import type { WallClock } from '../../src/core/clock.ts';
import { ConfigurationError } from '../../src/core/errors.ts';
import type { Log } from '../../src/core/log.ts';
import type { ConnectorOptions, CrmAccount } from '../contract.ts';
import { createApi, type SalesforceApi, type SalesforceWorld } from './api.ts';
import { type ContactShape, shapeContact } from './contact.ts';
import { describeObject, type ObjectDescription } from './describe.ts';
import { getCrmCode } from './errors.ts';
import { createLessons, type Lessons } from './rows/lessons.ts';
import { createRecentLookups, type RecentLookups } from './rows/recent-lookups.ts';
import { createRecentWrites, type RecentWrites } from './rows/recent-writes.ts';
import type { SalesforceSettings } from './settings.ts';
import { findVersion } from './versions.ts';

/** The data that the tasks of an open connector share. */
export interface SalesforceSession {
  settings: SalesforceSettings;
  /** The SOQL condition that every contact must meet, or null if there is none. */
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
  /** The description of Contact that the user can see. It is read again when fields are created. */
  description: ObjectDescription;
  /** The knowledge about rejections that name no field, from this session's writes. */
  lessons: Lessons;
  /** The last writes of this session. They are needed to read the values back. */
  recent: RecentWrites;
  /** The times at which the values to write were looked up. */
  lookups: RecentLookups;
}

/** Signs in and reads how this org describes Contact. This usually takes one request in addition to the sign-in. */
export async function openSession(
  { settings, contacts, deps }: ConnectorOptions<SalesforceSettings>,
  world: SalesforceWorld,
): Promise<SalesforceSession> {
  const api = createApi(settings, deps, world);
  const { orgId, userId, instanceUrl } = await api.signIn();
  const description = await describeContact(api, settings.apiVersion);
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
    // The host distinguishes a sandbox from the org that it is a copy of, because their names are the same.
    account: { id: orgId, name: new URL(instanceUrl).host },
    userId,
    shape: await shapeContact(api, description, { employer, contacts, log: deps.log }),
    description,
    lessons: createLessons(),
    recent: createRecentWrites(),
    lookups: createRecentLookups(),
  };
}

/** The response to any request for a version that Salesforce has retired. */
const RETIRED: ReadonlySet<string | null> = new Set([
  ...['NOT_FOUND', 'ERROR_HTTP_404', 'ERROR_HTTP_410', 'UNSUPPORTED_API_VERSION'],
]);

/** Returns the first request with a version of the API. It distinguishes a retired version from a missing record. */
async function describeContact(api: SalesforceApi, wanted: string): Promise<ObjectDescription> {
  try {
    return await describeObject(api, 'Contact');
  } catch (error) {
    if (!RETIRED.has(getCrmCode(error))) throw error;
    const { isThere, newest } = await findVersion(api, wanted);
    if (isThere) throw error;
    const message = `Salesforce has retired API version ${wanted}, or never had it. Nothing was read. Write crm.apiVersion: "${newest}", the newest version of the org.`;
    throw new ConfigurationError(message, { code: 'crm_version_unknown', cause: error });
  }
}
