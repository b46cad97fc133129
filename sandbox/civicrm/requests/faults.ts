/**
 * The faults that only a CiviCRM site can have. The other faults are the same as for any HTTP
 * service.
 */

import { z } from 'zod';
import { type FaultRule, faultRulesSchema } from '../../../testbed/fault-rules.ts';
import { HTTP_FAULTS } from '../../../testbed/faults.ts';

const civicrmFaultSchema = z.discriminatedUnion('kind', [
  ...HTTP_FAULTS,
  /** PHP reaches a limit and prints its error page, either before or after it has done the work. */
  z.strictObject({
    kind: z.literal('fatal'),
    status: z.literal([200, 500]).default(500),
    isDone: z.boolean().default(false),
  }),
  /** The site is in maintenance mode during an upgrade. */
  z.strictObject({ kind: z.literal('maintenance') }),
  /** The host's firewall mistakes the request for an attack. */
  z.strictObject({ kind: z.literal('firewall') }),
]);

export type CivicrmFault = z.infer<typeof civicrmFaultSchema>;
export const civicrmFaultRulesSchema = faultRulesSchema(civicrmFaultSchema);
export type CivicrmFaultRule = FaultRule<CivicrmFault>;
