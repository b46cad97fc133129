/** Starts the stand-in for a HubSpot account. */

import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { createAdaptorServer } from '@hono/node-server';
import { z } from 'zod';
import { createFaults } from '../faults.ts';
import { createWorld, type World } from '../people/world.ts';
import { createRequestLog } from '../request-log.ts';
import { listen, reportToStandardError, shutDown } from '../serving.ts';
import { OWNER, openAccount, PORTAL_ID } from './account.ts';
import { type AppOptions, createApp } from './app.ts';
import { type Database, openDatabase } from './database.ts';
import { type HubspotFault, hubspotFaultRulesSchema } from './faults.ts';
import { createLimits } from './limits.ts';
import { createClientApp } from './oauth/client-app.ts';
import { createPropertyGroups } from './property-groups.ts';
import { ALL_SCOPES } from './scopes.ts';
import { createTokens, toPrivateToken } from './tokens.ts';
import { openWebhooks } from './webhooks/webhooks.ts';

const DEFAULT_CONTACTS = 500;
/** As many as the sandbox of the service knows by default, so that they are the same people. */
const DEFAULT_DONORS = 10_000;
/** Of a Professional account. */
const DEFAULT_RATE_PER_10S = 190;
const DEFAULT_DAILY_LIMIT = 650_000;
const DEFAULT_SEARCH_PER_SECOND = 5;
const DEFAULT_SEARCH_LAG_MS = 1000;
/** Half an hour, as everywhere at HubSpot. */
const DEFAULT_TOKEN_LIFETIME_MS = 1_800_000;

const DEFAULT_WEBHOOK_BATCH_MS = 50;
const DEFAULT_WEBHOOK_RETRY_MS = 1000;

const PRIVATE_APP_ID = 8_412_006;

/** How the stand-in behaves; everything has a default. */
export interface HubspotSandboxOptions {
  /** 0, the default, takes a free one. */
  port?: number;
  /** 127.0.0.1 by default. */
  host?: string;
  /** Same seed, same people, same first token and same app; 1 by default. */
  seed?: number;
  /** How many donors the world has, as in the sandbox of the service; 10,000 by default. */
  donors?: number;
  /** How many contacts the account has at first; 500 by default. */
  contacts?: number;
  /** A file for the database; without one all is forgotten at the end. */
  db?: string;
  /** Requests of an app within ten seconds, 0 for no limit; 190 by default. */
  ratePer10s?: number;
  /** Requests of private apps in a day, 0 for no limit; 650,000 by default. */
  dailyLimit?: number;
  /** Searches within a second, 0 for no limit; 5 by default. */
  searchPerSecond?: number;
  /** Searches see the account as it was so long ago; 1,000 by default. */
  searchLagMs?: number;
  /** Every request waits so long; 0 by default. */
  latencyMs?: number;
  /** How long an access token of OAuth is good, 0 for ever; half an hour by default. */
  tokenLifetimeMs?: number;
  /** Whether each use of a refresh token gives a new one and ends the old one; false by default. */
  rotateRefreshTokens?: boolean;
  /** Events for webhooks are gathered for so long before they are sent; 50 by default. */
  webhookBatchMs?: number;
  /** How long to wait before they are sent again to a receiver that did not take them; 1,000 by default. */
  webhookRetryMs?: number;
  /** Fault rules as read from JSON; rules that make no sense are an error. */
  faults?: unknown;
  /** People to use instead of those of the seed. */
  world?: World;
  /** Milliseconds since 1970. */
  clock?: () => number;
  /** From 0 up to 1, for faults by chance. */
  random?: () => number;
  /** Hears of errors that nobody foresaw; standard error by default. */
  report?: (error: Error) => void;
}

/** A stand-in that is serving. */
export interface HubspotSandbox {
  /** The address of the API and of signing in; no slash at its end. */
  baseUrl: string;
  /** Where `/_sandbox` is found; the same address. */
  rootUrl: string;
  /** A token of the private app, with every scope. */
  token: string;
  clientId: string;
  clientSecret: string;
  /** The account's number. */
  portalId: number;
  /** Ends at once: open connections are cut, the database is closed. */
  close(): Promise<void>;
}

/** Starts a stand-in; resolves when it serves. */
export async function startHubspotSandbox(
  options: HubspotSandboxOptions = {},
): Promise<HubspotSandbox> {
  const db = openDatabase(options.db);
  try {
    const parts = assemble(db, options);
    const server = createAdaptorServer({
      fetch: createApp(parts).fetch,
      overrideGlobalObjects: false,
    });
    const baseUrl = await listen(server, options.host ?? '127.0.0.1', options.port ?? 0);
    const { clientId, clientSecret } = parts.app;
    return {
      baseUrl,
      rootUrl: baseUrl,
      token: issueFirstToken(parts),
      clientId,
      clientSecret,
      portalId: PORTAL_ID,
      close: () => {
        parts.webhooks.close();
        return shutDown(server, db);
      },
    };
  } catch (error) {
    db.close();
    throw error;
  }
}

function assemble(db: Database, options: HubspotSandboxOptions): AppOptions {
  const clock = options.clock ?? Date.now;
  const createSecret = () => randomBytes(32).toString('hex');
  const world =
    options.world ??
    createWorld({ seed: options.seed ?? 1, donors: options.donors ?? DEFAULT_DONORS });
  const contactCount = options.contacts ?? DEFAULT_CONTACTS;
  const searchLagMs = options.searchLagMs ?? DEFAULT_SEARCH_LAG_MS;
  const faults = createFaults<HubspotFault>({
    basePath: '',
    random: options.random ?? Math.random,
  });
  faults.replace(readRules(options.faults));
  const account = openAccount(db, { world, contactCount, searchLagMs, clock });
  const app = createClientApp(world.seed);
  const tokens = createTokens(db, { clock, hubId: PORTAL_ID, createSecret });
  return {
    clock,
    world,
    contactCount,
    faults,
    account,
    groups: createPropertyGroups(db),
    app,
    privateAppId: PRIVATE_APP_ID,
    tokens,
    webhooks: openWebhooks({
      db,
      app,
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
    requests: createRequestLog(),
    tokenLifetimeMs: options.tokenLifetimeMs ?? DEFAULT_TOKEN_LIFETIME_MS,
    rotateRefreshTokens: options.rotateRefreshTokens ?? false,
    latencyMs: options.latencyMs ?? 0,
    createSecret,
    createId: randomUUID,
    report: options.report ?? reportToStandardError,
  };
}

function readRules(rules: unknown) {
  const result = hubspotFaultRulesSchema.safeParse(rules ?? []);
  if (!result.success) {
    throw new Error(`The fault rules make no sense.\n${z.prettifyError(result.error)}`);
  }
  return result.data;
}

/** A restarted sandbox has the same first token, so settings that name it stay valid. */
function issueFirstToken({ tokens, world }: AppOptions): string {
  const secret = createHash('sha256').update(`hubspot token of seed ${world.seed}`).digest('hex');
  const grant = { appId: PRIVATE_APP_ID, userId: OWNER.userId, scopes: ALL_SCOPES };
  return tokens.issue({ kind: 'private', ...grant }, { token: toPrivateToken(secret) });
}
