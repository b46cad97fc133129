/** Returns the identity of a token's user, in the two forms that Salesforce offers. */

import { type Context, Hono } from 'hono';
import { readId } from '../core/ids.ts';
import { ORG_ID } from '../metadata/setup-records.ts';
import { findUser } from '../org/org.ts';
import { originOf } from './token-endpoint.ts';
import type { Tokens } from './tokens.ts';

/** Returns the address of a user's identity. */
export function identityAt(c: Context, { id }: { id: string }): string {
  return `${originOf(c)}/id/${ORG_ID}/${id}`;
}

/** Returns the route `/services/oauth2/userinfo`. */
export function userInfoRoutes(tokens: Tokens): Hono {
  const router = new Hono();
  router.on(['GET', 'POST'], '/userinfo', (c) => {
    const user = tokens.findAccess(tokenOf(c))?.user;
    if (user === undefined) return badToken(c);
    return c.json({
      sub: identityAt(c, user),
      preferred_username: user.username,
      nickname: user.username.split('@')[0],
      name: user.username.split('@')[0],
      email: user.username,
      email_verified: true,
      zoneinfo: 'Etc/UTC',
      is_salesforce_integration_user: user.role === 'integration',
      ...commonFacts(c, user.id),
    });
  });
  return router;
}

/** Returns the route `/id/{org}/{user}`. */
export function identityRoutes(tokens: Tokens): Hono {
  const router = new Hono();
  router.on(['GET', 'POST'], '/:org/:user', (c) => {
    const signedIn = tokens.findAccess(tokenOf(c))?.user;
    if (signedIn === undefined) return badToken(c);
    const user = findUser(readId(c.req.param('user')) ?? '');
    const isOfOrg = readId(c.req.param('org')) === ORG_ID;
    if (user === undefined || !isOfOrg) return c.text('Wrong_Org', 403);
    return c.json({
      id: identityAt(c, user),
      asserted_user: user.id === signedIn.id,
      username: user.username,
      nick_name: user.username.split('@')[0],
      display_name: user.username.split('@')[0],
      email: user.username,
      status: { created_date: null, body: null },
      ...commonFacts(c, user.id),
    });
  });
  return router;
}

function commonFacts(c: Context, userId: string) {
  const origin = originOf(c);
  return {
    user_id: userId,
    organization_id: ORG_ID,
    user_type: 'STANDARD',
    active: true,
    language: 'en_US',
    locale: 'en_US',
    utcOffset: 0,
    urls: {
      rest: `${origin}/services/data/v{version}/`,
      sobjects: `${origin}/services/data/v{version}/sobjects/`,
      query: `${origin}/services/data/v{version}/query/`,
      tooling_rest: `${origin}/services/data/v{version}/tooling/`,
      tooling_soap: `${origin}/services/Soap/T/{version}/${ORG_ID}`,
      metadata: `${origin}/services/Soap/m/{version}/${ORG_ID}`,
      custom_domain: origin,
    },
  };
}

function tokenOf(c: Context): string {
  const header = /^(?:Bearer|OAuth) (.+)$/i.exec(c.req.header('authorization') ?? '')?.[1];
  return header ?? c.req.query('oauth_token') ?? c.req.query('access_token') ?? '';
}

function badToken(c: Context): Response {
  return c.text('Bad_OAuth_Token', 403);
}
