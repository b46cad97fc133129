/**
 * Checks the final URL of every outgoing request. Addresses that users entered in a browser must be public, unless the
 * operator allows them. Uses the proxies in environment variables.
 */
import { lookup as systemLookup } from 'node:dns';
import { BlockList, isIP, isIPv6, type LookupFunction } from 'node:net';
import type { Dispatcher } from 'undici';
import { ConfigurationError, isConfigurationError } from '../core/errors.ts';
import type { SendRequest } from './exchange.ts';
import { createDispatcher, readProxies } from './proxy.ts';

/** Private addresses that are allowed. */
export interface NamedByOperator {
  /** The allowed origins, from the settings and environment variables. Other ports of the same host are not allowed. */
  origins: readonly string[];
  /**
   * The allowed hosts. Examples are `crm.example.org` (ports of HTTP and HTTPS), `crm.example.org:8443`, and
   * `127.0.0.1:*` (all ports).
   */
  hosts: readonly string[];
}

export type Reach =
  | 'anywhere'
  /** The rule for addresses that users entered in a browser. */
  | {
      named: NamedByOperator;
      /** Resolves a host name to IP addresses. By default, the operating system does this. */
      lookup?: LookupFunction | undefined;
    };

type Fetch = typeof globalThis.fetch;

/**
 * Returns a fetch function that can reach only the allowed addresses. The returned function does not follow redirects,
 * because a redirect would bypass the check.
 */
export function outboundFetch(reach: Reach): Fetch {
  return async (input, init) => {
    if (input instanceof Request) throw new TypeError('The guard takes a URL and its options.');
    const url = new URL(input);
    const request = { ...init, redirect: 'manual' } as const;
    if (reach === 'anywhere' || isNamed(url, reach.named)) {
      // undici needs more memory, so it is used only if there is a proxy.
      return readProxies() === null
        ? globalThis.fetch(url, request)
        : sendBy(await findProxied(), url, request);
    }
    const why = whyNotPublic(url);
    if (why !== null) throw refused(why, url.hostname);
    return sendPinned(url, request, reach.lookup ?? systemLookup);
  };
}

/**
 * Returns a send function that can reach only the allowed addresses. The returned function needs less memory than
 * `outboundFetch`, and its response has fewer properties.
 */
export function outboundSend(reach: Reach): SendRequest {
  const fetch = outboundFetch(reach);
  return async (address, options) => {
    const url = new URL(address);
    const isFree = reach === 'anywhere' || isNamed(url, reach.named);
    if (!isFree || readProxies() !== null) return fetch(url, options);
    const { sendDirectly } = await loadDirect();
    return sendDirectly(url, options);
  };
}

let direct: Promise<typeof import('./direct.ts')> | null = null;

/** Loads `direct.ts`. Commands that send no requests do not have to load HTTP and TLS. */
function loadDirect(): Promise<typeof import('./direct.ts')> {
  direct ??= import('./direct.ts');
  return direct;
}

/** True if the operator allows the address and its port. */
export function isNamed(
  { origin, hostname, host }: URL,
  { origins, hosts }: NamedByOperator,
): boolean {
  return origins.includes(origin) || hosts.includes(host) || hosts.includes(`${hostname}:*`);
}

export type NotPublic = 'password' | 'plain' | 'private';

/**
 * Returns the reason why a URL cannot be public, or null if it may be public. Checks only the text. The IP address is
 * checked when the connection is made.
 */
export function whyNotPublic({ hostname, username, password, protocol }: URL): NotPublic | null {
  if (username + password !== '') return 'password';
  if (protocol !== 'https:') return 'plain';
  const bare = hostname.replace(/^\[|\]$/g, '');
  const isPrivate = isIP(bare) === 0 ? PRIVATE_NAME.test(hostname) : isPrivateAddress(bare);
  return isPrivate ? 'private' : null;
}

/** True for a private IP address, and for an IP address that leads to a private one. */
export function isPrivateAddress(address: string): boolean {
  // A link-local address can contain the name of its network interface.
  const [bare = ''] = address.split('%');
  if (!isIPv6(bare)) return PRIVATE.check(bare, 'ipv4');
  if (NAT64.check(bare, 'ipv6')) return translatesToPrivate(bare);
  return !GIVEN_OUT.check(bare, 'ipv6') || PRIVATE.check(bare, 'ipv6');
}

/** The public IPv6 addresses. All IPv6 addresses outside this list are local, lead to IPv4 or are not assigned. */
const GIVEN_OUT = new BlockList();
GIVEN_OUT.addSubnet('2000::', 3, 'ipv6');

const PRIVATE = new BlockList();
for (const [address, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  // Reserved for benchmarks and for documentation.
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const) {
  PRIVATE.addSubnet(address, prefix, 'ipv4');
}
for (const [address, prefix] of [
  // Teredo and 6to4 addresses lead to an IPv4 address.
  ['2001::', 32],
  ['2002::', 16],
  // Reserved for benchmarks, identifiers and documentation.
  ['2001:2::', 48],
  ['2001:10::', 28],
  ['2001:20::', 28],
  ['2001:db8::', 32],
  ['3fff::', 20],
] as const) {
  PRIVATE.addSubnet(address, prefix, 'ipv6');
}

/**
 * The well-known prefix of NAT64. A network without IPv4 reaches IPv4 addresses through this prefix, so the IPv4
 * address in it decides.
 */
const NAT64 = new BlockList();
NAT64.addSubnet('64:ff9b::', 96, 'ipv6');

function translatesToPrivate(address: string): boolean {
  // The URL parser writes the IPv4 address as the last two groups.
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1).split(':');
  const [high = 0, low = 0] = groups.slice(-2).map((group) => Number.parseInt(group || '0', 16));
  const bytes = [high >> 8, high & 0xff, low >> 8, low & 0xff];
  return PRIVATE.check(bytes.join('.'), 'ipv4');
}

/** Names that always refer to this machine or network. */
const PRIVATE_NAME =
  /^(localhost|[^.]+|.*\.(localhost|local|internal|intranet|lan|home|corp|home\.arpa))\.?$/i;

/**
 * Sends a request to exactly the IP addresses that were checked, so that a later DNS change cannot redirect it. Refuses
 * a name with both private and public addresses. A proxy resolves names itself, so only the URL is checked, and
 * `doctor` reports this.
 */
async function sendPinned(
  url: URL,
  init: RequestInit,
  lookup: LookupFunction,
): Promise<Awaited<ReturnType<Fetch>>> {
  try {
    return await sendBy(await findPinned(lookup), url, init);
  } catch (error) {
    if (error instanceof Error && isConfigurationError(error.cause)) throw error.cause;
    throw error;
  }
}

async function sendBy(
  dispatcher: Dispatcher,
  url: URL,
  init: RequestInit,
): Promise<Awaited<ReturnType<Fetch>>> {
  const { fetch } = await import('undici');
  return fetch(url, { ...init, dispatcher });
}

/** The connections for each lookup function. */
const pinned = new WeakMap<LookupFunction, Promise<Dispatcher>>();

function findPinned(lookup: LookupFunction): Promise<Dispatcher> {
  const dispatcher = pinned.get(lookup) ?? createDispatcher(readProxies(), publicOnly(lookup));
  pinned.set(lookup, dispatcher);
  return dispatcher;
}

let proxied: Promise<Dispatcher> | null = null;

function findProxied(): Promise<Dispatcher> {
  proxied ??= createDispatcher(readProxies());
  return proxied;
}

/** Returns a lookup function that returns only public addresses or fails. */
function publicOnly(lookup: LookupFunction): LookupFunction {
  return (hostname, options, answer) => {
    lookup(hostname, options, (error, found, family) => {
      if (error !== null) return answer(error, found, family);
      const addresses = typeof found === 'string' ? [found] : found.map(({ address }) => address);
      if (!addresses.some(isPrivateAddress)) return answer(null, found, family);
      answer(refused('private', hostname), []);
    });
  };
}

const REASONS: Readonly<Record<NotPublic, string>> = {
  password: 'it has a password in it',
  plain: 'it is plain http, on which keys can be read on the way',
  private: 'it leads into a private network',
};

function refused(why: NotPublic, host: string): ConfigurationError {
  return new ConfigurationError(
    `No request was sent to ${host}: its address was set in a browser, and ${REASONS[why]}. If this is intended, the operator can name the host under allowInsecureHttp in donor-sync.yaml, or host and port in DONOR_SYNC_SETUP_HOSTS.`,
    { code: 'address_refused', details: { host, why } },
  );
}
