/** The dependencies of the HTTP service, and the variables that its requests carry. */
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
  /** Loads settings that were just stored. By default, only the integrations are reloaded. */
  takeUp?: () => Promise<void>;
  /** Omitted if this process watches none. Omitted if it watches none. */
  alerts?: Pick<Alerts, 'tick'>;
  /** Without it, callers wait for each check. If omitted, callers wait for each check. */
  auditChecker?: AuditChecker;
  /** Defaults to a separate one. */
  clients?: ClientReader;
  /** Admitted while there is no user and no access token. Defaults to none. */
  withoutToken?: WithoutToken;
  /** `server.trustedProxies` in the settings. Defaults to none. */
  trustedProxies?: readonly string[];
  /** `server.pagesFrom` in the settings. Defaults to null, which allows everyone. */
  pagesFrom?: readonly string[] | null;
  /** `server.plainHttp` in the settings. By default, plain http is refused. */
  plainHttp?: PlainHttp;
  /** `server.signIn.passwords` of the settings. Defaults to true. */
  passwords?: boolean;
  /** `server.signIn.oidc` in the settings. Defaults to none. */
  provider?: ProviderSettings | null;
  /** Called after a confirmation of work outside the database. */
  carryOn?: () => void;
  lastTickAt(): number | null;
  /** Aborted when the service is stopping. Requests to other services are aborted then. */
  stopping: AbortSignal;
  /** The folder of the built guide. Defaults to the folder next to the program. */
  guideFolder?: string;
  /** The version of the program. */
  version: string;
}

/** The dependencies of the whole HTTP service. */
export interface ServiceDeps extends Omit<HttpDeps, 'address'>, GivenAddress {}

/** The variables that a request carries to its handler. */
export interface HttpEnv {
  /** Omitted without a server, as in some tests. */
  Bindings: Partial<HttpBindings>;
  Variables: {
    /** The ID of the request in log lines and responses. */
    requestId: string;
    /** Set if a role is required. */
    principal: Principal;
    /** The audit's actor for this caller, with the caller's address. */
    actor: Actor;
  };
}

export interface Principal {
  /** `local` is the demo's visitor before any user or token exists. */
  kind: 'token' | 'session' | 'local';
  role: Role;
  /** Null means all. Use `request/client-access.ts` instead of reading this. */
  integrations: ReadonlySet<string> | null;
  /** The token's or user's name. Null for `local`. */
  name: string | null;
  /** The user. Null for tokens, for browsers that signed in with a token, and for `local`. */
  personId: string | null;
  /** The access token. Browsers that signed in with a token have it too. Null for users and for `local`. */
  tokenId: string | null;
  /** The browser's session, or null if there is none. */
  sessionId: string | null;
  /** True within ten minutes after a sign-in or proof, and on this machine. */
  isProven: boolean;
  /** The fingerprint of the user's browser and its network address. Null for tokens. */
  browser: string | null;
}

/** The maximum time to wait for a CRM while a user waits. Shorter than our own response limit. */
const CRM_PATIENCE_MS = 20_000;

/** Aborted when the service stops or the user has waited long enough. */
export function patience({ stopping }: Pick<HttpDeps, 'stopping'>): AbortSignal {
  return AbortSignal.any([stopping, AbortSignal.timeout(CRM_PATIENCE_MS)]);
}

/** For requests to a CRM during one HTTP request. Aborted when the service stops or the user has waited long enough. */
export function liveDeps(
  { application, stopping }: Pick<HttpDeps, 'application' | 'stopping'>,
  actor: Actor,
): LiveDeps {
  return {
    application: { ...application, store: application.store.actingAs(actor) },
    signal: patience({ stopping }),
  };
}
