/** The faults that this stand-in can simulate. It has only the faults that any HTTP service has. */
import { z } from 'zod';
import { faultRulesSchema } from '../../../testbed/fault-rules.ts';
import { HTTP_FAULTS } from '../../../testbed/faults.ts';

const faultSchema = z.discriminatedUnion('kind', [
  ...HTTP_FAULTS,
  /** Refuses this request as if its key were wrong. */
  z.strictObject({ kind: z.literal('invalidKey') }),
  /** Responds in the variant's form as if too many requests had been sent. */
  z.strictObject({ kind: z.literal('limit') }),
]);

export type BloomerangFault = z.infer<typeof faultSchema>;

export const bloomerangFaultRulesSchema = faultRulesSchema(faultSchema);
