import { z } from 'zod';

/**
 * The address of a CRM. Whether plain http may be used for it is a question of the whole settings
 * (`allowInsecureHttp`) and is answered where they are read: `refusesPlainHttp` of the connector.
 */
export const crmUrlSchema = z.url({ protocol: /^https?$/ });

/** An address to which a path can be added. */
export function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}
