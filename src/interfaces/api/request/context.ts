/** The dependencies of the HTTP service, and the variables of each request. */
import type { HttpBindings } from '@hono/node-server';
import type { Alerts } from '../../../clients/alerts/alerts.ts';
import type { LiveDeps } from '../../../clients/live-crm.ts';
import type { ClientReader } from '../../../clients/views/clients.ts';
import type { Actor } from '../../../core/actor.ts';
import type { Clock } from '../../../core/clock.ts';
import type { Log } from '../../../core/log.ts';
import type { Role } from '../../../core/role.ts';
import type { PlainHttp, ProviderSettings } from '../../../core/sign-in-settings.ts';
import type { Runner } from '../../../jobs/runner.ts';
import type { OperationApplication } from '../../../operations/kit/operation.ts';
import type { GivenAddress } from '../../../people/server-address.ts';
import type { AuditChecker } from '../../../privacy/audit/checker.ts';
import type { AddressBook } from './address-book.ts';
import type { WithoutToken } from './secret.ts';

/** The dependencies of the HTTP service. */
export interface HttpDeps {
  application: OperationApplication;
  runner: Pick<Runner, 'request' | 'call' | 'onRunEnded'>;
  clock: Clock;
  log: Log;
  address: AddressBook;
  /** Loads settings that were just stored. By default, only the integrations are loaded again. */
  takeUp?: () => Promise<void>;
  /** The alerts that this process watches. Omitted if the process watches no alerts. */
  alerts?: Pick<Alerts, 'tick'>;
  /** Checks the audit in the background. If omitted, callers wait for each check. */
  auditChecker?: AuditChecker;
  /** Reads the clients. Defaults to a separate reader. */
  clients?: ClientReader;
  /** The callers that are admitted while there is no user and no access token. Defaults to none. */
  withoutToken?: WithoutToken;
  /** `server.trustedProxies` in the settings. Defaults to none. */
  trustedProxies?: readonly string[];
  /** `server.pagesFrom` in the settings. Defaults to null, which allows everyone. */
  pagesFrom?: readonly string[] | null;
  /** `server.plainHttp` in the settings. By default, plain HTTP is refused. */
  plainHttp?: PlainHttp;
  /** `server.signIn.passwords` in the settings. Defaults to true. */
  passwords?: boolean;
  /** `server.signIn.oidc` in the settings. Defaults to none. */
  provider?: ProviderSettings | null;
  /** Called after a user has confirmed work outside the database. */
  carryOn?: () => void;
  lastTickAt(): number | null;
  /** Aborted when the service is stopping. Requests to other services are then aborted too. */
  stopping: AbortSignal;
  /** The folder of the built guide. Defaults to the folder next to donor-sync. */
  guideFolder?: string;
  /** The version of donor-sync. */
  version: string;
}

/** The dependencies of the whole HTTP service. */
export interface ServiceDeps extends Omit<HttpDeps, 'address'>, GivenAddress {}

/** The variables that a request carries to its handler. */
export interface HttpEnv {
  /** The connection of the request. Omitted without a server, as in some tests. */
  Bindings: Partial<HttpBindings>;
  Variables: {
    /** The request's ID, which log lines and the response contain. */
    requestId: string;
    /** The caller. Set if the route requires a role. */
    principal: Principal;
    /** The caller as the audit records it, with the caller's address. */
    actor: Actor;
  };
}

export interface Principal {
  /** How the caller authenticated. `local` is the visitor of the demo, before any user or token exists. */
  kind: 'token' | 'session' | 'local';
  role: Role;
  /**
   * The caller's integrations, or null for all integrations. Use `request/client-access.ts` instead of this property.
   */
  integrations: ReadonlySet<string> | null;
  /** The name of the token or user. Null for `local`. */
  name: string | null;
  /** The user's ID. Null for tokens, for browsers that signed in with a token, and for `local`. */
  personId: string | null;
  /**
   * The access token's ID. The ID is also set for browsers that signed in with a token. Null for users and for `local`.
   */
  tokenId: string | null;
  /** The ID of the browser's session, or null if there is none. */
  sessionId: string | null;
  /** True within ten minutes after a sign-in or another proof of identity. Always true on this machine. */
  isProven: boolean;
  /** The fingerprint of the user's browser and its network address. Null for tokens. */
  browser: string | null;
}

/**
 * The maximum time to wait for a CRM while a user waits. This limit is shorter than the time limit for donor-sync's own
 * response.
 */
const CRM_PATIENCE_MS = 20_000;

/** Returns a signal that is aborted when the service stops or the user has waited long enough. */
export function patience({ stopping }: Pick<HttpDeps, 'stopping'>): AbortSignal {
  return AbortSignal.any([stopping, AbortSignal.timeout(CRM_PATIENCE_MS)]);
}

/**
 * Returns the dependencies for CRM requests during one HTTP request. CRM requests are aborted when the service stops or
 * the user has waited long enough.
 */
export function liveDeps(
  { application, stopping }: Pick<HttpDeps, 'application' | 'stopping'>,
  actor: Actor,
): LiveDeps {
  return {
    application: { ...application, store: application.store.actingAs(actor) },
    signal: patience({ stopping }),
  };
}
