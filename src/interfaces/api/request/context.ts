/** What the HTTP of the service is made of, and what its requests carry along. */
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
import type { WithoutToken } from './secret.ts';

/** What the HTTP of the service needs of the world. */
export interface HttpDeps {
  application: OperationApplication;
  runner: Pick<Runner, 'request' | 'call' | 'onRunEnded'>;
  clock: Clock;
  log: Log;
  /** How the world reaches the service, `server.publicUrl` of the settings. */
  publicUrl: string;
  /** Takes up settings that were stored just now; by default the integrations alone are known then. */
  takeUp?: () => Promise<void>;
  /** The alerts that this process watches; left out if it watches none. */
  alerts?: Pick<Alerts, 'tick'>;
  /** What reads clients for all pages; one of its own by default. */
  clients?: ClientReader;
  /** Who is let in while there is no person and no access token; no caller by default. */
  withoutToken?: WithoutToken;
  /** `server.trustedProxies` of the settings; none by default. */
  trustedProxies?: readonly string[];
  /** `server.plainHttp` of the settings; refused by default. */
  plainHttp?: PlainHttp;
  /** `server.signIn.passwords` of the settings; true by default. */
  passwords?: boolean;
  /** `server.signIn.oidc` of the settings; none by default. */
  provider?: ProviderSettings | null;
  /** Called when something was confirmed that is carried out outside of the database. */
  carryOn?: () => void;
  /** When the schedules were looked at last (epoch ms); null before the first time. */
  lastTickAt(): number | null;
  /** Aborted when the service is asked to end: what it asks of others is given up then. */
  stopping: AbortSignal;
  /** The version of the program. */
  version: string;
}

/** What a request carries along on its way to the handler. */
export interface HttpEnv {
  /** Missing where the app is called without a server, as some tests do. */
  Bindings: Partial<HttpBindings>;
  Variables: {
    /** By which log lines and answers speak of the request. */
    requestId: string;
    /** Who asks; set where a role is required. */
    principal: Principal;
    /** The same for the audit, with the address of the caller. */
    actor: Actor;
  };
}

/** Who asks. */
export interface Principal {
  /** `local`: the first visitor on this machine, while there is no person and no access token. */
  kind: 'token' | 'session' | 'local';
  role: Role;
  /** The ids of the integrations within reach; null for all. Ask `request/client-access.ts` instead of this. */
  integrations: ReadonlySet<string> | null;
  /** What the owner calls the token, or the name of the person; null for `local`. */
  name: string | null;
  /** The person; null for tokens, for browsers that signed in with one, and for `local`. */
  personId: string | null;
  /** The access token, also of a browser that signed in with one; null for people and for `local`. */
  tokenId: string | null;
  /** The session of the browser; null without one. */
  sessionId: string | null;
}

/** How long a CRM may take while a person waits; less than an answer of ours may take. */
const CRM_PATIENCE_MS = 20_000;

/** Aborted when the service ends or the person has waited enough. */
export function patience({ stopping }: Pick<HttpDeps, 'stopping'>): AbortSignal {
  return AbortSignal.any([stopping, AbortSignal.timeout(CRM_PATIENCE_MS)]);
}

/** What asks a CRM within a request: given up when the service ends or the person has waited enough. */
export function liveDeps(
  { application, stopping }: Pick<HttpDeps, 'application' | 'stopping'>,
  actor: Actor,
): LiveDeps {
  return {
    application: { ...application, store: application.store.actingAs(actor) },
    signal: patience({ stopping }),
  };
}
