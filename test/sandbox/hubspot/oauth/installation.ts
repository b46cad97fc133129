/** Installs the app in an account, doing the steps of both the app and the user. */

import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { HubspotSandbox } from '../../../../sandbox/hubspot/index.ts';
import { type Answer, postForm } from '../../../testbed/asking.ts';

/** The address that receives the app's responses. */
export const REDIRECT_URI = 'http://localhost:8787/oauth/hubspot/callback';
/** The app's PKCE verifier. */
export const VERIFIER = 'v'.repeat(64);

const SCOPES = 'crm.objects.contacts.read crm.lists.read';

/** Parameters that replace the parameters of a correct app. Null omits a parameter. */
export type Parameters = Record<string, string | null>;

/** Returns the address at which a user gives an app its permissions. */
export function authorizeUrl(account: HubspotSandbox, parameters: Parameters = {}): string {
  const all = {
    client_id: account.clientId,
    redirect_uri: REDIRECT_URI,
    scope: SCOPES,
    state: 's1',
    code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
    code_challenge_method: 'S256',
    ...parameters,
  };
  const url = new URL(`${account.baseUrl}/oauth/authorize`);
  for (const [name, value] of Object.entries(all)) {
    if (value !== null) url.searchParams.set(name, value);
  }
  return url.href;
}

/** Simulates a user who agrees immediately. Returns the code that the app receives. */
export async function approve(
  account: HubspotSandbox,
  parameters: Parameters = {},
): Promise<string> {
  const url = authorizeUrl(account, { approve: 'true', ...parameters });
  const { status, location } = await open(url);
  if (location === null) throw new Error(`The installation was refused with status ${status}.`);
  return location.searchParams.get('code') ?? '';
}

/** Opens a page. Returns the redirect target, or null. */
export async function open(url: string) {
  const response = await fetch(url, { redirect: 'manual' });
  const location = response.headers.get('location');
  return {
    status: response.status,
    text: await response.text(),
    location: location === null ? null : new URL(location),
  };
}

/** Sends a form to an address below `/oauth`. */
export function sendForm(
  account: HubspotSandbox,
  path: string,
  form: Record<string, string>,
): Promise<Answer> {
  return postForm(`${account.baseUrl}/oauth${path}`, form);
}

/** Exchanges a code for tokens, as an honest app does, except for the given parameters. */
export function redeem(
  account: HubspotSandbox,
  code: string,
  parameters: Record<string, string> = {},
  version = '2026-03',
): Promise<Answer> {
  return sendForm(account, `/${version}/token`, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: REDIRECT_URI,
    code_verifier: VERIFIER,
    ...keysOf(account),
    ...parameters,
  });
}

/** Exchanges a refresh token for a new access token. */
export function refresh(account: HubspotSandbox, refreshToken: string): Promise<Answer> {
  return sendForm(account, '/2026-03/token', {
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
    ...keysOf(account),
  });
}

/** Returns the credentials with which the app signs in. */
export function keysOf(account: HubspotSandbox) {
  return { client_id: account.clientId, client_secret: account.clientSecret };
}

const tokensSchema = z
  .object({ access_token: z.string(), refresh_token: z.string(), scopes: z.array(z.string()) })
  .transform(({ access_token, refresh_token, scopes }) => ({
    token: access_token,
    refreshToken: refresh_token,
    scopes,
  }));

/** Returns the tokens in a response that must contain them. */
export function tokensOf({ status, body }: Answer) {
  if (status !== 200) throw new Error(`The sign-in was refused: ${JSON.stringify(body)}`);
  return tokensSchema.parse(body);
}

/** Installs the app. */
export async function install(account: HubspotSandbox, parameters: Parameters = {}) {
  return tokensOf(await redeem(account, await approve(account, parameters)));
}
