/** Who may ask what: access tokens, sessions of browsers, and the first visit before any token. */
import type { Context, MiddlewareHandler } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { hashToken } from '../application/access-token.ts';
import type { Actor } from '../core/actor.ts';
import type { Clock } from '../core/clock.ts';
import type { AccessTokenRecord } from '../store/service/access.ts';
import type { Store } from '../store/store.ts';
import type { Attempts } from './attempts.ts';
import type { HttpEnv, Principal, Role } from './request/context.ts';
import { HttpError } from './request/errors.ts';
import { type ClientAddress, isLocal, isLoopbackName, requireSameOrigin } from './request/peer.ts';
import { isSameText, newSecret, type WithoutToken } from './request/secret.ts';

export interface Access {
  /**
   * Lets only those through who have the role, and sets `c.var.principal`. Throws an HttpError
   * otherwise: 401, 403 or, after too many wrong tokens, 429. What changes something and relies on
   * more than a token in a header has to come from our own pages.
   */
  requireRole(role: Role): MiddlewareHandler<HttpEnv>;
  /** Like `requireRole('viewer')`, but a caller that seems to be on this machine needs no token. */
  requireViewerUnlessLocal(): MiddlewareHandler<HttpEnv>;
  /** The same person for the audit. */
  actorOf(c: Context<HttpEnv>, principal: Principal): Actor;
  /** Who asks, or null; for pages that show a form to strangers. Throws an HttpError (429). */
  identify(c: Context<HttpEnv>): Promise<Principal | null>;
  /**
   * Begins a session for the browser that presents this token: sets the cookie. Null if the token
   * is not one of ours. Throws an HttpError: 403 from a foreign page, 429 after too many attempts.
   */
  signIn(c: Context<HttpEnv>, token: string): Promise<Principal | null>;
  /**
   * Begins the session of the one-time link for the browser that follows it on this machine, while
   * there is no token. Throws an HttpError: 403 for a link that does not count, 429 after too many.
   */
  beginFirstVisit(c: Context<HttpEnv>, secret: string): Promise<void>;
  /** Ends the browser's session and takes its cookie away. Throws an HttpError (403) likewise. */
  signOut(c: Context<HttpEnv>): Promise<void>;
}

/** By plain http on this machine alone; its secret is worth nothing anywhere else. */
const FIRST_VISIT_COOKIE = 'donor_sync_first_visit';

/** A working day and the night after it; then the browser signs in again. */
const SESSION_MS = 24 * 3_600_000;

export interface AccessDeps {
  store: Pick<Store, 'access' | 'audit' | 'actingAs'>;
  clock: Pick<Clock, 'now'>;
  attempts: Attempts;
  publicUrl: string;
  withoutToken: WithoutToken;
  addressOf: ClientAddress;
}

export function createAccess(deps: AccessDeps): Access {
  const { store, clock, attempts, publicUrl, withoutToken, addressOf } = deps;
  const { protocol, hostname } = new URL(publicUrl);
  const isSecure = protocol === 'https:';
  // Browsers take a cookie of this name only over https, for the whole host and no other.
  const cookieName = isSecure ? '__Host-donor_sync_session' : 'donor_sync_session';
  // Behind a proxy every caller may seem to be on this machine: what is public needs tokens anyway.
  const isHome = isLoopbackName(hostname);

  async function identify(c: Context<HttpEnv>): Promise<Principal | null> {
    const token = bearerToken(c);
    if (token !== undefined) return principalOf('token', await findToken(c, token));
    const cookie = getCookie(c, cookieName);
    const row = cookie && (await store.access.findSession(hashToken(cookie)));
    if (row) return principalOf('session', row);
    const isFirst = isFirstVisitor(c) && (await isWithoutTokens());
    return isFirst ? { kind: 'local', role: 'admin', name: null } : null;
  }

  /**
   * The address alone proves nothing where a proxy on this machine adds no header. The link does; and
   * even then nothing is accepted that shows to come through a proxy or by a public name.
   */
  function isFirstVisitor(c: Context<HttpEnv>): boolean {
    if (withoutToken === null || !isLocal(c)) return false;
    if (withoutToken === 'thisMachine') return isHome;
    return withoutToken.isSession(getCookie(c, FIRST_VISIT_COOKIE) ?? '');
  }

  async function isWithoutTokens(): Promise<boolean> {
    return (await store.access.listTokens()).length === 0;
  }

  async function findToken(c: Context<HttpEnv>, token: string): Promise<AccessTokenRecord | null> {
    const hash = hashToken(token);
    // All are compared, so that the time tells nothing of which one it is.
    const [row] = (await store.access.listTokens()).filter((one) => isSameText(one.hash, hash));
    if (row === undefined) {
      noteWrong(c);
      return null;
    }
    await store.access.noteUse(row);
    return row;
  }

  /** Only what is wrong is counted: a right token gets in from an address that others guess from. */
  function noteWrong(c: Context<HttpEnv>): void {
    const address = addressOf(c);
    attempts.requireAllowed(address);
    attempts.noteFailure(address);
  }

  /** No page can make a browser send a user's token in a header. */
  function requireOurPages(c: Context<HttpEnv>, { kind }: Principal): void {
    if (kind === 'token') return;
    const hasCookie = kind === 'session' || withoutToken !== 'thisMachine';
    requireSameOrigin(c, publicUrl, hasCookie ? 'refused' : 'allowed');
  }

  function actorOf(c: Context<HttpEnv>, { kind, name }: Principal): Actor {
    return { kind, name, from: addressOf(c) };
  }

  return {
    identify,
    actorOf,
    requireRole(role) {
      return async (c, next) => {
        const principal = await identify(c);
        if (principal === null) throw unauthenticated();
        if (role === 'admin' && principal.role !== 'admin') {
          throw new HttpError(403, 'role_insufficient', 'This needs an access token of an admin.');
        }
        requireOurPages(c, principal);
        c.set('principal', principal);
        c.set('actor', actorOf(c, principal));
        await next();
      };
    },
    requireViewerUnlessLocal() {
      return async (c, next) => {
        const isAllowed = (isHome && isLocal(c)) || (await identify(c)) !== null;
        if (!isAllowed) throw unauthenticated();
        await next();
      };
    },
    async signIn(c, token) {
      requireSameOrigin(c, publicUrl, 'allowed');
      const row = await findToken(c, token);
      if (row === null) return null;
      const secret = newSecret();
      const actor: Actor = { kind: 'session', name: row.name, from: addressOf(c) };
      const { access } = store.actingAs(actor);
      await access.addSession(hashToken(secret), row.id, clock.now() + SESSION_MS);
      setCookie(c, cookieName, secret, {
        httpOnly: true,
        sameSite: 'Lax',
        secure: isSecure,
        path: '/',
        maxAge: SESSION_MS / 1_000,
      });
      return principalOf('session', row);
    },
    async beginFirstVisit(c, secret) {
      const isOpen = typeof withoutToken === 'object' && isLocal(c) && (await isWithoutTokens());
      const cookie = isOpen ? (withoutToken?.begin(secret) ?? null) : null;
      if (cookie === null) {
        noteWrong(c);
        throw firstVisitRefused();
      }
      const first = store.actingAs({ kind: 'local', name: null, from: addressOf(c) });
      await first.audit.note({ action: 'session.begun' });
      setCookie(c, FIRST_VISIT_COOKIE, cookie, {
        httpOnly: true,
        sameSite: 'Lax',
        path: '/',
        maxAge: SESSION_MS / 1_000,
      });
    },
    async signOut(c) {
      requireSameOrigin(c, publicUrl, 'refused');
      const cookie = getCookie(c, cookieName);
      if (cookie !== undefined) await store.access.endSession(hashToken(cookie));
      deleteCookie(c, cookieName, { path: '/', secure: isSecure });
    },
  };
}

function principalOf(
  kind: Principal['kind'],
  row: Pick<AccessTokenRecord, 'role' | 'name'> | null,
): Principal | null {
  return row && { kind, role: row.role, name: row.name };
}

/** The token of `Authorization: Bearer …`; undefined without that header. */
function bearerToken(c: Context<HttpEnv>): string | undefined {
  const header = c.req.header('authorization');
  return header === undefined ? undefined : (/^Bearer +(\S+)$/i.exec(header.trim())?.[1] ?? '');
}

function unauthenticated(): HttpError {
  return new HttpError(
    401,
    'unauthenticated',
    'A valid access token is needed: "Authorization: Bearer dst_…". `donor-sync tokens create` makes one.',
    { headers: { 'WWW-Authenticate': 'Bearer realm="donor-sync"' } },
  );
}

function firstVisitRefused(): HttpError {
  return new HttpError(
    403,
    'first_visit_refused',
    'This link does not let you in. It works once, within 15 minutes, on the machine of the service, without a proxy, and while there is no access token. Start `donor-sync serve` again for a new link, or make a token: `donor-sync tokens create --role admin --name NAME`.',
  );
}
