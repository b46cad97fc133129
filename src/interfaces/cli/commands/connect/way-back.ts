import type { Clock } from '../../../../core/clock.ts';
import { ConfigurationError, messageOf } from '../../../../core/errors.ts';
import type { Log } from '../../../../core/log.ts';
import { outboundFetch } from '../../../../outbound/guard.ts';
import { createOAuthApp, type OAuthDeps, ticketAddress, wayBackUrl } from '../../../api/oauth.ts';
import { isLoopbackName } from '../../../api/request/peer.ts';
import { startHttpServer } from '../../../api/server.ts';
import { isPortTaken, listenFailed } from '../../action/command.ts';

/** A server of the addresses of connecting, until the person is back. */
export interface WayBack {
  /** The address for the person to open. */
  address: string;
  close(): Promise<void>;
}

export interface WayBackOptions {
  kind: string;
  /** The state of the started consent. */
  state: string;
  publicUrl: string;
  /** The port of this machine for the callback, instead of the public address. */
  port: number | undefined;
}

type WayBackDeps = Pick<OAuthDeps, 'application' | 'stopping'> & { clock: Clock; log: Log };

/**
 * The running service, if there is one with the same database; else this process listens at the
 * public address itself, as long as that is one of this machine. Throws a ConfigurationError if
 * no process could take the person back.
 */
export async function openWayBack(deps: WayBackDeps, options: WayBackOptions): Promise<WayBack> {
  const { kind, state, port } = options;
  if (port !== undefined) {
    return listen(deps, options, await wayBackUrl(`http://127.0.0.1:${port}`, kind));
  }
  const publicUrl = await wayBackUrl(options.publicUrl, kind);
  const address = ticketAddress(publicUrl, kind, state);
  if (await isServed(address)) return { address, close: async () => {} };
  if (!isOurs(publicUrl)) throw unserved(publicUrl);
  return listen(deps, options, publicUrl);
}

const PROBE_TIMEOUT_MS = 5_000;

/** Only a service that looks into the same database knows the way to the CRM. */
async function isServed(address: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
    const reply = await outboundFetch('anywhere')(address, { signal });
    await reply.body?.cancel();
    return reply.status === 302;
  } catch {
    return false;
  }
}

/** True for a plain address of this machine, at which anybody may listen. */
function isOurs(publicUrl: string): boolean {
  const { protocol, hostname, pathname } = new URL(publicUrl);
  return protocol === 'http:' && isLoopbackName(hostname) && pathname === '/';
}

async function listen(
  deps: WayBackDeps,
  { kind, state }: WayBackOptions,
  publicUrl: string,
): Promise<WayBack> {
  const { hostname, port } = new URL(publicUrl);
  const app = createOAuthApp({ ...deps, publicUrl });
  try {
    const { close } = await startHttpServer({
      app,
      // By its number: a name may lead to another kind of address than the browser takes.
      host: hostname === 'localhost' ? '127.0.0.1' : hostname.replace(/^\[|\]$/g, ''),
      port: Number(port || HTTP_PORT),
    });
    return { address: ticketAddress(publicUrl, kind, state), close };
  } catch (cause) {
    throw unheard(publicUrl, cause);
  }
}

const HTTP_PORT = 80;

function unserved(publicUrl: string): ConfigurationError {
  return new ConfigurationError(
    `The CRM would send people back to ${publicUrl}, and no service with this database answers there. Start it first (donor-sync serve), or come back to a port of this machine with --port N.`,
    { code: 'service_unreachable', details: { publicUrl } },
  );
}

function unheard(publicUrl: string, cause: unknown): ConfigurationError {
  const why = isPortTaken(cause)
    ? 'it is in use by something that does not know this integration. If it is donor-sync, start it again; else come back to another port with --port N.'
    : messageOf(cause);
  return listenFailed(publicUrl, why, { cause, details: { publicUrl } });
}
