/** Starts the stand-in for a CiviCRM site. */

import { createHash } from 'node:crypto';
import { serve } from '../../testbed/serving.ts';
import { type CrmSandboxOptions, createCrmParts } from '../crm/options.ts';
import { createApp } from './app.ts';
import { civicrmFaultRulesSchema } from './requests/faults.ts';
import { openSite } from './site/site.ts';
import { type Variants, variantsSchema } from './site/variants.ts';

/** Options of the stand-in. Every option has a default. */
export interface CivicrmSandboxOptions
  extends Omit<CrmSandboxOptions, 'tokenLifetimeMs' | 'rotateRefreshTokens'> {
  /** Behaviour that differs from site to site (`site/variants.ts`). */
  variants?: Partial<Variants>;
}

export interface CivicrmSandbox {
  /** The site's address, without a slash at the end. */
  baseUrl: string;
  /** `/_sandbox` is below it. It is the same as the base address. */
  rootUrl: string;
  /** The API key of the integration's user. */
  apiKey: string;
  /** Stops immediately: cuts open connections and closes the database. */
  close(): Promise<void>;
}

/** Starts a stand-in. Resolves when it accepts requests. */
export async function startCivicrmSandbox(
  options: CivicrmSandboxOptions = {},
): Promise<CivicrmSandbox> {
  const parts = createCrmParts(options, { rulesSchema: civicrmFaultRulesSchema, basePath: '' });
  const { clock, world, contactCount } = parts;
  const site = openSite({
    ...{ file: options.db, world, contactCount, clock },
    variants: variantsSchema.parse(options.variants ?? {}),
  });
  // A restarted sandbox has the same key, so settings that contain it stay valid.
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
