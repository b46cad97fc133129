/** Where a request comes from, and under which name it asked for us. */
import type { Context } from 'hono';
import type { HttpEnv } from './context.ts';

/** The names of this machine for itself. */
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** What proxies and content networks add to the requests that they pass on, beside `X-Forwarded-…`. */
const PROXY_HEADERS: ReadonlySet<string> = new Set([
  ...['forwarded', 'forwarded-for', 'via', 'x-real-ip', 'x-client-ip', 'x-cluster-client-ip'],
  ...['x-original-forwarded-for', 'x-original-host', 'x-envoy-external-address', 'x-proxyuser-ip'],
  ...['cf-connecting-ip', 'cf-connecting-ipv6', 'cf-ray', 'cf-visitor', 'true-client-ip'],
  ...['fastly-client-ip', 'x-azure-clientip', 'x-azure-socketip', 'x-arr-log-id', 'cdn-loop'],
]);

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

/**
 * True of a request that nothing shows to come from elsewhere: from an address and by a name of this
 * machine, and without a header of a proxy. A proxy on this machine that adds none looks the same, as
 * nginx does by default: so this alone lets no caller change anything.
 */
export function isLocal(c: Context<HttpEnv>): boolean {
  return (
    isLoopbackAddress(socketAddress(c)) &&
    isLoopbackName(hostnameOf(c)) &&
    !Object.keys(c.req.header()).some(isProxyHeader)
  );
}

function isProxyHeader(name: string): boolean {
  return name.startsWith('x-forwarded') || PROXY_HEADERS.has(name);
}

/** The address on our side of the connection, as it stands in a URL. */
export function ownAddressOf(c: Context<HttpEnv>): string {
  const address = withoutMapping(c.env?.incoming?.socket.localAddress ?? '');
  return address.includes(':') ? `[${address}]` : address;
}

/** The address on the other side of the connection. */
export function socketAddress(c: Context<HttpEnv>): string {
  return withoutMapping(c.env?.incoming?.socket.remoteAddress ?? '');
}

/** IPv4 over a socket of IPv6 reads `::ffff:127.0.0.1`. */
export function withoutMapping(address: string): string {
  return address.replace(/^::ffff:/, '');
}

function isLoopbackAddress(address: string): boolean {
  return address === '::1' || address.startsWith('127.');
}
