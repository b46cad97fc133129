/** The faults that only Salesforce can have. All other faults are the same as for every HTTP service. */

import { z } from 'zod';
import { type FaultRule, faultRulesSchema } from '../../../testbed/fault-rules.ts';
import { HTTP_FAULTS } from '../../../testbed/faults.ts';

const salesforceFaultSchema = z.discriminatedUnion('kind', [
  ...HTTP_FAULTS,
  /** All access tokens expire before this request is processed. */
  z.strictObject({ kind: z.literal('expireTokens') }),
  /** Rejects the request as if its token was invalid. The token stays valid. */
  z.strictObject({ kind: z.literal('invalidSession') }),
  /** Locks the first records that this request writes, as if another user was editing them. */
  z.strictObject({ kind: z.literal('lockRows'), records: z.number().int().min(1).default(1) }),
  /** Rejects this request as if the daily requests were used up. */
  z.strictObject({ kind: z.literal('requestLimit') }),
  /** Rejects this request because too many long requests run at the same time. */
  z.strictObject({ kind: z.literal('concurrentLimit') }),
  z.strictObject({ kind: z.literal('serverUnavailable') }),
  /**
   * Makes a query take too long. With `soql`, the fault affects only queries that contain this text. Letter case is
   * ignored.
   */
  z.strictObject({ kind: z.literal('queryTimeout'), soql: z.string().min(1).optional() }),
  /** Makes the query job that this request creates end in the state `Failed`. */
  z.strictObject({ kind: z.literal('failQueryJob') }),
]);

/** A fault of this service. */
export type SalesforceFault = z.infer<typeof salesforceFaultSchema>;

/** The schema of a list of fault rules. The list comes from a file or from `PUT /_sandbox/faults`. */
export const salesforceFaultRulesSchema = faultRulesSchema(salesforceFaultSchema);

/** A rule of this service. */
export type SalesforceFaultRule = FaultRule<SalesforceFault>;
