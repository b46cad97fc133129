/** The consent page on which a user installs the app in this account. */

import { type Context, Hono } from 'hono';
import { html } from 'hono/html';
import { z } from 'zod';
import type { ClientApp } from './client-app.ts';
import type { Codes } from './codes.ts';
import { grantableScopes, type InstallSettings, isRegistered } from './install-settings.ts';

const requestSchema = z.object({
  client_id: z.string().default(''),
  redirect_uri: z.string().default(''),
  /** The scopes that the app requires, separated by spaces. */
  scope: z.string().default(''),
  /** The scopes that the app requests but does not require. */
  optional_scope: z.string().default(''),
  state: z.string().optional(),
  code_challenge: z.string().optional(),
  code_challenge_method: z.string().default('S256'),
  /** Answers immediately and does not show the page, an option that only this sandbox has. */
  approve: z.enum(['true', 'false']).optional(),
  /** The user's choice on the authorization page. */
  decision: z.enum(['allow', 'deny']).optional(),
});

type AuthorizeRequest = z.output<typeof requestSchema>;

/** The objects that the page needs. */
export interface AuthorizeOptions {
  portalId: number;
  app: ClientApp;
  codes: Codes;
  settings: InstallSettings;
  /** All scopes that exist in this account. */
  knownScopes: readonly string[];
}

/** Returns the routes of `/oauth/authorize`. `GET` shows the page, and `POST` receives the user's choice. */
export function authorizeRoutes(options: AuthorizeOptions): Hono {
  const router = new Hono();
  router.get('/authorize', (c) => {
    const request = requestSchema.safeParse(c.req.query());
    if (!request.success) return refuse(c, 'The request makes no sense.');
    const { approve } = request.data;
    const decision = approve === undefined ? undefined : approve === 'true' ? 'allow' : 'deny';
    return answer(c, options, { ...request.data, decision });
  });
  router.post('/authorize', async (c) => {
    const request = requestSchema.safeParse(await c.req.parseBody());
    return request.success
      ? answer(c, options, request.data)
      : refuse(c, 'The request makes no sense.');
  });
  return router;
}

function answer(c: Context, options: AuthorizeOptions, request: AuthorizeRequest) {
  const problem = problemWith(request, options);
  if (problem !== undefined) return refuse(c, problem);
  switch (request.decision) {
    case 'allow':
      return redirect(c, request, { code: issueCode(request, options) });
    case 'deny':
      return redirect(c, request, {
        error: 'access_denied',
        error_description: 'User denied access',
      });
    default:
      return c.html(page(request, options));
  }
}

/**
 * Returns the problem with a request, or undefined if the request is valid. The page shows the problem to the user, and
 * the app never receives it. An attacker may have created the request.
 */
function problemWith(request: AuthorizeRequest, options: AuthorizeOptions): string | undefined {
  if (request.client_id !== options.app.clientId) {
    return 'An invalid app client_id was provided. Please contact the app developer.';
  }
  if (!isSecure(request.redirect_uri)) {
    return `The redirect URL ${request.redirect_uri} must use https; http is allowed for localhost alone.`;
  }
  if (!isRegistered(request.redirect_uri, options.settings)) {
    return `The redirect URL ${request.redirect_uri} does not match the app's registered redirect URLs.`;
  }
  const unknown = askedScopes(request).filter((scope) => !options.knownScopes.includes(scope));
  if (request.scope.trim() === '' || unknown.length > 0) {
    return `The scopes that were asked for do not match the app's: ${unknown.join(', ') || 'none was given'}.`;
  }
  return request.code_challenge !== undefined && request.code_challenge_method !== 'S256'
    ? 'The code_challenge_method must be S256.'
    : undefined;
}

/**
 * Returns true if the redirect URI uses https. HubSpot accepts http only for the host `localhost`, and 127.0.0.1 is a
 * different host.
 */
function isSecure(redirectUri: string): boolean {
  if (!URL.canParse(redirectUri)) return false;
  const { protocol, hostname } = new URL(redirectUri);
  return protocol === 'https:' || hostname === 'localhost';
}

function askedScopes({ scope, optional_scope }: AuthorizeRequest): string[] {
  return `${scope} ${optional_scope}`.split(' ').filter((word) => word !== '');
}

function issueCode(request: AuthorizeRequest, { codes, settings }: AuthorizeOptions): string {
  return codes.issue({
    scopes: grantableScopes(askedScopes(request), settings),
    redirectUri: request.redirect_uri,
    challenge: request.code_challenge,
  });
}

function redirect(c: Context, request: AuthorizeRequest, parameters: Record<string, string>) {
  const url = new URL(request.redirect_uri);
  const state = request.state === undefined ? {} : { state: request.state };
  for (const [name, value] of Object.entries({ ...parameters, ...state })) {
    url.searchParams.set(name, value);
  }
  return c.redirect(url.href);
}

function refuse(c: Context, problem: string) {
  return c.html(document('The app could not be connected', html`<p>${problem}</p>`), 400);
}

function page(request: AuthorizeRequest, { settings, portalId }: AuthorizeOptions) {
  const hidden = Object.entries(request)
    .filter(([name, value]) => name !== 'approve' && value !== undefined)
    .map(([name, value]) => html`<input type="hidden" name="${name}" value="${value ?? ''}">`);
  const scopes = grantableScopes(askedScopes(request), settings);
  return document(
    `Connect an app to account ${portalId}?`,
    html`<p>It may then use:</p>
    <ul>${scopes.map((scope) => html`<li>${scope}</li>`)}</ul>
    <form method="post">
      ${hidden}
      <button name="decision" value="allow">Connect app</button>
      <button name="decision" value="deny">Cancel</button>
    </form>`,
  );
}

function document(title: string, content: ReturnType<typeof html>) {
  return html`<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><title>${title}</title></head>
  <body>
    <h1>${title}</h1>
    ${content}
  </body>
</html>`;
}
