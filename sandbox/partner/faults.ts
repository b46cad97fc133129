/** The faults of the stand-in: those that act inside the service, beside those of any HTTP service. */

import { z } from 'zod';
import { type FaultRule, faultRulesSchema } from '../../testbed/fault-rules.ts';
import { delayMsSchema, HTTP_FAULTS } from '../../testbed/faults.ts';

const partnerFaultSchema = z.discriminatedUnion('kind', [
  ...HTTP_FAULTS,
  /** Jobs are shown in a state that the document does not know. */
  z.strictObject({ kind: z.literal('jobState'), state: z.string().min(1) }),
  /** The jobs of this request are unknown to the service. */
  z.strictObject({ kind: z.literal('jobsVanish') }),
  /** The jobs that this submit creates stay in processing. */
  z.strictObject({ kind: z.literal('jobsNeverEnd') }),
  /** The job of this bulk add ends as failed; the donors after so many are not added. */
  z.strictObject({
    kind: z.literal('networkJobFails'),
    afterMembers: z.number().int().min(0).default(0),
  }),
  /** Each nth donor of this bulk add fails, `every` being n. */
  z.strictObject({
    kind: z.literal('networkMembersFail'),
    every: z.number().int().min(1).default(1),
  }),
  /** 422 for each nth person of a submit: loc, type, msg and input quote the person's name. */
  z.strictObject({
    kind: z.literal('quotePersons'),
    every: z.number().int().min(1).default(1),
    /** Stands before and behind each quoted name, for example an escape sequence. */
    around: z.string().default(''),
  }),
  /** A submit processes (and charges) no more than so many persons, from the front. */
  z.strictObject({ kind: z.literal('processFewer'), processed: z.number().int().min(0) }),
  /** The work is done and the connection reset; the charge lands only after the delay. */
  z.strictObject({ kind: z.literal('lateCharge'), delayMs: delayMsSchema }),
]);

/** A fault of this service. */
export type PartnerFault = z.infer<typeof partnerFaultSchema>;

/** Reads a list of fault rules, from a file or from `PUT /_sandbox/faults`. */
export const partnerFaultRulesSchema = faultRulesSchema(partnerFaultSchema);

/** A rule of this service. */
export type PartnerFaultRule = FaultRule<PartnerFault>;
