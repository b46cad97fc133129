/** The page on which a user grants the app access (web server flow). */

import { type Context, Hono } from 'hono';
import { html } from 'hono/html';
import { z } from 'zod';
import { ADMINISTRATOR, INTEGRATION_USER, ORG_NAME, USERS } from '../metadata/setup-records.ts';
import type { ClientApp } from './client-app.ts';
import type { Codes } from './codes.ts';

const requestSchema = z.object({
  response_type: z.string().default(''),
  client_id: z.string().default(''),
  redirect_uri: z.string().default(''),
  scope: z.string().default('api refresh_token'),
  state: z.string().optional(),
  code_challenge: z.string().default(''),
  /** The user for whom access is granted immediately. */
  login_hint: z.string().optional(),
  /** The user's choice on the page. */
  decision: z.enum(['allow', 'deny']).optional(),
});

type AuthorizeRequest = z.output<typeof requestSchema>;

/**
 * `GET` shows the page. If the request has a `login_hint`, it grants access immediately. `POST` receives the user's
 * choice.
 */
export function authorizeRoutes(app: ClientApp, codes: Codes): Hono {
  const router = new Hono();
  router.get('/authorize', (c) => {
    const request = requestSchema.parse(c.req.query());
    const problem = problemWith(request, app);
    if (problem !== undefined) return refuse(c, request, problem);
    return request.login_hint === undefined ? c.html(page(request)) : approve(c, codes, request);
  });
  router.post('/authorize', async (c) => {
    const request = requestSchema.parse(await c.req.parseBody());
    const problem = problemWith(request, app);
    if (problem !== undefined) return refuse(c, request, problem);
    return request.decision === 'allow' ? approve(c, codes, request) : refuse(c, request, DENIED);
  });
  return router;
}

interface Problem {
  error: string;
  description: string;
}

const DENIED = { error: 'access_denied', description: 'end-user denied authorization' };

function problemWith(request: AuthorizeRequest, { clientId }: ClientApp): Problem | undefined {
  if (request.client_id !== clientId) {
    return { error: 'invalid_client_id', description: 'client identifier invalid' };
  }
  if (!URL.canParse(request.redirect_uri)) {
    return { error: 'redirect_uri_mismatch', description: 'redirect_uri must match configuration' };
  }
  if (request.response_type !== 'code') {
    return { error: 'unsupported_response_type', description: 'response type not supported' };
  }
  // Partner apps must use PKCE, even if they have a secret.
  return request.code_challenge === ''
    ? { error: 'invalid_request', description: 'missing required code challenge' }
    : undefined;
}

/**
 * Redirects to the app with an error, unless the app is unknown or its address is not registered. If the app or its
 * address is unknown, only the user sees the error.
 */
function refuse(c: Context, request: AuthorizeRequest, { error, description }: Problem): Response {
  const reachesApp = error !== 'invalid_client_id' && error !== 'redirect_uri_mismatch';
  if (!reachesApp) return c.text(`error=${error}&error_description=${description}`, 400);
  return redirect(c, request, { error, error_description: description });
}

function approve(c: Context, codes: Codes, request: AuthorizeRequest): Response {
  const user = USERS.find(({ username }) => username === request.login_hint) ?? INTEGRATION_USER;
  const code = codes.issue({
    user,
    scope: request.scope,
    redirectUri: request.redirect_uri,
    challenge: request.code_challenge,
  });
  return redirect(c, request, { code });
}

function redirect(c: Context, request: AuthorizeRequest, answer: Record<string, string>): Response {
  const url = new URL(request.redirect_uri);
  const state = request.state === undefined ? {} : { state: request.state };
  for (const [name, value] of Object.entries({ ...answer, ...state })) {
    url.searchParams.set(name, value);
  }
  return c.redirect(url.href);
}

function page(request: AuthorizeRequest) {
  const hidden = Object.entries(request).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value ?? ''}">`,
  );
  const users = [INTEGRATION_USER, ADMINISTRATOR].map(
    ({ username }) => html`<option>${username}</option>`,
  );
  return html`<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><title>Allow Access?</title></head>
  <body>
    <h1>Allow access to ${ORG_NAME}?</h1>
    <p>An app asks for: ${request.scope}</p>
    <form method="post">
      ${hidden}
      <p><label>Sign in as <select name="login_hint">${users}</select></label></p>
      <button name="decision" value="allow">Allow</button>
      <button name="decision" value="deny">Deny</button>
    </form>
  </body>
</html>`;
}
