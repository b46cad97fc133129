/** The faults of the stand-in. They are the faults inside the service and the faults of any HTTP service. */

import { z } from 'zod';
import { type FaultRule, faultRulesSchema } from '../../testbed/fault-rules.ts';
import { delayMsSchema, HTTP_FAULTS } from '../../testbed/faults.ts';

const partnerFaultSchema = z.discriminatedUnion('kind', [
  ...HTTP_FAULTS,
  /** Jobs have a state that the service document does not define. */
  z.strictObject({ kind: z.literal('jobState'), state: z.string().min(1) }),
  /** The service no longer finds this request's jobs. */
  z.strictObject({ kind: z.literal('jobsVanish') }),
  /** The jobs that this submission creates never end. */
  z.strictObject({ kind: z.literal('jobsNeverEnd') }),
  /** The job of this bulk add fails. The donors after the first `afterMembers` are not added. */
  z.strictObject({
    kind: z.literal('networkJobFails'),
    afterMembers: z.number().int().min(0).default(0),
  }),
  /** Every nth donor of this bulk add fails. The value of `every` is n. */
  z.strictObject({
    kind: z.literal('networkMembersFail'),
    every: z.number().int().min(1).default(1),
  }),
  /** A 422 response for every nth person of a submission. `loc`, `type`, `msg` and `input` quote the person's name. */
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

/** A fault that the Partner Data Service can have. */
export type PartnerFault = z.infer<typeof partnerFaultSchema>;

/** Reads a list of fault rules, from a file or from `PUT /_sandbox/faults`. */
export const partnerFaultRulesSchema = faultRulesSchema(partnerFaultSchema);

export type PartnerFaultRule = FaultRule<PartnerFault>;
