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
  /** The addresses under which users reach the service. */
  address: AddressBook;
  /** Loads settings that were just stored. By default, only the integrations are reloaded. */
  takeUp?: () => Promise<void>;
  /** The alerts that this process watches. Omitted if it watches none. */
  alerts?: Pick<Alerts, 'tick'>;
  /** Checks the audit in the background. If left out, callers wait for each check. */
  auditChecker?: AuditChecker;
  /** The reader of clients for all pages. Defaults to a separate one. */
  clients?: ClientReader;
  /** The caller who is admitted while there is neither a user nor an access token. Defaults to none. */
  withoutToken?: WithoutToken;
  /** `server.trustedProxies` in the settings. Defaults to none. */
  trustedProxies?: readonly string[];
  /** `server.pagesFrom` in the settings. Defaults to null, which allows everyone. */
  pagesFrom?: readonly string[] | null;
  /** `server.plainHttp` in the settings. By default, it is refused. */
  plainHttp?: PlainHttp;
  /** `server.signIn.passwords` of the settings. Defaults to true. */
  passwords?: boolean;
  /** `server.signIn.oidc` in the settings. Defaults to none. */
  provider?: ProviderSettings | null;
  /** Called when an action was confirmed that is carried out outside the database. */
  carryOn?: () => void;
  /** Returns when the schedules were last checked (epoch ms), or null if they never were. */
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
  /** Missing if the app is called without a server, as in some tests. */
  Bindings: Partial<HttpBindings>;
  Variables: {
    /** The ID of the request in log lines and responses. */
    requestId: string;
    /** The caller. Set if a role is required. */
    principal: Principal;
    /** The same for the audit, with the address of the caller. */
    actor: Actor;
  };
}

/** The caller of a request. */
export interface Principal {
  /**
   * The kind of caller. `local`: the visitor on this machine, in the demo, while there is neither a user nor an access
   * token.
   */
  kind: 'token' | 'session' | 'local';
  role: Role;
  /**
   * The IDs of the integrations that the caller may access, or null for all. Use `request/client-access.ts`, and do not
   * read this directly.
   */
  integrations: ReadonlySet<string> | null;
  /** The name that the owner gave the token, or the user's name. Null for `local`. */
  name: string | null;
  /** The user. Null for tokens, for browsers that signed in with a token, and for `local`. */
  personId: string | null;
  /** The access token, even of a browser that signed in with one. Null for users and for `local`. */
  tokenId: string | null;
  /** The browser's session, or null if there is none. */
  sessionId: string | null;
  /** True if the user signed in or proved their identity within ten minutes, or uses this machine. */
  isProven: boolean;
  /** The fingerprint of the user's browser and its network address. Null for tokens. */
  browser: string | null;
}

/** How long a CRM may take while a user waits. It is less than the limit for our own response. */
const CRM_PATIENCE_MS = 20_000;

/** Returns a signal that is aborted when the service stops, or when the user has waited long enough. */
export function patience({ stopping }: Pick<HttpDeps, 'stopping'>): AbortSignal {
  return AbortSignal.any([stopping, AbortSignal.timeout(CRM_PATIENCE_MS)]);
}

/**
 * Returns the dependencies for requests to a CRM during one HTTP request. They are aborted when the service stops or
 * when the user has waited long enough.
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
