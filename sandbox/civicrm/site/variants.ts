/**
 * The behaviour that differs from one CiviCRM site to another, or that cannot be known without an account. A connector has to work with
 * each of them. The defaults are what the vendor's source of version 6 does on an ordinary hosted site.
 */

import { z } from 'zod';

export const variantsSchema = z.strictObject({
  /**
   * What remains of a `save` of several records of which one is refused: the records before it (`untilFirst`), or
   * none (`whole`).
   */
  saveMode: z.enum(['untilFirst', 'whole']).default('untilFirst'),
  /** True if MySQL rejects values that are too long or too large. Otherwise it cuts them off without a word. */
  strictSql: z.boolean().default(false),
  /** The zone in which the site writes and reads times. */
  timeZone: z.string().default('America/Chicago'),
  /** The zone in which the database compares times, if it differs from the zone of the site. */
  databaseZone: z.string().nullable().default(null),
  /** The currency of all amounts. */
  currency: z.string().default('USD'),
  /** True if changes of addresses and custom fields also change the contact's `modified_date`, by SQL triggers. */
  triggers: z.boolean().default(true),
  /** True if moving a contact to the trash changes its `modified_date`. */
  trashChangesDate: z.boolean().default(false),
  /** The number of contacts that PHP's time or memory allows in one request. 0 means no limit. */
  maxRows: z.number().int().min(0).default(0),
  /** The response to a request above that limit. */
  overload: z.enum(['fatal500', 'page200', 'gateway504', 'empty200']).default('fatal500'),
  /** True if PHP prints a warning in HTML before the JSON of responses. */
  phpWarnings: z.boolean().default(false),
  /** True if contacts have `address_primary` and its likes (since version 5.47). */
  primaryJoins: z.boolean().default(true),
  /** True if `getFields` tells how long a text may be. */
  tellsLengths: z.boolean().default(true),
  /** True if members join and leave smart groups only when the site rebuilds its cache. */
  staleSmartGroups: z.boolean().default(false),
});

export type Variants = z.output<typeof variantsSchema>;
