/** Where a request comes from, and under which name it asked for us. */
import type { Context } from 'hono';
import type { HttpEnv } from './context.ts';

/** The names of this machine for itself. */
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** What proxies add to the requests that they pass on. */
const PROXY_HEADERS = [
  ...['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'],
  ...['forwarded', 'x-real-ip', 'via'],
];

/** True for a host name (without port) that means this machine. */
export function isLoopbackName(hostname: string): boolean {
  return LOOPBACK.test(hostname);
}

/** The name in the `Host` header without its port, in small letters; empty if it makes no sense. */
export function hostnameOf(c: Context<HttpEnv>): string {
  return /^(\[[0-9a-f:.]+\]|[^:[\]\s/@]+)(:\d+)?$/i.exec(hostOf(c))?.[1]?.toLowerCase() ?? '';
}

/** The `Host` header as it came. */
export function hostOf(c: Context<HttpEnv>): string {
  return c.req.header('host') ?? '';
}

/** True if somebody on this machine asks directly, not through a proxy on it. */
export function isLocal(c: Context<HttpEnv>): boolean {
  return (
    isLoopbackAddress(socketAddress(c)) &&
    isLoopbackName(hostnameOf(c)) &&
    PROXY_HEADERS.every((name) => c.req.header(name) === undefined)
  );
}

/**
 * The address of the caller, for counting attempts. Only a proxy on this machine is believed about
 * the address it got the request from: the last one in its list, since callers can write the others.
 */
export function addressOf(c: Context<HttpEnv>): string {
  const address = socketAddress(c);
  if (!isLoopbackAddress(address)) return address;
  return c.req.header('x-forwarded-for')?.split(',').at(-1)?.trim() || address;
}

/** The address on our side of the connection, as it stands in a URL. */
export function ownAddressOf(c: Context<HttpEnv>): string {
  const address = withoutMapping(c.env?.incoming?.socket.localAddress ?? '');
  return address.includes(':') ? `[${address}]` : address;
}

function socketAddress(c: Context<HttpEnv>): string {
  return withoutMapping(c.env?.incoming?.socket.remoteAddress ?? '');
}

/** IPv4 over a socket of IPv6 reads `::ffff:127.0.0.1`. */
function withoutMapping(address: string): string {
  return address.replace(/^::ffff:/, '');
}

function isLoopbackAddress(address: string): boolean {
  return address === '::1' || address.startsWith('127.');
}
