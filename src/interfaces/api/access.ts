/**
 * Controls access by access tokens, users, browser sessions, and the first visit, in which the first owner is created.
 */

import type { Context, MiddlewareHandler } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { findDoorToken } from '../../clients/statements/door-tokens.ts';
import type { Actor } from '../../core/actor.ts';
import type { Clock } from '../../core/clock.ts';
import { newId } from '../../core/new-id.ts';
import { newSecret } from '../../core/new-secret.ts';
import type { Role } from '../../core/role.ts';
import type { Sealer } from '../../database/encryption/sealed.ts';
import { requireRole } from '../../operations/kit/authorise.ts';
import { hashToken } from '../../people/access-token.ts';
import {
  type AccessTokenRecord,
  listAccessTokens,
  recordTokenUse,
} from '../../people/statements/access.ts';
import { hasOwner } from '../../people/statements/owners.ts';
import { hasJoinedPerson, type PersonRecord } from '../../people/statements/people.ts';
import {
  addSession,
  endSession,
  isRecentProof,
  resumeSession,
  SESSION_MS,
  type SessionDetails,
  type SessionOwner,
  toAccount,
} from '../../people/statements/sessions.ts';
import { readIdentity } from '../../people/user-accounts.ts';
import { noteEntries } from '../../privacy/audit/record.ts';
import { dropNamesOfUser } from '../../privacy/shown-names.ts';
import type { Store } from '../../store.ts';
import type { AddressBook } from './request/address-book.ts';
import type { HttpEnv, Principal } from './request/context.ts';
import { cookieNameOf } from './request/cookies.ts';
import { HttpError } from './request/errors.ts';
import {
  type ClientAddress,
  describeBrowser,
  getHostname,
  isLocal,
  isLoopbackName,
  requireSameOrigin,
  showsProxy,
} from './request/peer.ts';
import { isSameText, type Visit, type WithoutToken } from './request/secret.ts';
import type { Transport } from './request/transport.ts';
import type { Attempts } from './sign-in/attempts.ts';

export interface Access {
  /**
   * Admits only callers with the role, and sets `c.var.principal`. Throws an HttpError: 401, 403, or 429 after too many
   * wrong tokens. A change without a token header must come from one of donor-sync's own pages.
   */
  requireRole(role: Role): MiddlewareHandler<HttpEnv>;
  /** Redirects visitors to the sign-in form and back. All pages and buttons need this guard or `requireRole`. */
  requirePage(role: Role): MiddlewareHandler<HttpEnv>;
  /**
   * Works like `requireRole('viewer')`, but callers on this machine need no token. If a caller on this machine sends a
   * token, donor-sync checks the token, which limits the caller's clients.
   */
  requireViewerUnlessLocal(): MiddlewareHandler<HttpEnv>;
  /**
   * Returns the fingerprint of a browser and its network. donor-sync uses the fingerprint to recognise a browser that
   * proposes an address, because this browser must not confirm the address.
   */
  fingerprintBrowser(c: Context<HttpEnv>): string;
  /** Returns the caller as an actor for the audit. */
  getActor(c: Context<HttpEnv>, principal: Principal): Actor;
  /**
   * Returns the caller, or null if there is none. Used by pages that show a form to visitors. Throws an HttpError (429)
   * after too many wrong tokens.
   */
  identify(c: Context<HttpEnv>): Promise<Principal | null>;
  /**
   * Starts a session for the browser that sends this token, and sets the cookie. Returns null for an unknown token.
   * Throws an HttpError: 403 from a foreign page, 429 after too many attempts.
   */
  signIn(c: Context<HttpEnv>, token: string): Promise<Principal | null>;
  /**
   * While there is no user, refuses (401) requests from other machines. Called before all routes that do not have their
   * own key.
   */
  requireUsersBeyondHere: MiddlewareHandler<HttpEnv>;
  /** Refuses (403) passwords, links and tokens on a connection that others could read. */
  requireSafeTransport: MiddlewareHandler<HttpEnv>;
  /** Starts a session for a user who has proved their identity. */
  signInAs(c: Context<HttpEnv>, person: PersonRecord, by?: SessionDetails): Promise<void>;
  /** Counts each wrong secret in a link. Throws an HttpError (429) after too many wrong secrets from one address. */
  noteWrong(c: Context<HttpEnv>): void;
  hasPeople(): Promise<boolean>;
  /**
   * Opens the one-time link, as long as no owner can sign in. The visitor can only create the first owner's account.
   * Throws an HttpError: 403 for an invalid link, 429 after too many attempts.
   */
  beginFirstVisit(c: Context<HttpEnv>, secret: string): Promise<void>;
  /** Returns the browser's first visit, or null if there is none. A visit lasts until an account exists. */
  findVisit(c: Context<HttpEnv>): Promise<Visit | null>;
  requireVisit(c: Context<HttpEnv>): Promise<Visit>;
  /** Ends the first visit. Returns a function that restores the visit after a failure. */
  endVisit(): () => void;
  /** Ends the browser's session and removes its cookie. Throws an HttpError (403) for a request from a foreign page. */
  signOut(c: Context<HttpEnv>): Promise<void>;
}

export interface AccessDeps {
  store: Store;
  /** Decrypts a user's identity. */
  sealer: Pick<Sealer, 'open'>;
  clock: Pick<Clock, 'now'>;
  attempts: Attempts;
  address: AddressBook;
  transport: Transport;
  withoutToken: WithoutToken;
  getAddress: ClientAddress;
}

export function createAccess(deps: AccessDeps): Access {
  const { store, sealer, clock, attempts, address, transport, withoutToken, getAddress } = deps;
  const cookieFor = (c: Context<HttpEnv>) => {
    const secure = address.isSecure(getHostname(c));
    return { name: cookieNameOf('donor_sync_session', secure), secure };
  };
  // Behind a proxy, every caller can look local. Therefore, a server with a public address always requires tokens.
  const isHome = () => isLoopbackName(new URL(address.url()).hostname);

  const visit = withoutToken === 'thisMachine' ? null : withoutToken;

  /** True once a user exists. From then on, everyone must authenticate. */
  let hadUsers = false;

  async function identify(c: Context<HttpEnv>): Promise<Principal | null> {
    const token = bearerToken(c);
    if (token !== undefined) {
      const row = await findToken(c, token);
      return row && toPrincipal('token', row);
    }
    // A cookie that others could have read does not prove the user's identity.
    const cookie = transport.isSafe(c) ? getCookie(c, cookieFor(c).name) : undefined;
    const session = cookie ? await resumeSession(store.connection, hashToken(cookie)) : null;
    if (session !== null) {
      const { id, owner, provedAt } = session;
      const isProven = isRecentProof(provedAt, clock.now()) || (isHome() && isLocal(c));
      const browser = fingerprintBrowser(c);
      return 'person' in owner
        ? { ...personPrincipal(owner.person, id), isProven, browser }
        : { ...toPrincipal('session', owner.token, id), isProven, browser };
    }
    return isAtHome(c) && (await isWithoutUsers()) ? LOCAL_VISITOR : null;
  }

  /**
   * True if the caller seems to be on this machine. A local proxy that sends no headers makes every caller look local.
   * Therefore, only the demo trusts this, because its data has no value.
   */
  function isAtHome(c: Context<HttpEnv>): boolean {
    return withoutToken === 'thisMachine' && isHome() && isLocal(c);
  }

  /**
   * True if the browser has followed the one-time link. The link's secret needs a private connection, like a password.
   */
  function hasFollowedLink(c: Context<HttpEnv>): boolean {
    if (visit === null || !takesLink(c)) return false;
    return visit.isSession(getCookie(c, firstVisitCookie(c).name) ?? '');
  }

  async function findVisit(c: Context<HttpEnv>): Promise<Visit | null> {
    if (!hasFollowedLink(c) || !(await isLinkNeeded())) return null;
    return visit?.kind ?? null;
  }

  async function isLinkNeeded(): Promise<boolean> {
    return visit?.kind === 'recovery' || !(await hasOwner(store.reader));
  }

  function firstVisitCookie(c: Context<HttpEnv>) {
    // On their own machine, some browsers refuse a secure cookie over plain HTTP.
    const secure = cookieFor(c).secure && !isLoopbackName(getHostname(c));
    return { name: cookieNameOf('donor_sync_first_visit', secure), secure };
  }

  /**
   * True if the one-time link may be used. Behind a proxy with donor-sync's own name, the user may have used plain
   * HTTP.
   */
  function takesLink(c: Context<HttpEnv>): boolean {
    return transport.isSafe(c) && !(isLoopbackName(getHostname(c)) && showsProxy(c));
  }

  async function isWithoutUsers(): Promise<boolean> {
    return (
      (await listAccessTokens(store.reader)).length === 0 && !(await hasJoinedPerson(store.reader))
    );
  }

  function personPrincipal(person: PersonRecord, sessionId: string): Principal {
    const { id: personId, role } = person;
    const { name } = readIdentity(sealer, person);
    const integrations = toIntegrationSet(person);
    const own = { isProven: false, browser: null };
    return {
      kind: 'session',
      role,
      name,
      integrations,
      personId,
      tokenId: null,
      sessionId,
      ...own,
    };
  }

  async function findToken(c: Context<HttpEnv>, token: string): Promise<AccessTokenRecord | null> {
    const hash = hashToken(token);
    // Comparing the hash with all tokens keeps the response time constant.
    const [row] = (await listAccessTokens(store.reader)).filter((one) =>
      isSameText(one.hash, hash),
    );
    if (row === undefined) {
      // A door token has no role, so it is not valid here.
      if ((await findDoorToken(store.reader, hash)) !== undefined) throw onlyForDoor();
      noteWrong(c);
      return null;
    }
    await recordTokenUse(store.connection, row);
    return row;
  }

  /** Counts a wrong token. Correct tokens never count, so they work even during an attack. */
  function noteWrong(c: Context<HttpEnv>): void {
    const address = getAddress(c);
    attempts.requireAllowed(address);
    attempts.noteFailure(address);
  }

  /** Checks that the request comes from one of donor-sync's pages. No page can make a browser send a token header. */
  function requireOurPages(c: Context<HttpEnv>, { kind }: Principal): void {
    if (kind === 'token') return;
    const hasCookie = kind === 'session' || withoutToken !== 'thisMachine';
    requireSameOrigin(c, address.url(), hasCookie ? 'refused' : 'allowed');
  }

  /** Returns the same fingerprint for the same browser in the same network, whatever host name it uses. */
  function fingerprintBrowser(c: Context<HttpEnv>): string {
    const text = JSON.stringify([c.req.header('user-agent') ?? '', getAddress(c)]);
    return store.fingerprint('browser', text);
  }

  function getActor(c: Context<HttpEnv>, { kind, name }: Principal): Actor {
    return { kind, name, from: getAddress(c) };
  }

  /** Admits this caller to the handler, or throws an HttpError. */
  function admit(c: Context<HttpEnv>, principal: Principal | null, role: Role): void {
    if (principal === null) throw unauthenticated();
    requireRole(principal, role);
    requireOurPages(c, principal);
    c.set('principal', principal);
    c.set('actor', getActor(c, principal));
  }

  /** Ends a session. Removes the names that the user has seen from memory. */
  async function endSessionOf(cookie: string): Promise<void> {
    const owner = await endSession(store.connection, hashToken(cookie));
    if (owner !== null) dropNamesOfUser(store.fingerprint, toAccount(owner));
  }

  /** Creates a new secret for each session. The browser's previous session ends. */
  async function beginSession(
    c: Context<HttpEnv>,
    owner: SessionOwner,
    name: string,
    by?: SessionDetails,
  ) {
    const cookie = cookieFor(c);
    const before = getCookie(c, cookie.name);
    if (before !== undefined) await endSessionOf(before);
    const secret = newSecret();
    const acting = store.actingAs({ kind: 'session', name, from: getAddress(c) });
    const browser = describeBrowser(c);
    const id = newId(clock.now());
    await acting.act((trx) => addSession(trx, { hash: hashToken(secret), id, browser }, owner, by));
    setCookie(c, cookie.name, secret, {
      httpOnly: true,
      sameSite: 'Lax',
      secure: cookie.secure,
      path: '/',
      maxAge: SESSION_MS / 1_000,
    });
    return id;
  }

  return {
    identify,
    getActor,
    fingerprintBrowser,
    requireRole(role) {
      return async (c, next) => {
        admit(c, await identify(c), role);
        await next();
      };
    },
    requirePage(role) {
      return async (c, next) => {
        const principal = await identify(c);
        if (principal === null && ['GET', 'HEAD'].includes(c.req.method)) {
          if ((await findVisit(c)) !== null) return c.redirect(FIRST_VISIT_PATH, 303);
          const { pathname, search } = new URL(c.req.url);
          const to = pathname + search;
          return c.redirect(to === '/' ? '/sign-in' : `/sign-in?to=${encodeURIComponent(to)}`, 303);
        }
        admit(c, principal, role);
        return next();
      };
    },
    requireViewerUnlessLocal() {
      return async (c, next) => {
        const isSilent = c.req.header('authorization') === undefined;
        if (!(isHome() && isLocal(c) && isSilent)) admit(c, await identify(c), 'viewer');
        await next();
      };
    },
    async signIn(c, token) {
      requireSameOrigin(c, address.url(), 'allowed');
      const row = await findToken(c, token);
      if (row === null) return null;
      return toPrincipal('session', row, await beginSession(c, { tokenId: row.id }, row.name));
    },
    async requireUsersBeyondHere(c, next) {
      if (!isLocal(c) && !hasFollowedLink(c)) {
        hadUsers ||= !(await isWithoutUsers());
        if (!hadUsers) throw unauthenticated();
      }
      await next();
    },
    async requireSafeTransport(c, next) {
      transport.requireSafe(c);
      await next();
    },
    async signInAs(c, person, by) {
      const { name } = readIdentity(sealer, person);
      await beginSession(c, { personId: person.id }, name, by);
    },
    noteWrong,
    hasPeople: () => hasJoinedPerson(store.reader),
    async beginFirstVisit(c, secret) {
      requireSameOrigin(c, address.url(), 'allowed');
      const isOpen = visit !== null && takesLink(c) && (await isLinkNeeded());
      const cookie = isOpen ? visit.begin(secret) : null;
      if (cookie === null) {
        noteWrong(c);
        throw firstVisitRefused();
      }
      const first = store.actingAs({ kind: 'local', name: null, from: getAddress(c) });
      await noteEntries(first.act, [{ action: 'session.begun' }]);
      const { name, secure } = firstVisitCookie(c);
      setCookie(c, name, cookie, {
        httpOnly: true,
        sameSite: 'Lax',
        secure,
        path: '/',
        maxAge: SESSION_MS / 1_000,
      });
    },
    findVisit,
    async requireVisit(c) {
      requireSameOrigin(c, address.url(), 'refused');
      const kind = await findVisit(c);
      if (kind === null) throw firstVisitRefused();
      return kind;
    },
    endVisit: () => visit?.end() ?? (() => {}),
    async signOut(c) {
      requireSameOrigin(c, address.url(), 'refused');
      const { name, secure } = cookieFor(c);
      const cookie = getCookie(c, name);
      if (cookie !== undefined) await endSessionOf(cookie);
      deleteCookie(c, name, { path: '/', secure });
    },
  };
}

/** The path at which the first visit continues. */
const FIRST_VISIT_PATH = '/first-visit';

/**
 * The visitor on this machine. Only the demo admits a visitor on this machine, as long as no token and no user exists.
 */
const LOCAL_VISITOR: Principal = {
  kind: 'local',
  role: 'owner',
  name: null,
  integrations: null,
  personId: null,
  tokenId: null,
  sessionId: null,
  isProven: true,
  browser: null,
};

function toPrincipal(
  kind: 'token' | 'session',
  token: AccessTokenRecord,
  sessionId: string | null = null,
): Principal {
  const { id: tokenId, role, name } = token;
  const integrations = toIntegrationSet(token);
  const own = { isProven: false, browser: null };
  return { kind, role, name, integrations, personId: null, tokenId, sessionId, ...own };
}

function toIntegrationSet({
  integrations,
}: Pick<AccessTokenRecord, 'integrations'>): Principal['integrations'] {
  return integrations === null ? null : new Set(integrations);
}

/** Returns the token in the header `Authorization: Bearer …`, or undefined if there is no such header. */
function bearerToken(c: Context<HttpEnv>): string | undefined {
  const header = c.req.header('authorization');
  return header === undefined ? undefined : (/^Bearer +(\S+)$/i.exec(header.trim())?.[1] ?? '');
}

function unauthenticated(): HttpError {
  return new HttpError(
    401,
    'unauthenticated',
    'A valid access token is needed: "Authorization: Bearer dst_…". To create one: `donor-sync tokens create`',
    { headers: { 'WWW-Authenticate': 'Bearer realm="donor-sync"' } },
  );
}

function onlyForDoor(): HttpError {
  return new HttpError(
    403,
    'token_only_for_door',
    "This token is for the pages of a client's CRM. With it, a program can only read the status of individual contacts and request their enhancement. Nothing was done. For the API, create an access token: `donor-sync tokens create`",
  );
}

function firstVisitRefused(): HttpError {
  return new HttpError(
    403,
    'first_visit_refused',
    'This link is not valid. A link works once, within 15 minutes, and only while no owner can sign in. Start `donor-sync serve` again for a new link, or invite yourself: `donor-sync users invite --name NAME --email ADDRESS --role owner`.',
  );
}
