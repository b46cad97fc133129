/** The faults that the Bloomerang stand-in can simulate, which are only faults that every HTTP service can have. */
import { z } from 'zod';
import { faultRulesSchema } from '../../../testbed/fault-rules.ts';
import { HTTP_FAULTS } from '../../../testbed/faults.ts';

const faultSchema = z.discriminatedUnion('kind', [
  ...HTTP_FAULTS,
  /** Refuses the request as if its key was wrong. */
  z.strictObject({ kind: z.literal('invalidKey') }),
  /** Responds as if too many requests had been sent. The variant defines the form of the response. */
  z.strictObject({ kind: z.literal('limit') }),
]);

export type BloomerangFault = z.infer<typeof faultSchema>;

export const bloomerangFaultRulesSchema = faultRulesSchema(faultSchema);
