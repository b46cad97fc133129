/** The faults that this stand-in can play: only those of any HTTP service. */
import { z } from 'zod';
import { faultRulesSchema } from '../../../testbed/fault-rules.ts';
import { HTTP_FAULTS } from '../../../testbed/faults.ts';

const faultSchema = z.discriminatedUnion('kind', [
  ...HTTP_FAULTS,
  /** Refuses this request as if its key were wrong. */
  z.strictObject({ kind: z.literal('invalidKey') }),
  /** Responds as if there were too many requests, in the variant's form. */
  z.strictObject({ kind: z.literal('limit') }),
]);

export type BloomerangFault = z.infer<typeof faultSchema>;

export const bloomerangFaultRulesSchema = faultRulesSchema(faultSchema);
