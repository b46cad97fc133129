/**
 * Behaviour that differs between CiviCRM sites, or that we cannot know without an account. A connector must work with
 * every variant. The defaults come from the source code of version 6 and from an ordinary hosted site.
 */

import { z } from 'zod';

export const variantsSchema = z.strictObject({
  /**
   * Defines which records of a `save` CiviCRM writes if it refuses one record. The variant `untilFirst` means that
   * CiviCRM writes the records before the refused record. The variant `whole` means that CiviCRM writes no record.
   */
  saveMode: z.enum(['untilFirst', 'whole']).default('untilFirst'),
  /**
   * True if MySQL rejects values that are too long or too large. If false, MySQL shortens such values and reports no
   * error.
   */
  strictSql: z.boolean().default(false),
  timeZone: z.string().default('America/Chicago'),
  /** The time zone in which the database compares times, or null if it is the site's time zone. */
  databaseZone: z.string().nullable().default(null),
  /** The currency of all amounts. */
  currency: z.string().default('USD'),
  /**
   * True if a change of an address or a custom field also changes the contact's `modified_date`, as CiviCRM's SQL
   * triggers do.
   */
  triggers: z.boolean().default(true),
  /** True if CiviCRM changes a contact's `modified_date` when the contact moves to the trash. */
  trashChangesDate: z.boolean().default(false),
  /** The number of contacts in one request that PHP can process with its time and memory limits. 0 means no limit. */
  maxRows: z.number().int().min(0).default(0),
  /** The response to a request that exceeds `maxRows`. */
  overload: z.enum(['fatal500', 'page200', 'gateway504', 'empty200']).default('fatal500'),
  /** True if PHP prints an HTML warning before the JSON of each response. */
  phpWarnings: z.boolean().default(false),
  /** True if contacts have joins such as `address_primary` (since version 5.47). */
  primaryJoins: z.boolean().default(true),
  /** True if `getFields` returns the maximum length of texts. */
  tellsLengths: z.boolean().default(true),
  /** True if the members of a smart group change only when the site updates its cache. */
  staleSmartGroups: z.boolean().default(false),
});

export type Variants = z.output<typeof variantsSchema>;
