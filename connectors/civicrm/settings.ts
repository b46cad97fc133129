import { z } from 'zod';
import { crmUrlSchema } from '../../src/outbound/address.ts';

const text = z.string().trim().min(1);

export const civicrmSettingsSchema = z.strictObject({
  kind: z.literal('civicrm'),
  /** The site's address, which is the part before `/civicrm`. */
  url: crmUrlSchema.refine(
    (url) => !/\/civicrm\/?$|\/civicrm\//.test(url),
    'is the address of a page; write the part before /civicrm',
  ),
  auth: z.strictObject({
    type: z.literal('apiKey'),
    apiKey: text,
    /** The site's key. The key is necessary only if the site requires it (`authx_guards`). */
    siteKey: text.optional(),
  }),
  /** The content management system, on which the addresses of the API and of contacts depend. */
  system: z.enum(['drupal', 'backdrop', 'standalone', 'wordpress', 'joomla']).default('drupal'),
  /** False for a WordPress site without clean URLs. */
  cleanUrls: z.boolean().default(true),
  /**
   * The currency of the site's amounts. The setting is necessary only if donor-sync's user has no permission to read
   * the currency in CiviCRM.
   */
  siteCurrency: z
    .string()
    .regex(/^[A-Z]{3}$/, 'must be the code of a currency, for example USD')
    .optional(),
  /**
   * The maximum number of requests per second. 0 means no limit. CiviCRM itself has no limit, but its server may have a
   * limit.
   */
  requestsPerSecond: z.number().min(0).max(100).default(4),
  /**
   * The number of contacts in one request. If the server fails, donor-sync tries again with fewer contacts per request.
   */
  pageSize: z.number().int().min(25).max(2_000).default(500),
});

export type CivicrmSettings = z.infer<typeof civicrmSettingsSchema>;

/** Selects a group, which can also be a smart group. */
export const civicrmGroupSchema = z.strictObject({ group: text });
