/**
 * The faults of the stand-in. Some faults happen inside the service, and the others can happen in every HTTP service.
 */

import { z } from 'zod';
import { type FaultRule, faultRulesSchema } from '../../testbed/fault-rules.ts';
import { delayMsSchema, HTTP_FAULTS } from '../../testbed/faults.ts';

const partnerFaultSchema = z.discriminatedUnion('kind', [
  ...HTTP_FAULTS,
  /** Makes jobs have a state that the service document does not define. */
  z.strictObject({ kind: z.literal('jobState'), state: z.string().min(1) }),
  /** Makes the service lose the jobs of this request. */
  z.strictObject({ kind: z.literal('jobsVanish') }),
  /** Makes the jobs of this submission stay in progress forever. */
  z.strictObject({ kind: z.literal('jobsNeverEnd') }),
  /** Makes the job of this bulk add fail. Only the first `afterMembers` donors are added. */
  z.strictObject({
    kind: z.literal('networkJobFails'),
    afterMembers: z.number().int().min(0).default(0),
  }),
  /** Makes every nth donor of this bulk add fail. `every` is the number n. */
  z.strictObject({
    kind: z.literal('networkMembersFail'),
    every: z.number().int().min(1).default(1),
  }),
  /**
   * Makes every nth person of a submission cause a 422 response. `loc`, `type`, `msg` and `input` quote the person's
   * name.
   */
  z.strictObject({
    kind: z.literal('quotePersons'),
    every: z.number().int().min(1).default(1),
    /** A text that is added before and after each quoted name, for example an escape sequence. */
    around: z.string().default(''),
  }),
  /** Makes a submission process and charge at most this number of people, starting with the first person. */
  z.strictObject({ kind: z.literal('processFewer'), processed: z.number().int().min(0) }),
  /** Executes the request and resets the connection. The charge is recorded after the delay. */
  z.strictObject({ kind: z.literal('lateCharge'), delayMs: delayMsSchema }),
]);

/** A fault that the Partner Data Service can have. */
export type PartnerFault = z.infer<typeof partnerFaultSchema>;

/** The schema of a list of fault rules. The list comes from a file or from `PUT /_sandbox/faults`. */
export const partnerFaultRulesSchema = faultRulesSchema(partnerFaultSchema);

export type PartnerFaultRule = FaultRule<PartnerFault>;
