import { BlockList, isIP, isIPv6 } from 'node:net';
import type { Context } from 'hono';
import { parseAddressRange } from '../../../core/host.ts';
import type { HttpEnv } from './context.ts';
import { HttpError } from './errors.ts';

/** This machine's own names. */
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Headers that proxies may add, in addition to the `X-Forwarded-…` headers. */
const PROXY_HEADERS: ReadonlySet<string> = new Set([
  ...['forwarded', 'forwarded-for', 'via', 'x-real-ip', 'x-client-ip', 'x-cluster-client-ip'],
  ...['x-original-forwarded-for', 'x-original-host', 'x-envoy-external-address', 'x-proxyuser-ip'],
  ...['cf-connecting-ip', 'cf-connecting-ipv6', 'cf-ray', 'cf-visitor', 'true-client-ip'],
  ...['fastly-client-ip', 'x-azure-clientip', 'x-azure-socketip', 'x-arr-log-id', 'cdn-loop'],
]);

/** True for a host name (without port) that refers to this machine. */
export function isLoopbackName(hostname: string): boolean {
  return LOOPBACK.test(hostname);
}

/** Returns the host name of the request, or an empty text if it is invalid. */
export function getHostname(c: Context<HttpEnv>): string {
  return /^(\[[0-9a-f:.]+\]|[^:[\]\s/@]+)(:\d+)?$/i.exec(getHost(c))?.[1]?.toLowerCase() ?? '';
}

/** Returns the `Host` header as received. */
export function getHost(c: Context<HttpEnv>): string {
  return c.req.header('host') ?? '';
}

/**
 * True if nothing points to another machine: the address and the host name are local, and there is no proxy header. A
 * local proxy that sends no headers, such as nginx by default, looks the same. Therefore, this check alone never allows
 * a change.
 */
export function isLocal(c: Context<HttpEnv>): boolean {
  return isLoopbackAddress(socketAddress(c)) && isLoopbackName(getHostname(c)) && !showsProxy(c);
}

export function showsProxy(c: Context<HttpEnv>): boolean {
  return Object.keys(c.req.header()).some(isProxyHeader);
}

function isProxyHeader(name: string): boolean {
  return name.startsWith('x-forwarded') || PROXY_HEADERS.has(name);
}

/** Returns this server's own IP address of the connection, in URL form. */
export function getOwnAddress(c: Context<HttpEnv>): string {
  const address = withoutMapping(c.env?.incoming?.socket.localAddress ?? '');
  return address.includes(':') ? `[${address}]` : address;
}

/** Returns the IP address of the other end of the connection. */
export function socketAddress(c: Context<HttpEnv>): string {
  return withoutMapping(c.env?.incoming?.socket.remoteAddress ?? '');
}

/** Removes the IPv4 prefix from an address on an IPv6 socket, such as `::ffff:127.0.0.1`. */
export function withoutMapping(address: string): string {
  return address.replace(/^::ffff:/, '');
}

function isLoopbackAddress(address: string): boolean {
  return address === '::1' || address.startsWith('127.');
}

/** Returns the caller's IP address in a shortened, normalised form. */
export type ClientAddress = (c: Context<HttpEnv>) => string;

export type IsTrustedProxy = (address: string) => boolean;

/** The maximum number of proxies in a chain. Further entries of the header are ignored. */
const MAX_HOPS = 10;
const MAX_HEADER_LENGTH = 1_000;

/** Reads `server.trustedProxies`. The settings have already been checked. */
export function trustedProxies(ranges: readonly string[]): IsTrustedProxy {
  return matchRanges(ranges);
}

/**
 * Returns a function that checks whether an address is in one of these ranges. The settings have already been checked.
 */
export function matchRanges(ranges: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const range of ranges.map(parseAddressRange)) {
    if (range !== null) list.addSubnet(range.address, range.prefix, range.family);
  }
  return (address) => {
    const version = isIP(address);
    return version !== 0 && list.check(address, version === 4 ? 'ipv4' : 'ipv6');
  };
}

/**
 * Returns the IP address of the other end of the connection. Behind trusted proxies, returns the last untrusted address
 * in `X-Forwarded-For`. Callers can forge this header, so all other entries are ignored.
 */
export function clientAddress(isTrusted: IsTrustedProxy): ClientAddress {
  return (c) => toNetworkPrefix(findCaller(c, isTrusted));
}

/** Returns the caller's complete IP address. */
export function findCaller(c: Context<HttpEnv>, isTrusted: IsTrustedProxy): string {
  let client = socketAddress(c);
  if (!isTrusted(client)) return client;
  const header = (c.req.header('x-forwarded-for') ?? '').slice(-MAX_HEADER_LENGTH);
  for (const hop of header.split(',').slice(-MAX_HOPS).reverse()) {
    const address = addressIn(hop);
    if (address === null) break;
    client = address;
    if (!isTrusted(address)) break;
  }
  return client;
}

/**
 * Returns an IPv4 address, or the first 64 bits of an IPv6 address. An internet connection can use any address with
 * this prefix.
 */
export function toNetworkPrefix(address: string): string {
  if (!isIPv6(address) || !URL.canParse(`http://[${address}]/`)) return address;
  // The URL class normalises the address. In the result, `::` replaces groups of zeros.
  const { hostname } = new URL(`http://[${address}]/`);
  const [head = '', tail] = hostname.slice(1, -1).split('::');
  const groups = head.split(':').filter((group) => group !== '');
  const rest = (tail ?? '').split(':').filter((group) => group !== '');
  const zeros = tail === undefined ? 0 : 8 - groups.length - rest.length;
  const all = [...groups, ...Array<string>(zeros).fill('0'), ...rest];
  return `${all.slice(0, 4).join(':')}::/64`;
}

/**
 * Returns the IP address in an entry. Some proxies add the port to the IP address, as in `203.0.113.7:4711` and
 * `[2001:db8::1]:4711`.
 */
function addressIn(hop: string): string | null {
  const text = hop.trim();
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? text.replace(/^([\d.]+):\d+$/, '$1');
  const address = bare.replace(/^::ffff:(?=[\d.]+$)/i, '');
  return isIP(address) === 0 ? null : address;
}

/** Methods that do not change anything. */
const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Throws an HttpError (403) for a change from another site's page. Browsers send cookies with such a request, but they
 * also send its origin. A request without an origin does not come from a browser, but for example from `curl`. If it
 * has a cookie, it is refused (`silence: 'refused'`).
 */
export function requireSameOrigin(
  c: Context<HttpEnv>,
  publicUrl: string,
  silence: 'allowed' | 'refused',
): void {
  if (SAFE_METHODS.includes(c.req.method)) return;
  const origin = c.req.header('origin');
  const site = c.req.header('sec-fetch-site');
  const isSilent = origin === undefined && site === undefined;
  const isOurs =
    (origin === undefined || [getHost(c), new URL(publicUrl).host].includes(hostIn(origin))) &&
    (site === undefined || site === 'same-origin' || site === 'none');
  if (isOurs && !(isSilent && silence === 'refused')) return;
  throw foreignOrigin();
}

/** Creates the error for a request from another site's page. */
export function foreignOrigin(): HttpError {
  return new HttpError(403, 'origin_foreign', 'This request came from a page of another site.');
}

/** Returns the host of an origin, or null for the origin `null`. */
function hostIn(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).host : '';
}

const BROWSERS = [
  ['Edge', /\bEdg\w*\//],
  ['Firefox', /\bFirefox\//],
  ['Chrome', /\b(Headless)?Chrome\//],
  ['Safari', /\bSafari\//],
] as const;

const SYSTEMS = [
  ['Android', /\bAndroid\b/],
  ['iOS', /\b(iPhone|iPad)\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['Linux', /\bLinux\b/],
] as const;

/**
 * Describes the browser and its operating system for the list of sessions. Returns null if the caller is not a browser.
 */
export function describeBrowser(c: Context<HttpEnv>): string | null {
  const agent = c.req.header('user-agent') ?? '';
  const browser = BROWSERS.find(([, pattern]) => pattern.test(agent))?.[0];
  if (browser === undefined) return null;
  const system = SYSTEMS.find(([, pattern]) => pattern.test(agent))?.[0];
  return system === undefined ? browser : `${browser} on ${system}`;
}
