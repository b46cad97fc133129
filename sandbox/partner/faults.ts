/**
 * The faults of the stand-in: faults inside the service, in addition to the faults of any HTTP service.
 */

import { z } from 'zod';
import { type FaultRule, faultRulesSchema } from '../../testbed/fault-rules.ts';
import { delayMsSchema, HTTP_FAULTS } from '../../testbed/faults.ts';

const partnerFaultSchema = z.discriminatedUnion('kind', [
  ...HTTP_FAULTS,
  /** Jobs are shown in a state that the service document does not define. */
  z.strictObject({ kind: z.literal('jobState'), state: z.string().min(1) }),
  /** The service does not know this request's jobs. */
  z.strictObject({ kind: z.literal('jobsVanish') }),
  /** The jobs that this submission creates stay in processing. */
  z.strictObject({ kind: z.literal('jobsNeverEnd') }),
  /**
   * The job of this bulk add ends as failed. The donors after the first `afterMembers` are not
   * added.
   */
  z.strictObject({
    kind: z.literal('networkJobFails'),
    afterMembers: z.number().int().min(0).default(0),
  }),
  /** Every nth donor of this bulk add fails; n is `every`. */
  z.strictObject({
    kind: z.literal('networkMembersFail'),
    every: z.number().int().min(1).default(1),
  }),
  /**
   * A 422 for every nth person of a submission. `loc`, `type`, `msg` and `input` quote the person's
   * name.
   */
  z.strictObject({
    kind: z.literal('quotePersons'),
    every: z.number().int().min(1).default(1),
    /** Text before and after each quoted name, for example an escape sequence. */
    around: z.string().default(''),
  }),
  /** A submission processes (and charges) at most this many people, counted from the first. */
  z.strictObject({ kind: z.literal('processFewer'), processed: z.number().int().min(0) }),
  /** The work is done and the connection is reset. The charge is recorded only after the delay. */
  z.strictObject({ kind: z.literal('lateCharge'), delayMs: delayMsSchema }),
]);

/** A fault of the Partner Data Service. */
export type PartnerFault = z.infer<typeof partnerFaultSchema>;

/** Reads a list of fault rules, from a file or from `PUT /_sandbox/faults`. */
export const partnerFaultRulesSchema = faultRulesSchema(partnerFaultSchema);

/** A fault rule of the Partner Data Service. */
export type PartnerFaultRule = FaultRule<PartnerFault>;
