/** Starts the stand-in for a HubSpot account. */

import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { serve } from '../../testbed/serving.ts';
import { type CrmSandboxOptions, createCrmParts } from '../crm/options.ts';
import { OWNER, openAccount, PORTAL_ID } from './account/account.ts';
import { type AppOptions, createApp } from './app.ts';
import { type Database, openDatabase } from './core/database.ts';
import { createClientApp } from './oauth/client-app.ts';
import { createPropertyGroups } from './properties/property-groups.ts';
import { hubspotFaultRulesSchema } from './requests/faults.ts';
import { createLimits } from './requests/limits.ts';
import { ALL_SCOPES } from './requests/scopes.ts';
import { createTokens, toPrivateToken } from './requests/tokens.ts';
import { openWebhooks } from './webhooks/webhooks.ts';

/** The default limits, which are the limits of a Professional account. */
const DEFAULT_RATE_PER_10S = 190;
const DEFAULT_DAILY_LIMIT = 650_000;
const DEFAULT_SEARCH_PER_SECOND = 5;
const DEFAULT_SEARCH_LAG_MS = 1000;
/** The default lifetime of an access token, which is half an hour, as in every HubSpot account. */
const DEFAULT_TOKEN_LIFETIME_MS = 1_800_000;

const DEFAULT_WEBHOOK_BATCH_MS = 50;
const DEFAULT_WEBHOOK_RETRY_MS = 1000;

const PRIVATE_APP_ID = 8_412_006;

/** Options of the stand-in. Every option has a default value. */
export interface HubspotSandboxOptions extends CrmSandboxOptions {
  /** The maximum number of requests of each app in ten seconds. 0 means no limit. The default is 190. */
  ratePer10s?: number;
  /** The maximum number of requests of all private apps in a day. 0 means no limit. The default is 650,000. */
  dailyLimit?: number;
  /** The maximum number of searches per second. 0 means no limit. The default is 5. */
  searchPerSecond?: number;
  /** The delay of searches (ms). A search finds the data as it was this time ago. The default is 1,000. */
  searchLagMs?: number;
  /** The time (ms) for which webhook events are collected before they are sent. The default is 50. */
  webhookBatchMs?: number;
  /** The delay (ms) before the stand-in repeats webhook events that a receiver did not accept. The default is 1,000. */
  webhookRetryMs?: number;
  /** The account number. The default is 48291057. */
  portalId?: number;
}

export interface HubspotSandbox {
  /** The base address of the API and of sign-in. The address has no trailing slash. */
  baseUrl: string;
  /** The address under which the stand-in serves `/_sandbox`, which is the base address. */
  rootUrl: string;
  /** A token of the private app, with all scopes. */
  token: string;
  clientId: string;
  clientSecret: string;
  /** The account number. */
  portalId: number;
  /** Stops immediately. Open connections are cut, and the database is closed. */
  close(): Promise<void>;
}

/** Starts a stand-in. The promise resolves when the stand-in accepts requests. */
export async function startHubspotSandbox(
  options: HubspotSandboxOptions = {},
): Promise<HubspotSandbox> {
  const db = openDatabase(options.db);
  try {
    const parts = assemble(db, options);
    const { rootUrl, close } = await serve(createApp(parts), db, options);
    const { clientId, clientSecret } = parts.app;
    return {
      baseUrl: rootUrl,
      rootUrl,
      token: issueFirstToken(parts),
      clientId,
      clientSecret,
      portalId: parts.portalId,
      close: () => {
        parts.webhooks.close();
        return close();
      },
    };
  } catch (error) {
    db.close();
    throw error;
  }
}

function assemble(db: Database, options: HubspotSandboxOptions): AppOptions {
  const parts = createCrmParts(options, { rulesSchema: hubspotFaultRulesSchema, basePath: '' });
  const { clock, world, contactCount } = parts;
  const createSecret = () => randomBytes(32).toString('hex');
  const searchLagMs = options.searchLagMs ?? DEFAULT_SEARCH_LAG_MS;
  const { portalId = PORTAL_ID } = options;
  const account = openAccount(db, { world, contactCount, searchLagMs, clock, portalId });
  const app = createClientApp(world.seed);
  const tokens = createTokens(db, { clock, hubId: portalId, createSecret });
  return {
    ...parts,
    portalId,
    account,
    groups: createPropertyGroups(db),
    app,
    privateAppId: PRIVATE_APP_ID,
    tokens,
    webhooks: openWebhooks({
      db,
      app,
      portalId,
      tokens,
      records: account.store,
      clock,
      batchMs: options.webhookBatchMs ?? DEFAULT_WEBHOOK_BATCH_MS,
      retryMs: options.webhookRetryMs ?? DEFAULT_WEBHOOK_RETRY_MS,
    }),
    limits: createLimits(db, clock, {
      ratePer10s: options.ratePer10s ?? DEFAULT_RATE_PER_10S,
      dailyLimit: options.dailyLimit ?? DEFAULT_DAILY_LIMIT,
      searchPerSecond: options.searchPerSecond ?? DEFAULT_SEARCH_PER_SECOND,
    }),
    tokenLifetimeMs: options.tokenLifetimeMs ?? DEFAULT_TOKEN_LIFETIME_MS,
    createSecret,
    createId: randomUUID,
  };
}

/** Issues the first token. The first token does not change with a restart, so settings with this token stay valid. */
function issueFirstToken({ tokens, world }: AppOptions): string {
  const secret = createHash('sha256').update(`hubspot token of seed ${world.seed}`).digest('hex');
  const grant = { appId: PRIVATE_APP_ID, userId: OWNER.userId, scopes: ALL_SCOPES };
  return tokens.issue({ kind: 'private', ...grant }, { token: toPrivateToken(secret) });
}
