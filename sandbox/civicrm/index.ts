/** Starts the stand-in for a CiviCRM site. */

import { createHash } from 'node:crypto';
import { serve } from '../../testbed/serving.ts';
import { type CrmSandboxOptions, createCrmParts } from '../crm/options.ts';
import { createApp } from './app.ts';
import { civicrmFaultRulesSchema } from './requests/faults.ts';
import { openSite } from './site/site.ts';
import { type Variants, variantsSchema } from './site/variants.ts';

/** Options of the stand-in. Every option has a default value. */
export interface CivicrmSandboxOptions
  extends Omit<CrmSandboxOptions, 'tokenLifetimeMs' | 'rotateRefreshTokens'> {
  /** The behaviour that differs between sites (`site/variants.ts`). */
  variants?: Partial<Variants>;
}

export interface CivicrmSandbox {
  /** The site's address, without a trailing slash. */
  baseUrl: string;
  /** The address under which the stand-in serves `/_sandbox`, which is the site's address. */
  rootUrl: string;
  /** The API key of the CRM user that donor-sync uses. */
  apiKey: string;
  /** Stops immediately. Open connections are cut, and the database is closed. */
  close(): Promise<void>;
}

/** Starts a stand-in. The promise resolves when the stand-in accepts requests. */
export async function startCivicrmSandbox(
  options: CivicrmSandboxOptions = {},
): Promise<CivicrmSandbox> {
  const parts = createCrmParts(options, { rulesSchema: civicrmFaultRulesSchema, basePath: '' });
  const { clock, world, contactCount } = parts;
  const site = openSite({
    ...{ file: options.db, world, contactCount, clock },
    variants: variantsSchema.parse(options.variants ?? {}),
  });
  // The API key does not change with a restart, so settings with the key stay valid.
  const apiKey = createHash('sha256').update(`civicrm key of seed ${world.seed}`).digest('hex');
  try {
    const app = createApp({ ...parts, site, apiKey });
    const { rootUrl, close } = await serve(app, site.db, options);
    return { baseUrl: rootUrl, rootUrl, apiKey, close };
  } catch (error) {
    site.db.close();
    throw error;
  }
}
