/** The faults that only HubSpot can have. The other faults are the same as for any HTTP service. */

import { z } from 'zod';
import { type FaultRule, faultRulesSchema } from '../../../testbed/fault-rules.ts';
import { HTTP_FAULTS } from '../../../testbed/faults.ts';

const hubspotFaultSchema = z.discriminatedUnion('kind', [
  ...HTTP_FAULTS,
  /** All OAuth access tokens expire before this request is processed. */
  z.strictObject({ kind: z.literal('expireTokens') }),
  /**
   * This request is rejected in the same way as a request with an invalid token. The token stays
   * valid.
   */
  z.strictObject({ kind: z.literal('invalidAuthentication') }),
  /** 429 SECONDLY, as for searches. */
  z.strictObject({ kind: z.literal('secondlyLimit') }),
  /** 429 TEN_SECONDLY_ROLLING. */
  z.strictObject({ kind: z.literal('tenSecondlyLimit') }),
  /** 429 DAILY. */
  z.strictObject({ kind: z.literal('dailyLimit') }),
  /** This request's token lacks a scope. */
  z.strictObject({
    kind: z.literal('missingScope'),
    scope: z.string().default('crm.objects.contacts.read'),
  }),
  /** 423: another user is editing the record. */
  z.strictObject({ kind: z.literal('locked') }),
  /**
   * 477: the account is being moved to a different data centre. The response tells the client to
   * retry after this many seconds.
   */
  z.strictObject({
    kind: z.literal('migration'),
    retryAfterSeconds: z.number().int().min(0).default(1),
  }),
  /**
   * The response is an error page from the network in front of HubSpot. The request never reaches
   * HubSpot.
   */
  z.strictObject({ kind: z.literal('edgeError'), status: z.number().int().min(520).max(527) }),
  /** Everything was done, but the response has a wrong status. */
  z.strictObject({ kind: z.literal('wrongStatus'), status: z.number().int().min(200).max(299) }),
]);

/** A fault of this service. */
export type HubspotFault = z.infer<typeof hubspotFaultSchema>;

/** Reads a list of fault rules, from a file or from `PUT /_sandbox/faults`. */
export const hubspotFaultRulesSchema = faultRulesSchema(hubspotFaultSchema);

/** A rule of this service. */
export type HubspotFaultRule = FaultRule<HubspotFault>;
