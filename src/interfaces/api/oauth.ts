/**
 * The routes GET /oauth/:kind/start and /oauth/:kind/callback, with which a user connects donor-sync to a CRM account.
 */

import { createRoute, z } from '@hono/zod-openapi';
import type { Context, Hono, MiddlewareHandler } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { findConnectorDefinition } from '../../../connectors/index.ts';
import {
  beginConsent,
  CONSENT_LIFE_MS,
  type ConsentAnswer,
  type ConsentKey,
  type ConsentsDeps,
  completeConsent,
  consentPage,
} from '../../clients/consents.ts';
import { findSetup, recordConnected, workingIntegration } from '../../clients/setup/draft.ts';
import { findConsentByState } from '../../clients/statements/consents.ts';
import type { Actor } from '../../core/actor.ts';
import { type DonorSyncError, isConfigurationError, isRetriableError } from '../../core/errors.ts';
import type { Integration } from '../../core/integration-settings.ts';
import { publicAddress } from '../../core/public-address.ts';
import { unknownClient } from '../../core/shared-errors.ts';
import { hashToken } from '../../people/access-token.ts';
import { readDocsStyles } from '../pages/assets.ts';
import type { Access } from './access.ts';
import { type Notice, renderNotice } from './notice.ts';
import { usersOnly } from './request/caller.ts';
import { findIntegration, hasAccess } from './request/client-access.ts';
import type { HttpDeps, HttpEnv } from './request/context.ts';
import { cookieNameOf } from './request/cookies.ts';
import { nothingHere } from './request/errors.ts';
import { createGuardedApp, refuseNullCharacters, requireKnownHost } from './request/guards.ts';
import { type ClientAddress, foreignOrigin, getHostname, isLoopbackName } from './request/peer.ts';
import { createRouter, problems } from './request/router.ts';

/** The dependencies of the redirect to a CRM and back. */
export type OAuthDeps = Pick<HttpDeps, 'clock' | 'log' | 'address' | 'stopping'> &
  Pick<ConsentsDeps, 'application'>;

/** The time limit for the CRM's response. This limit is shorter than the time limit for donor-sync's own response. */
const CRM_TIMEOUT_MS = 15_000;

const kindSchema = z
  .string()
  .regex(/^[a-z]{1,30}$/)
  .openapi({ example: 'hubspot' });
const stateSchema = z.string().max(100);

const startRoute = createRoute({
  method: 'get',
  path: '/oauth/{kind}/start',
  tags: ['Connecting'],
  summary: 'Go to the page of a CRM that asks for access for donor-sync',
  description:
    'With `integration`, for admins who are signed in as users: an access token may not connect an account. With `ticket`, for users with the address that `donor-sync connect` prints, for ten minutes.',
  request: {
    params: z.object({ kind: kindSchema }),
    query: z.object({ integration: z.string().optional(), ticket: stateSchema.optional() }),
  },
  responses: {
    302: { description: 'To the CRM.' },
    400: page('The ticket was already used or is too old.'),
    ...problems.access,
    ...problems.notFound,
  },
});

const callbackRoute = createRoute({
  method: 'get',
  path: '/oauth/{kind}/callback',
  tags: ['Connecting'],
  summary: 'Return from that page',
  description: 'The CRM sends browsers here. Register this address with the app in the CRM.',
  security: [],
  request: {
    params: z.object({ kind: kindSchema }),
    query: z.object({
      state: stateSchema.default(''),
      code: z.string().max(4_096).optional(),
      error: z.string().max(200).optional(),
    }),
  },
  responses: {
    200: page('The account is connected.'),
    400: page('The account is not connected, and the page explains why.'),
    503: page('The CRM could not be reached.'),
  },
});

/**
 * Creates the routes. If `access` is omitted, only tickets are accepted. `donor-sync connect` uses this if no service
 * is running.
 */
export function oauthRoutes(
  deps: OAuthDeps,
  access: Pick<Access, 'requireRole'> | null,
  getAddress: ClientAddress | null,
) {
  const { application, address } = deps;
  const router = createRouter();
  const styles = readDocsStyles();
  const cookieFor = (c: Context<HttpEnv>) => {
    const secure = address.isSecure(getHostname(c));
    return { httpOnly: true, sameSite: 'Lax', path: '/', secure } as const;
  };
  // If no service is running, there is no page to return to. The session belongs to the public address, but the browser
  // may have used another host name.
  const link = () =>
    access === null ? null : { href: publicAddress(address.url(), '/'), text: 'To the overview' };
  router.use('/oauth/:kind/start', requireAdminOrTicket(access));
  router.get('/oauth/styles.css', (c) =>
    c.body(styles, 200, { 'Content-Type': 'text/css; charset=utf-8' }),
  );
  return router
    .openapi(startRoute, async (c) => {
      const { kind } = c.req.valid('param');
      const { ticket, integration: id = '' } = c.req.valid('query');
      if (ticket !== undefined) return goToCrm(c, await toConsentKey(kind, ticket));
      const draft = hasAccess(c, id) ? await findDraft(id) : null;
      const integration = draft ?? findIntegration(c, application, id);
      if (integration.crm.kind !== kind)
        throw unknownClient(id, { next: `It has no CRM of the kind "${kind}".` });
      const state = await beginConsent(consentsDeps(), integration);
      // The browser sends the cookie only to this address.
      return c.redirect(ticketAddress(await wayBackUrl(address.url(), kind), kind, state));
    })
    .openapi(callbackRoute, async (c) => {
      const { kind } = c.req.valid('param');
      const { state, code, error } = c.req.valid('query');
      const answer = error === undefined ? code && { code } : { error };
      if (!answer) return notice(c, 400, NOTHING_BROUGHT);
      return comeBack(c, await toConsentKey(kind, state), answer);
    });

  /**
   * Returns the cookie's name. Each consent has a separate cookie, so one browser can have two consents in progress.
   */
  function cookieName(c: Context<HttpEnv>, { state }: ConsentKey): string {
    return cookieNameOf(`donor_sync_consent_${hashToken(state).slice(0, 16)}`, cookieFor(c).secure);
  }

  async function toConsentKey(kind: string, state: string): Promise<ConsentKey> {
    const redirectUri = callbackAddress(await wayBackUrl(address.url(), kind), kind);
    return { kind, state, redirectUri };
  }

  async function goToCrm(c: Context<HttpEnv>, key: ConsentKey) {
    try {
      const page = await consentPage(consentsDeps(), key);
      setCookie(c, cookieName(c, key), '1', {
        ...cookieFor(c),
        maxAge: CONSENT_LIFE_MS / 1_000,
      });
      return c.redirect(page);
    } catch (error) {
      return failure(c, error);
    }
  }

  async function comeBack(c: Context<HttpEnv>, key: ConsentKey, answer: ConsentAnswer) {
    // Without this check, a link could make a user complete another user's consent.
    if (getCookie(c, cookieName(c, key)) === undefined) return notice(c, 400, OTHER_BROWSER);
    deleteCookie(c, cookieName(c, key), cookieFor(c));
    try {
      const by: Actor = { kind: 'consent', name: null, from: getAddress?.(c) ?? null };
      const acting = getAddress === null ? application.store : application.store.actingAs(by);
      const consents = { ...consentsDeps(), application: { ...application, store: acting } };
      const { integrationId, account } = await completeConsent(consents, key, answer);
      deps.log.info({ integration: integrationId }, 'a CRM account was connected');
      if (await recordConnected(application, integrationId, account.name)) {
        return c.redirect(
          publicAddress(address.url(), `/setup/${integrationId}/crm?note=connected`),
          303,
        );
      }
      return notice(c, 200, connectedNotice(integrationId, account.name));
    } catch (error) {
      const row = await findConsentByState(application.store.reader, hashToken(key.state));
      const draft = row && (await findDraft(row.integrationId));
      return failure(c, error, draft?.id ?? null);
    }
  }

  /** Finds the set-up of an integration. Returns null if no service is running. */
  async function findDraft(id: string): Promise<Integration | null> {
    const setup = access === null ? null : await findSetup(application, id);
    return setup && workingIntegration(setup);
  }

  function notice(c: Context<HttpEnv>, status: 200 | 400 | 503, content: Notice) {
    return c.html(renderNotice({ link: link(), ...content }, '../styles.css'), status);
  }

  function consentsDeps(): ConsentsDeps {
    const signal = AbortSignal.any([deps.stopping, AbortSignal.timeout(CRM_TIMEOUT_MS)]);
    return { application, clock: deps.clock, signal, findDraft };
  }

  /** Responds with an error. `setupId` is the set-up from which the user comes. */
  function failure(c: Context<HttpEnv>, error: unknown, setupId: string | null = null) {
    const isKnown = isConfigurationError(error) || isRetriableError(error);
    if (!isKnown) throw error;
    deps.log.warn({ code: error.code }, 'a CRM account was not connected');
    const back = setupId && {
      next: ['Go back, and connect again.'],
      link: {
        href: publicAddress(address.url(), `/setup/${setupId}/crm`),
        text: 'Back to the set-up',
      },
    };
    const content = { ...failureNotice(error), ...back };
    return notice(c, isRetriableError(error) ? 503 : 400, content);
  }
}

/** Returns the address to which the CRM redirects users. Some CRMs accept only one of this machine's names. */
export async function wayBackUrl(publicUrl: string, kind: string): Promise<string> {
  const url = new URL(publicUrl);
  if (url.protocol !== 'http:' || !isLoopbackName(url.hostname)) return publicUrl;
  const { consent } = await findConnectorDefinition(kind);
  if (consent?.loopbackName === undefined) return publicUrl;
  url.hostname = consent.loopbackName;
  return url.href.replace(/\/$/, '');
}

/** Returns the address that redirects the user to the CRM's page. */
export function ticketAddress(publicUrl: string, kind: string, ticket: string): string {
  return publicAddress(publicUrl, `/oauth/${kind}/start?ticket=${ticket}`);
}

function callbackAddress(publicUrl: string, kind: string): string {
  return publicAddress(publicUrl, `/oauth/${kind}/callback`);
}

function page(description: string) {
  return { description, content: { 'text/html': { schema: z.string() } } };
}

/** Admits an admin's session or a ticket. An access token is not accepted. */
function requireAdminOrTicket(
  access: Pick<Access, 'requireRole'> | null,
): MiddlewareHandler<HttpEnv> {
  const requireAdmin = access?.requireRole('admin');
  const requireUser = usersOnly('connect ID');
  return async (c, next) => {
    if (c.req.query('ticket') !== undefined) return next();
    if (requireAdmin === undefined) throw nothingHere();
    // Other sites must not be able to start a consent in an admin's browser.
    const site = c.req.header('sec-fetch-site') ?? 'none';
    if (site !== 'none' && site !== 'same-origin') {
      throw foreignOrigin();
    }
    return requireAdmin(c, async () => {
      await requireUser(c, next);
    });
  };
}

const NOTHING_BROUGHT: Notice = {
  title: 'Nothing was connected',
  text: 'The CRM sent your browser here without a response.',
  next: ['Start again: donor-sync connect'],
};

const OTHER_BROWSER: Notice = {
  title: 'Nothing was connected',
  text: 'This browser did not start to connect an account, or took longer than ten minutes.',
  next: ['Start again, and stay in one browser: donor-sync connect'],
};

function connectedNotice(id: string, account: string): Notice {
  return {
    title: 'Connected',
    text: `"${id}" is connected to ${account}. You can close this page.`,
    next: [
      `Check whether anything is missing: donor-sync doctor ${id}`,
      `See what a sync would do: donor-sync plan ${id}`,
    ],
  };
}

function failureNotice({ message }: DonorSyncError): Notice {
  return {
    title: 'Nothing was connected',
    text: message,
    next: ['To try again: donor-sync connect'],
  };
}

/** Creates the app for `donor-sync connect` if no service is running. */
export function createOAuthApp(deps: OAuthDeps): Hono<HttpEnv> {
  const app = createGuardedApp(deps);
  app.use(requireKnownHost(deps.address));
  app.use(refuseNullCharacters);
  app.route('/', oauthRoutes(deps, null, null));
  return app;
}
