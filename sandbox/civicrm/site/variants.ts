/**
 * Behaviour that differs between CiviCRM sites, or that cannot be known without an account. A connector has to work
 * with all of it. The defaults follow the source code of version 6 on an ordinary hosted site.
 */

import { z } from 'zod';

export const variantsSchema = z.strictObject({
  /** What remains if one record of a `save` is refused: the records before it (`untilFirst`), or none (`whole`). */
  saveMode: z.enum(['untilFirst', 'whole']).default('untilFirst'),
  /** True if MySQL rejects values that are too long or too large. Otherwise it cuts them off silently. */
  strictSql: z.boolean().default(false),
  /** The time zone in which the site writes and reads times. */
  timeZone: z.string().default('America/Chicago'),
  /** The time zone in which the database compares times, if it differs from the site's. */
  databaseZone: z.string().nullable().default(null),
  /** The currency of all amounts. */
  currency: z.string().default('USD'),
  /** True if changes to addresses and custom fields also change the contact's `modified_date`, through SQL triggers. */
  triggers: z.boolean().default(true),
  /** True if moving a contact to the trash changes its `modified_date`. */
  trashChangesDate: z.boolean().default(false),
  /** The number of contacts for which PHP's time or memory suffices in one request. 0 means no limit. */
  maxRows: z.number().int().min(0).default(0),
  /** The response to a request that exceeds `maxRows`. */
  overload: z.enum(['fatal500', 'page200', 'gateway504', 'empty200']).default('fatal500'),
  /** True if PHP prints a warning in HTML before the JSON of responses. */
  phpWarnings: z.boolean().default(false),
  /** True if contacts have `address_primary` and similar joins (since version 5.47). */
  primaryJoins: z.boolean().default(true),
  /** True if `getFields` contains the maximum length of texts. */
  tellsLengths: z.boolean().default(true),
  /** True if the members of a smart group change only when the site rebuilds its cache. */
  staleSmartGroups: z.boolean().default(false),
});

export type Variants = z.output<typeof variantsSchema>;
