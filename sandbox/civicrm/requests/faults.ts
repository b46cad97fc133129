/** The faults that only a CiviCRM site can have. A CiviCRM site can also have the faults of every HTTP service. */

import { z } from 'zod';
import { type FaultRule, faultRulesSchema } from '../../../testbed/fault-rules.ts';
import { HTTP_FAULTS } from '../../../testbed/faults.ts';

const civicrmFaultSchema = z.discriminatedUnion('kind', [
  ...HTTP_FAULTS,
  /** PHP reaches a limit and responds with its error page. The work may or may not have been done before. */
  z.strictObject({
    kind: z.literal('fatal'),
    status: z.literal([200, 500]).default(500),
    isDone: z.boolean().default(false),
  }),
  /** The site is in maintenance mode because of an upgrade. */
  z.strictObject({ kind: z.literal('maintenance') }),
  /** The firewall of the hosting provider treats the request as an attack. */
  z.strictObject({ kind: z.literal('firewall') }),
]);

export type CivicrmFault = z.infer<typeof civicrmFaultSchema>;
export const civicrmFaultRulesSchema = faultRulesSchema(civicrmFaultSchema);
export type CivicrmFaultRule = FaultRule<CivicrmFault>;
