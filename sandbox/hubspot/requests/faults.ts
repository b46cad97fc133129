/** The faults that only HubSpot can have. HubSpot can also have the faults of every HTTP service. */

import { z } from 'zod';
import { type FaultRule, faultRulesSchema } from '../../../testbed/fault-rules.ts';
import { HTTP_FAULTS } from '../../../testbed/faults.ts';

const hubspotFaultSchema = z.discriminatedUnion('kind', [
  ...HTTP_FAULTS,
  /** All OAuth access tokens expire before this request is processed. */
  z.strictObject({ kind: z.literal('expireTokens') }),
  /** Rejects the request as if its token was invalid. The token stays valid. */
  z.strictObject({ kind: z.literal('invalidAuthentication') }),
  /** Responds with a 429 and the policy SECONDLY, as for too many searches. */
  z.strictObject({ kind: z.literal('secondlyLimit') }),
  /** Responds with a 429 and the policy TEN_SECONDLY_ROLLING. */
  z.strictObject({ kind: z.literal('tenSecondlyLimit') }),
  /** Responds with a 429 and the policy DAILY. */
  z.strictObject({ kind: z.literal('dailyLimit') }),
  /** Rejects the request as if its token did not have a scope. */
  z.strictObject({
    kind: z.literal('missingScope'),
    scope: z.string().default('crm.objects.contacts.read'),
  }),
  /** Responds with a 423, because another user is editing the record. */
  z.strictObject({ kind: z.literal('locked') }),
  /**
   * Responds with a 477, because HubSpot is moving the account to a different data centre. The response tells the
   * client to retry after this many seconds.
   */
  z.strictObject({
    kind: z.literal('migration'),
    retryAfterSeconds: z.number().int().min(0).default(1),
  }),
  /**
   * Responds with an error page of the network between the client and HubSpot. HubSpot does not receive the request.
   */
  z.strictObject({ kind: z.literal('edgeError'), status: z.number().int().min(520).max(527) }),
  /** HubSpot executes the request, but the response has a wrong status. */
  z.strictObject({ kind: z.literal('wrongStatus'), status: z.number().int().min(200).max(299) }),
]);

/** A fault of this service. */
export type HubspotFault = z.infer<typeof hubspotFaultSchema>;

/** The schema of a list of fault rules. The list comes from a file or from `PUT /_sandbox/faults`. */
export const hubspotFaultRulesSchema = faultRulesSchema(hubspotFaultSchema);

/** A rule of this service. */
export type HubspotFaultRule = FaultRule<HubspotFault>;
