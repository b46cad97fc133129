/**
 * Receives calls from HubSpot's own pages: from an app's card on a contact, and from the app's workflow action
 * (crm-facts F10, vendor-facts 1).
 */
import { z } from 'zod';
import type { CrmDoor } from '../doors.ts';
import { TIMED_SIGNATURE, UNTIMED_SIGNATURE } from './webhooks.ts';

/**
 * The parameters that HubSpot adds to the query of each call. HubSpot signs the added parameters together with the
 * address.
 */
const callerSchema = z.object({
  portalId: z.string().regex(/^\d+$/),
  appId: z.string().regex(/^\d+$/),
  userId: z.string().regex(/^\d+$/),
  userEmail: z.string().max(320).default(''),
});

const idSchema = z.union([z.int().nonnegative(), z.string().regex(/^\d+$/)]).transform(String);

const actionSchema = z.object({
  callbackId: z.string().min(1).max(500),
  origin: z.object({ portalId: idSchema }),
  object: z.object({ objectId: idSchema, objectType: z.literal('CONTACT') }),
});

export const hubspotDoor: CrmDoor = {
  card: {
    signature: TIMED_SIGNATURE,
    readCaller(query) {
      const { data } = callerSchema.safeParse(query);
      if (data === undefined) return null;
      const { portalId: account, appId: app, userId: user, userEmail: email } = data;
      return { account, app, user, email };
    },
  },
  workflow: {
    // The signatures of workflow actions do not contain a time. The first version of the signature does not cover the
    // address, so donor-sync does not accept it.
    signature: UNTIMED_SIGNATURE,
    headers: { 'x-hubspot-signature-version': 'v2' },
    readAction(body) {
      const { data } = actionSchema.safeParse(body);
      if (data === undefined) return null;
      const { callbackId: execution, origin, object } = data;
      return { account: origin.portalId, contact: object.objectId, execution };
    },
    reply: (state) => ({
      outputFields: {
        donor_sync_state: state,
        hs_execution_state: state === 'wanted' ? 'SUCCESS' : 'FAIL_CONTINUE',
      },
    }),
  },
};
