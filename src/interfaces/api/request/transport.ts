/** Decides whether others could read passwords and cookies on the way to the server. */
import type { Context } from 'hono';
import type { PlainHttp } from '../../../core/sign-in-settings.ts';
import type { AddressBook } from './address-book.ts';
import type { HttpEnv } from './context.ts';
import { HttpError } from './errors.ts';
import {
  getHost,
  getHostname,
  type IsTrustedProxy,
  isLoopbackName,
  socketAddress,
} from './peer.ts';

export interface Transport {
  /** True if users may send passwords, links and session cookies over this connection. */
  isSafe(c: Context<HttpEnv>): boolean;
  /** Throws an HttpError (403) if users may not send secrets over this connection. */
  requireSafe(c: Context<HttpEnv>): void;
}

export interface TransportOptions {
  address: Pick<AddressBook, 'isOurs' | 'urlAt'>;
  isTrusted: IsTrustedProxy;
  plainHttp: PlainHttp;
}

/**
 * Creates the check for private connections. Uses the requested host name, because in a container every connection
 * comes from the bridge. A request to a loopback name never leaves the user's machine. Behind an `https:` address or a
 * trusted proxy, the proxy has already decrypted the request. If the proxy reports plain HTTP, the request was not
 * private.
 */
export function createTransport({ address, isTrusted, plainHttp }: TransportOptions): Transport {
  function isSafe(c: Context<HttpEnv>): boolean {
    const hostname = getHostname(c);
    if (plainHttp === 'allow' || isLoopbackName(hostname)) return true;
    if (c.req.header('x-forwarded-proto')?.split(',').at(-1)?.trim() === 'http') return false;
    const isTls = address.isOurs(hostname) && address.urlAt(hostname).startsWith('https:');
    return isTls || isTrusted(socketAddress(c));
  }

  return {
    isSafe,
    requireSafe(c) {
      if (!isSafe(c)) throw plainHttpRefused(getHost(c));
    },
  };
}

function plainHttpRefused(host: string): HttpError {
  return new HttpError(
    403,
    'plain_http_refused',
    `Others on the network could read a password or an access token on its way to http://${host}, so nothing was read and no one was signed in. Put a TLS proxy in front of donor-sync and set server.publicUrl to its https address, or open the service at http://localhost on its machine. If you trust the network anyway, set server.plainHttp: allow.`,
    { details: { host } },
  );
}
