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
/** Two hours, as in a new org. */
const DEFAULT_TOKEN_LIFETIME_MS = 7_200_000;
const DEFAULT_BULK_JOB_TIME_MS = 50;
const DEFAULT_BULK_PAGE_ROWS = 50_000;

/** How the stand-in behaves; everything has a default. */
export interface SalesforceSandboxOptions extends CrmSandboxOptions {
  /** How the org models people; `npsp` by default. */
  shape?: OrgShape;
  /** Whether Data Protection and Privacy is on: Individual records beside contacts; false by default. */
  individuals?: boolean;
  /** Whether contacts have a `DeceasedDate`, as in orgs of some industries; false by default. */
  deceasedDate?: boolean;
  /** Whether records have a currency each (`CurrencyIsoCode`, `CurrencyType`); false by default. */
  currencies?: boolean;
  /** Requests within 24 hours; 100,000 by default. */
  apiLimit?: number;
  /** Requests at once, 0 for no limit; 0 by default, as Salesforce counts only those of 20 seconds and more. */
  concurrent?: number;
  /** How long a job of the Bulk API shows that it is not done yet; 50 by default. */
  bulkJobTimeMs?: number;
  /** The most rows of a page of a bulk query's results; 50,000 by default. */
  bulkPageRows?: number;
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
    // It becomes a part of a pattern, and so stands for every version.
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

/** A restarted sandbox has the same first token, so settings that name it stay valid. */
function issueFirstToken({ tokens, world }: AppOptions): string {
  const token = toAccessToken(secretOf(world.seed, 'first token'));
  return tokens.issueAccess({ user: INTEGRATION_USER, scope: 'api' }, { token });
}
