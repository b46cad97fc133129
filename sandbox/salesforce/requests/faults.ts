/**
 * The faults that only Salesforce can have. The other faults are the same as for any HTTP service.
 */

import { z } from 'zod';
import { type FaultRule, faultRulesSchema } from '../../../testbed/fault-rules.ts';
import { HTTP_FAULTS } from '../../../testbed/faults.ts';

const salesforceFaultSchema = z.discriminatedUnion('kind', [
  ...HTTP_FAULTS,
  /** All access tokens expire before this request is processed. */
  z.strictObject({ kind: z.literal('expireTokens') }),
  /** This request is rejected as if its token were invalid. The token stays valid. */
  z.strictObject({ kind: z.literal('invalidSession') }),
  /** The first records that this request writes are locked by another user. */
  z.strictObject({ kind: z.literal('lockRows'), records: z.number().int().min(1).default(1) }),
  /** The daily requests are used up, but only for this request. */
  z.strictObject({ kind: z.literal('requestLimit') }),
  /** The limit of concurrent long requests is exceeded. */
  z.strictObject({ kind: z.literal('concurrentLimit') }),
  z.strictObject({ kind: z.literal('serverUnavailable') }),
  /**
   * A query takes too long. With `soql`, the fault affects only queries that contain this text in
   * any case.
   */
  z.strictObject({ kind: z.literal('queryTimeout'), soql: z.string().min(1).optional() }),
  /** The Bulk API query job that this request creates ends as `Failed`. */
  z.strictObject({ kind: z.literal('failQueryJob') }),
]);

/** A fault of this service. */
export type SalesforceFault = z.infer<typeof salesforceFaultSchema>;

/** Reads a list of fault rules, from a file or from `PUT /_sandbox/faults`. */
export const salesforceFaultRulesSchema = faultRulesSchema(salesforceFaultSchema);

/** A rule of this service. */
export type SalesforceFaultRule = FaultRule<SalesforceFault>;
