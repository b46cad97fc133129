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

/** The data of an open connection to Salesforce. */
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
  /** The ID of the CRM user of donor-sync. */
  userId: string;
  shape: ContactShape;
  /**
   * The description of Contact, limited to the fields that the user can see. donor-sync reads it again when it creates
   * fields.
   */
  description: ObjectDescription;
  /** Knowledge about rejections without a named field, from this session's writes. */
  lessons: Lessons;
  /** The latest writes of this session. donor-sync needs the latest writes to interpret values that it reads back. */
  recent: RecentWrites;
  /** The times at which donor-sync read values before writing them. */
  lookups: RecentLookups;
}

/** Signs in and reads how this org describes Contact. In addition to the sign-in, this usually takes one request. */
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
    // The account's name is the host. A sandbox has the same name as the org from which it was copied, but a different
    // host.
    account: { id: orgId, name: new URL(instanceUrl).host },
    userId,
    shape: await shapeContact(api, description, { employer, contacts, log: deps.log }),
    description,
    lessons: createLessons(),
    recent: createRecentWrites(),
    lookups: createRecentLookups(),
  };
}

/** The error codes with which Salesforce answers any request for a retired API version. */
const RETIRED: ReadonlySet<string | null> = new Set([
  ...['NOT_FOUND', 'ERROR_HTTP_404', 'ERROR_HTTP_410', 'UNSUPPORTED_API_VERSION'],
]);

/**
 * Describes Contact, in the first request that contains an API version. The function distinguishes a retired API
 * version from a missing record.
 */
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
