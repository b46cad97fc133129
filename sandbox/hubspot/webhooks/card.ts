/**
 * Sends requests as a contact's record page does for the app's card. The card makes the requests with `hubspot.fetch`.
 * HubSpot adds the user to the query and signs the request with version 3 of the signature. HubSpot repeats the request
 * after a server error (crm-facts F10).
 */

import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type CalledOut, callOut } from '../../crm/call-out.ts';
import { OWNER } from '../account/account.ts';
import { signatureHeaders } from './signature.ts';

/** The default timeout of HubSpot (ms). */
const TIMEOUT_MS = 15_000;

/** A request from a card. The optional members describe how a forged request differs from a real request. */
export const cardFetchSchema = z.strictObject({
  url: z.url(),
  /** The body, which is sent as JSON. */
  body: z.unknown(),
  userId: z.int().default(OWNER.userId),
  userEmail: z.string().default(OWNER.email),
  /** The account number in the request, by default the account's own number. */
  portalId: z.int().optional(),
  /** The app ID in the request, by default the app's own ID. */
  appId: z.int().optional(),
  /** The age (ms) of the request, according to its timestamp. */
  ageMs: z.int().default(0),
  /**
   * The signature `v2` means that the request has only an older signature. The signature `wrong` means that the request
   * is signed with a different secret. The signature `missing` means that the request is not signed.
   */
  signature: z.enum(['v3', 'v2', 'wrong', 'missing']).default('v3'),
  /** The address that is signed, if it differs from the called address. */
  signedUrl: z.url().optional(),
  /** True if HubSpot repeats the request after a server error. */
  repeats: z.boolean().default(true),
});

/** A call from the app's action in a workflow, for a contact that has reached the action. */
export const actionSchema = z.strictObject({
  url: z.url(),
  /** The contact's ID. */
  id: z.string(),
  callbackId: z.string(),
  /** The account number in the call. The default is the account's own number. */
  portalId: z.int().optional(),
  signature: z.enum(['v2', 'v1', 'wrong', 'missing']).default('v2'),
});

/** The app to which the card and the action belong. */
export interface CardApp {
  appId: number;
  clientSecret: string;
  /** The account in which the app is installed. */
  portalId: number;
  clock: () => number;
}

/** Sends the request of a card. Returns the last attempt and its response. */
export async function fetchFromCard(
  app: CardApp,
  asked: z.output<typeof cardFetchSchema>,
): Promise<CalledOut & { attempts: number }> {
  const { portalId = app.portalId, appId = app.appId, userId, userEmail } = asked;
  const url = new URL(asked.url);
  const added = { userId, portalId, userEmail, appId };
  for (const [name, value] of Object.entries(added)) url.searchParams.append(name, String(value));
  const address = url.href;
  const body = JSON.stringify(asked.body);
  const headers = { 'Content-Type': 'application/json', ...sign(app, asked, address, body) };
  const answer = await callOut({ url: address, headers, body }, TIMEOUT_MS);
  const hasFailed = answer.status === null || answer.status >= 500;
  if (!hasFailed || !asked.repeats) return { ...answer, attempts: 1 };
  const again = { ...headers, ...sign(app, asked, address, body) };
  const second = await callOut({ url: address, headers: again, body }, TIMEOUT_MS);
  return { ...second, attempts: 2 };
}

function sign(
  { clientSecret, clock }: CardApp,
  { signature, ageMs, signedUrl }: z.output<typeof cardFetchSchema>,
  address: string,
  body: string,
): Record<string, string> {
  if (signature === 'missing') return {};
  const url = signedUrl ?? address;
  const secret = signature === 'wrong' ? `${clientSecret}x` : clientSecret;
  if (signature === 'v2') return signV2(secret, url, body);
  return signatureHeaders(secret, { method: 'POST', url, body, timestampMs: clock() - ageMs });
}

function signV2(secret: string, url: string, body: string): Record<string, string> {
  const signed = createHash('sha256').update(`${secret}POST${url}${body}`).digest('hex');
  return { 'X-HubSpot-Signature': signed, 'X-HubSpot-Signature-Version': 'v2' };
}

/** Sends the request of the app's workflow action. */
export function callAction(
  app: CardApp,
  { url, id, callbackId, portalId = app.portalId, signature }: z.output<typeof actionSchema>,
): Promise<CalledOut> {
  const body = JSON.stringify({
    callbackId,
    origin: { portalId, actionDefinitionId: 7, actionDefinitionVersion: 1 },
    context: { source: 'WORKFLOWS', workflowId: 12 },
    object: { objectId: Number(id), objectType: 'CONTACT' },
    inputFields: {},
  });
  const secret = signature === 'wrong' ? `${app.clientSecret}x` : app.clientSecret;
  const v1 = createHash('sha256')
    .update(secret + body)
    .digest('hex');
  const headers = {
    'Content-Type': 'application/json',
    ...(signature === 'missing'
      ? {}
      : signature === 'v1'
        ? { 'X-HubSpot-Signature': v1, 'X-HubSpot-Signature-Version': 'v1' }
        : signV2(secret, url, body)),
  };
  return callOut({ url, headers, body }, TIMEOUT_MS);
}
