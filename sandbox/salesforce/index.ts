/** Starts the stand-in for a Salesforce org. */

import { randomBytes } from 'node:crypto';
import { serve } from '../../testbed/serving.ts';
import { type CrmSandboxOptions, createCrmParts } from '../crm/options.ts';
import { type AppOptions, createApp } from './app.ts';
import { createBulk } from './bulk/jobs.ts';
import { type Database, openDatabase } from './core/database.ts';
import type { OrgShape } from './metadata/catalogue.ts';
import { INTEGRATION_USER } from './metadata/setup-records.ts';
import { openClientApp, secretOf } from './oauth/client-app.ts';
import { createCodes } from './oauth/codes.ts';
import { createTokens, toAccessToken } from './oauth/tokens.ts';
import { openOrg } from './org/org.ts';
import { salesforceFaultRulesSchema } from './requests/faults.ts';

const DEFAULT_API_LIMIT = 100_000;
/** The default lifetime of an access token, which is two hours in a new org. */
const DEFAULT_TOKEN_LIFETIME_MS = 7_200_000;
const DEFAULT_BULK_JOB_TIME_MS = 50;
const DEFAULT_BULK_PAGE_ROWS = 50_000;

/** The behaviour of the stand-in. Every option has a default value. */
export interface SalesforceSandboxOptions extends CrmSandboxOptions {
  /** How the org models people. The default is `npsp`. */
  shape?: OrgShape;
  /** True if Data Protection and Privacy is enabled, so contacts have Individual records. The default is false. */
  individuals?: boolean;
  /** True if contacts have a `DeceasedDate`, as in orgs of some industries. The default is false. */
  deceasedDate?: boolean;
  /** True if each record has a currency (`CurrencyIsoCode`, `CurrencyType`). The default is false. */
  currencies?: boolean;
  /** The maximum number of requests within 24 hours. The default is 100,000. */
  apiLimit?: number;
  /**
   * The maximum number of requests that run at the same time. 0 means no limit. The default is 0. Salesforce counts
   * only requests that take at least 20 seconds.
   */
  concurrent?: number;
  /** The time (ms) for which a Bulk API job reports that it is still in progress. The default is 50. */
  bulkJobTimeMs?: number;
  /** The maximum number of rows on a page of a bulk query's results. The default is 50,000. */
  bulkPageRows?: number;
}

/** A running stand-in. */
export interface SalesforceSandbox {
  /** The org's address, which is both the login URL and the instance URL. The address has no trailing slash. */
  baseUrl: string;
  /** The address that contains `/_sandbox`, which is the same as the org's address. */
  rootUrl: string;
  token: string;
  clientId: string;
  clientSecret: string;
  /** The name of the integration user. */
  username: string;
  /** The private key for the JWT bearer flow (PEM). */
  privateKey: string;
  /** Stops immediately. Open connections are cut, and the database is closed. */
  close(): Promise<void>;
}

/** Starts a stand-in. The promise resolves when the stand-in accepts requests. */
export async function startSalesforceSandbox(
  options: SalesforceSandboxOptions = {},
): Promise<SalesforceSandbox> {
  const db = openDatabase(options.db);
  try {
    const parts = assemble(db, options);
    const { rootUrl, close } = await serve(createApp(parts), db, options);
    return {
      baseUrl: rootUrl,
      rootUrl,
      token: issueFirstToken(parts),
      ...parts.app,
      username: INTEGRATION_USER.username,
      close,
    };
  } catch (error) {
    db.close();
    throw error;
  }
}

function assemble(db: Database, options: SalesforceSandboxOptions): AppOptions {
  const parts = createCrmParts(options, {
    rulesSchema: salesforceFaultRulesSchema,
    // The path becomes part of a pattern that matches every version.
    basePath: '/services/data/v\\d+\\.0',
  });
  const { clock, random, report, world, contactCount } = parts;
  const createSecret = () => randomBytes(16).toString('hex');
  const lifetimeMs = options.tokenLifetimeMs ?? DEFAULT_TOKEN_LIFETIME_MS;
  const apiLimit = options.apiLimit ?? DEFAULT_API_LIMIT;
  return {
    ...parts,
    org: openOrg(db, {
      world,
      contactCount,
      shape: options.shape ?? 'npsp',
      features: {
        individuals: options.individuals ?? false,
        deceasedDate: options.deceasedDate ?? false,
        currencies: options.currencies ?? false,
      },
      apiLimit,
      clock,
    }),
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
    concurrent: options.concurrent ?? 0,
  };
}

/** Creates the first token. After a restart, the first token is the same, so settings with this token stay valid. */
function issueFirstToken({ tokens, world }: AppOptions): string {
  const token = toAccessToken(secretOf(world.seed, 'first token'));
  return tokens.issueAccess({ user: INTEGRATION_USER, scope: 'api' }, { token });
}
