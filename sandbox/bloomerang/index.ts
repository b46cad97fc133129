/** Starts the stand-in for a Bloomerang database with its REST API v2. */

import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { z } from 'zod';
import { serve } from '../../testbed/serving.ts';
import { type CrmSandboxOptions, createCrmParts } from '../crm/options.ts';
import { openAccount } from './account/account.ts';
import type { NewCustomField } from './account/custom-fields.ts';
import { type AppOptions, BASE_PATH, createApp } from './app.ts';
import { type Database, openDatabase } from './core/database.ts';
import { createVariantBook, type variantSchema } from './core/variant.ts';
import { bloomerangFaultRulesSchema } from './requests/faults.ts';
import { createSignIn } from './requests/sign-in.ts';

/**
 * The default lifetime of an access token, which is an hour. Bloomerang does not document how long an access token
 * lasts.
 */
const DEFAULT_TOKEN_LIFETIME_MS = 3_600_000;

/** Options of the stand-in. Every option has a default value. */
export interface BloomerangSandboxOptions extends CrmSandboxOptions {
  /**
   * The maximum number of requests per second. The default is 0, which means no limit. Bloomerang does not document a
   * limit.
   */
  ratePerSecond?: number;
  /** The behaviour of the stand-in in all cases that Bloomerang does not document. */
  variant?: z.input<typeof variantSchema>;
  /**
   * Custom fields that an administrator has created. No API request can create a field. The default is an empty list.
   */
  customFields?: readonly NewCustomField[];
}

export interface BloomerangSandbox {
  /** The base address of the API, including the version. */
  baseUrl: string;
  /** The address that contains `/_sandbox` and `/authorize`. */
  rootUrl: string;
  /** The private API key of an administrator. */
  token: string;
  clientId: string;
  clientSecret: string;
  /** Stops immediately. Open connections are cut, and the database is closed. */
  close(): Promise<void>;
}

/** Starts a stand-in. The promise resolves when the stand-in accepts requests. */
export async function startBloomerangSandbox(
  options: BloomerangSandboxOptions = {},
): Promise<BloomerangSandbox> {
  const db = openDatabase(options.db);
  try {
    const { parts, sandbox } = assemble(db, options);
    const { rootUrl, close } = await serve(createApp(parts), db, options);
    return { ...sandbox, baseUrl: `${rootUrl}${BASE_PATH}`, rootUrl, close };
  } catch (error) {
    db.close();
    throw error;
  }
}

function assemble(db: Database, options: BloomerangSandboxOptions) {
  const faultKinds = { rulesSchema: bloomerangFaultRulesSchema, basePath: BASE_PATH };
  const crmParts = createCrmParts(options, faultKinds);
  const { clock, world, contactCount } = crmParts;
  const account = openAccount(db, {
    clock,
    world,
    contactCount,
    variant: createVariantBook(options.variant),
    customFields: options.customFields ?? [],
    createId: randomUUID,
  });
  const secretOf = (purpose: string) =>
    createHash('sha256').update(`bloomerang ${purpose} of seed ${world.seed}`).digest('hex');
  const client = { clientId: secretOf('client').slice(0, 32), clientSecret: secretOf('secret') };
  const signIn = createSignIn({
    db,
    clock,
    ...client,
    createSecret: () => randomBytes(32).toString('hex'),
    tokenLifetimeMs: options.tokenLifetimeMs ?? DEFAULT_TOKEN_LIFETIME_MS,
    rotateRefreshTokens: crmParts.rotateRefreshTokens,
    keyUser: account.keyUser,
  });
  // The first key does not change with a restart, so settings with the first key stay valid.
  const token = secretOf('key');
  signIn.issueKey(token);
  const parts: AppOptions = {
    ...crmParts,
    account,
    signIn,
    ratePerSecond: options.ratePerSecond ?? 0,
  };
  return { parts, sandbox: { token, ...client } };
}
