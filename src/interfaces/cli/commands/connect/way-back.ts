import type { Clock } from '../../../../core/clock.ts';
import { ConfigurationError, messageOf } from '../../../../core/errors.ts';
import type { Log } from '../../../../core/log.ts';
import { outboundFetch } from '../../../../outbound/guard.ts';
import { createOAuthApp, type OAuthDeps, ticketAddress, wayBackUrl } from '../../../api/oauth.ts';
import { fixedAddress } from '../../../api/request/address-book.ts';
import { isLoopbackName } from '../../../api/request/peer.ts';
import { startHttpServer } from '../../../api/server.ts';
import { isPortTaken, listenFailed } from '../../action/command.ts';

export interface WayBack {
  /** The address that the user has to open. */
  address: string;
  close(): Promise<void>;
}

export interface WayBackOptions {
  kind: string;
  /** The state of the consent in progress. */
  state: string;
  publicUrl: string;
  /** The port on which to listen in place of the public address. */
  port: number | undefined;
}

type WayBackDeps = Pick<OAuthDeps, 'application' | 'stopping'> & { clock: Clock; log: Log };

/**
 * Opens a way for the user to return from the CRM. Uses a running service with the same database. If no service is
 * running, listens at the public address if the address is on this machine. Throws a ConfigurationError if no process
 * could receive the user.
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

/**
 * True if a service with the same database is running. Only a service with the same database can complete the consent.
 */
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

/** True if the address is plain HTTP on this machine, where any user can listen. */
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
  const app = createOAuthApp({ ...deps, address: fixedAddress(publicUrl) });
  try {
    const { close } = await startHttpServer({
      app,
      // The name may resolve to a different IP version than in the browser.
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
    `The CRM would send users back to ${publicUrl}, but no service with this database responds there. Start it first (donor-sync serve), or return to a port of this machine with --port N.`,
    { code: 'service_unreachable', details: { publicUrl } },
  );
}

function unheard(publicUrl: string, cause: unknown): ConfigurationError {
  const why = isPortTaken(cause)
    ? 'it is in use by a program that does not know this client. If it is donor-sync, restart it. Otherwise, choose a different port with --port N.'
    : messageOf(cause);
  return listenFailed(publicUrl, why, { cause, details: { publicUrl } });
}
