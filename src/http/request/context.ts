/** What the HTTP of the service is made of, and what its requests carry along. */
import type { HttpBindings } from '@hono/node-server';
import type { Runner } from '../../application/runner.ts';
import type { Application } from '../../application.ts';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { WithoutToken } from './first-visit.ts';
import type { Principal } from './principal.ts';

/** What the HTTP of the service needs of the world. */
export interface HttpDeps {
  application: Pick<
    Application,
    'store' | 'integrations' | 'allowInsecureHttp' | 'sealer' | 'findRunning' | 'open'
  >;
  runner: Pick<Runner, 'request' | 'call' | 'onRunEnded'>;
  clock: Clock;
  log: Log;
  /** How the world reaches the service, `server.publicUrl` of the settings. */
  publicUrl: string;
  /** Who is let in while there is no access token; no caller by default. */
  withoutToken?: WithoutToken;
  /** `server.trustedProxies` of the settings; none by default. */
  trustedProxies?: readonly string[];
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
  };
}
