/**
 * Behaviour that differs between CiviCRM sites, or that cannot be known without an account. A connector has to work
 * with every variant. The defaults are based on the source code of version 6 on an ordinary hosted site.
 */

import { z } from 'zod';

export const variantsSchema = z.strictObject({
  /**
   * The records that remain if one record of a `save` is refused. With `untilFirst`, they are the records before it.
   * With `whole`, none remain.
   */
  saveMode: z.enum(['untilFirst', 'whole']).default('untilFirst'),
  /**
   * True if MySQL rejects values that are too long or too large. If this is false, MySQL shortens them without an
   * error.
   */
  strictSql: z.boolean().default(false),
  timeZone: z.string().default('America/Chicago'),
  /** The time zone in which the database compares times, if it differs from the site's. */
  databaseZone: z.string().nullable().default(null),
  /** The currency of all amounts. */
  currency: z.string().default('USD'),
  /** True if changes to addresses and custom fields also change the contact's `modified_date`. SQL triggers do this. */
  triggers: z.boolean().default(true),
  /** True if moving a contact to the trash changes its `modified_date`. */
  trashChangesDate: z.boolean().default(false),
  /** The number of contacts that PHP's time and memory allow in one request. 0 means no limit. */
  maxRows: z.number().int().min(0).default(0),
  /** The response to a request that exceeds `maxRows`. */
  overload: z.enum(['fatal500', 'page200', 'gateway504', 'empty200']).default('fatal500'),
  /** True if PHP prints a warning in HTML before the JSON of responses. */
  phpWarnings: z.boolean().default(false),
  /** True if contacts have `address_primary` and similar joins (since version 5.47). */
  primaryJoins: z.boolean().default(true),
  /** True if `getFields` contains the maximum length of strings. */
  tellsLengths: z.boolean().default(true),
  /** True if the members of a smart group change only when the site rebuilds its cache. */
  staleSmartGroups: z.boolean().default(false),
});

export type Variants = z.output<typeof variantsSchema>;
