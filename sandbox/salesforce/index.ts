/** Starts the stand-in for a Salesforce org. */

import { randomBytes } from 'node:crypto';
import { createAdaptorServer } from '@hono/node-server';
import { z } from 'zod';
import { createFaults } from '../faults.ts';
import { createWorld, type World } from '../people/world.ts';
import { createRequestLog } from '../request-log.ts';
import { listen, reportToStandardError, shutDown } from '../serving.ts';
import { type AppOptions, createApp } from './app.ts';
import { createBulk } from './bulk-jobs.ts';
import type { OrgShape } from './catalogue.ts';
import { type Database, openDatabase } from './database.ts';
import { type SalesforceFault, salesforceFaultRulesSchema } from './faults.ts';
import { openClientApp, secretOf } from './oauth/client-app.ts';
import { createCodes } from './oauth/codes.ts';
import { createTokens, toAccessToken } from './oauth/tokens.ts';
import { openOrg } from './org.ts';
import { INTEGRATION_USER } from './setup-records.ts';

const DEFAULT_CONTACTS = 500;
/** As many as the sandbox of the service knows by default, so that they are the same people. */
const DEFAULT_DONORS = 10_000;
const DEFAULT_API_LIMIT = 100_000;
/** Two hours, as in a new org. */
const DEFAULT_TOKEN_LIFETIME_MS = 7_200_000;
const DEFAULT_BULK_JOB_TIME_MS = 50;
const DEFAULT_BULK_PAGE_ROWS = 50_000;

/** How the stand-in behaves; everything has a default. */
export interface SalesforceSandboxOptions {
  /** 0, the default, takes a free one. */
  port?: number;
  /** 127.0.0.1 by default. */
  host?: string;
  /** Same seed, same people, same first token and same app; 1 by default. */
  seed?: number;
  /** How many donors the world has, as in the sandbox of the service; 10,000 by default. */
  donors?: number;
  /** How many contacts the org has at first; 500 by default. */
  contacts?: number;
  /** A file for the database; without one all is forgotten at the end. */
  db?: string;
  /** How the org models people; `npsp` by default. */
  shape?: OrgShape;
  /** Requests within 24 hours; 100,000 by default. */
  apiLimit?: number;
  /** Requests at once, 0 for no limit; 0 by default, as Salesforce counts only those of 20 seconds and more. */
  concurrent?: number;
  /** Every request waits so long; 0 by default. */
  latencyMs?: number;
  /** How long a job of the Bulk API shows that it is not done yet; 50 by default. */
  bulkJobTimeMs?: number;
  /** The most rows of a page of a bulk query's results; 50,000 by default. */
  bulkPageRows?: number;
  /** How long an access token is good, 0 for ever; two hours by default. */
  tokenLifetimeMs?: number;
  /** Whether each use of a refresh token gives a new one and ends the old one; false by default. */
  rotateRefreshTokens?: boolean;
  /** Fault rules as read from JSON; rules that make no sense are an error. */
  faults?: unknown;
  /** People to use instead of those of the seed. */
  world?: World;
  /** Milliseconds since 1970. */
  clock?: () => number;
  /** From 0 up to 1, for faults by chance and the order in which uploads are written. */
  random?: () => number;
  /** Hears of errors that nobody foresaw; standard error by default. */
  report?: (error: Error) => void;
}

/** A stand-in that is serving. */
export interface SalesforceSandbox {
  /** The org's address (login URL and instance URL); no slash at its end. */
  baseUrl: string;
  /** Where `/_sandbox` is found; the same address. */
  rootUrl: string;
  /** An access token of the integration user. */
  token: string;
  clientId: string;
  clientSecret: string;
  /** The integration user. */
  username: string;
  /** PEM, for the JWT bearer flow. */
  privateKey: string;
  /** Ends at once: open connections are cut, the database is closed. */
  close(): Promise<void>;
}

/** Starts a stand-in; resolves when it serves. */
export async function startSalesforceSandbox(
  options: SalesforceSandboxOptions = {},
): Promise<SalesforceSandbox> {
  const db = openDatabase(options.db);
  try {
    const parts = assemble(db, options);
    const server = createAdaptorServer({
      fetch: createApp(parts).fetch,
      overrideGlobalObjects: false,
    });
    const baseUrl = await listen(server, options.host ?? '127.0.0.1', options.port ?? 0);
    return {
      baseUrl,
      rootUrl: baseUrl,
      token: issueFirstToken(parts),
      ...parts.app,
      username: INTEGRATION_USER.username,
      close: () => shutDown(server, db),
    };
  } catch (error) {
    db.close();
    throw error;
  }
}

function assemble(db: Database, options: SalesforceSandboxOptions): AppOptions {
  const clock = options.clock ?? Date.now;
  const random = options.random ?? Math.random;
  const report = options.report ?? reportToStandardError;
  const createSecret = () => randomBytes(16).toString('hex');
  const world =
    options.world ??
    createWorld({ seed: options.seed ?? 1, donors: options.donors ?? DEFAULT_DONORS });
  const contactCount = options.contacts ?? DEFAULT_CONTACTS;
  const faults = createFaults<SalesforceFault>({
    // It becomes a part of a pattern, and so stands for every version.
    basePath: '/services/data/v\\d+\\.0',
    random,
  });
  faults.replace(readRules(options.faults));
  const lifetimeMs = options.tokenLifetimeMs ?? DEFAULT_TOKEN_LIFETIME_MS;
  const apiLimit = options.apiLimit ?? DEFAULT_API_LIMIT;
  return {
    clock,
    world,
    contactCount,
    faults,
    org: openOrg(db, { world, contactCount, shape: options.shape ?? 'npsp', apiLimit, clock }),
    bulk: createBulk({
      clock,
      random,
      jobTimeMs: options.bulkJobTimeMs ?? DEFAULT_BULK_JOB_TIME_MS,
      pageRows: options.bulkPageRows ?? DEFAULT_BULK_PAGE_ROWS,
      report,
    }),
    app: openClientApp(db, world.seed),
    tokens: createTokens(db, { clock, lifetimeMs, createSecret }),
    codes: createCodes(clock, createSecret),
    requests: createRequestLog(),
    rotateRefreshTokens: options.rotateRefreshTokens ?? false,
    latencyMs: options.latencyMs ?? 0,
    concurrent: options.concurrent ?? 0,
    report,
  };
}

function readRules(rules: unknown) {
  const result = salesforceFaultRulesSchema.safeParse(rules ?? []);
  if (!result.success) {
    throw new Error(`The fault rules make no sense.\n${z.prettifyError(result.error)}`);
  }
  return result.data;
}

/** A restarted sandbox has the same first token, so settings that name it stay valid. */
function issueFirstToken({ tokens, world }: AppOptions): string {
  const token = toAccessToken(secretOf(world.seed, 'first token'));
  return tokens.issueAccess({ user: INTEGRATION_USER, scope: 'api' }, { token });
}
