/** The faults of this service: those of any HTTP service. */
import { z } from 'zod';
import { faultRulesSchema } from '../../../testbed/fault-rules.ts';
import { HTTP_FAULTS } from '../../../testbed/faults.ts';

const faultSchema = z.discriminatedUnion('kind', [
  ...HTTP_FAULTS,
  /** This request is refused as if its key were wrong. */
  z.strictObject({ kind: z.literal('invalidKey') }),
  /** Too many requests, in the form of the variant. */
  z.strictObject({ kind: z.literal('limit') }),
]);

export type BloomerangFault = z.infer<typeof faultSchema>;

export const bloomerangFaultRulesSchema = faultRulesSchema(faultSchema);
