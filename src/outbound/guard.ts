/**
 * Guards all outgoing requests. It receives each request's final URL and decides whether it is allowed. An operator's
 * settings file can contain any host, even one in a private network. Addresses that are set in a browser may lead only
 * to public addresses and to addresses that the operator allows. All requests go through the proxies in the
 * environment.
 */
import { lookup as systemLookup } from 'node:dns';
import { BlockList, isIP, isIPv6, type LookupFunction } from 'node:net';
import type { Dispatcher } from 'undici';
import { ConfigurationError, isConfigurationError } from '../core/errors.ts';
import { createDispatcher, readProxies } from './proxy.ts';

/** The addresses in a private network that are allowed anyway. */
export interface NamedByOperator {
  /** Origins of addresses in the settings and the environment. No other port on their hosts is allowed. */
  origins: readonly string[];
  /**
   * Hosts, such as `crm.example.org` for the default ports of http and https, `crm.example.org:8443` for one port, and
   * `127.0.0.1:*` for all ports.
   */
  hosts: readonly string[];
}

/** The addresses that requests may reach. */
export type Reach =
  /** For addresses that an operator has written into a file. */
  | 'anywhere'
  /** For all other addresses. */
  | {
      named: NamedByOperator;
      /** Resolves a name to addresses. By default, the system does this. */
      lookup?: LookupFunction | undefined;
    };

type Fetch = typeof globalThis.fetch;

/**
 * Sends requests within this reach. It does not follow redirects, because that would bypass the check of the
 * final URL.
 */
export function outboundFetch(reach: Reach): Fetch {
  return async (input, init) => {
    if (input instanceof Request) throw new TypeError('The guard takes a URL and its options.');
    const url = new URL(input);
    const request = { ...init, redirect: 'manual' } as const;
    if (reach === 'anywhere' || isNamed(url, reach.named)) {
      // Node's own fetch, unless there is a proxy, because undici needs memory that most installations can
      // save.
      return readProxies() === null
        ? globalThis.fetch(url, request)
        : sendBy(await findProxied(), url, request);
    }
    const why = whyNotPublic(url);
    if (why !== null) throw refused(why, url.hostname);
    return sendPinned(url, request, reach.lookup ?? systemLookup);
  };
}

/** True if the operator allows this address with its port. */
export function isNamed(
  { origin, hostname, host }: URL,
  { origins, hosts }: NamedByOperator,
): boolean {
  return origins.includes(origin) || hosts.includes(host) || hosts.includes(`${hostname}:*`);
}

/** Why a URL cannot be set in a browser. */
export type NotPublic = 'password' | 'plain' | 'private';

/**
 * Returns why this is not the URL of a public address, as far as its text shows, or null if it may be one. The address
 * behind a name is checked when a request connects.
 */
export function whyNotPublic({ hostname, username, password, protocol }: URL): NotPublic | null {
  if (username + password !== '') return 'password';
  if (protocol !== 'https:') return 'plain';
  const bare = hostname.replace(/^\[|\]$/g, '');
  const isPrivate = isIP(bare) === 0 ? PRIVATE_NAME.test(hostname) : isPrivateAddress(bare);
  return isPrivate ? 'private' : null;
}

/** True if this IPv4 or IPv6 address is not on the public internet, or leads to an address that is not. */
export function isPrivateAddress(address: string): boolean {
  // A link-local address can contain its interface's name.
  const [bare = ''] = address.split('%');
  if (!isIPv6(bare)) return PRIVATE.check(bare, 'ipv4');
  if (NAT64.check(bare, 'ipv6')) return translatesToPrivate(bare);
  return !GIVEN_OUT.check(bare, 'ipv6') || PRIVATE.check(bare, 'ipv6');
}

/**
 * The public internet of IPv6. All other addresses are local, lead to an IPv4 address, or are not assigned
 * yet.
 */
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
  // For benchmarks, and for documentation.
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const) {
  PRIVATE.addSubnet(address, prefix, 'ipv4');
}
for (const [address, prefix] of [
  // Teredo and 6to4 addresses lead to an IPv4 address, which may be private.
  ['2001::', 32],
  ['2002::', 16],
  // For benchmarks, for host identifiers that are not addresses, and for documentation.
  ['2001:2::', 48],
  ['2001:10::', 28],
  ['2001:20::', 28],
  ['2001:db8::', 32],
  ['3fff::', 20],
] as const) {
  PRIVATE.addSubnet(address, prefix, 'ipv6');
}

/**
 * The well-known prefix of NAT64. A network without IPv4 reaches all of IPv4 through it, so the address
 * inside decides.
 */
const NAT64 = new BlockList();
NAT64.addSubnet('64:ff9b::', 96, 'ipv6');

function translatesToPrivate(address: string): boolean {
  // The URL parser converts every spelling to one form, whose last two groups are the IPv4 address.
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1).split(':');
  const [high = 0, low = 0] = groups.slice(-2).map((group) => Number.parseInt(group || '0', 16));
  const bytes = [high >> 8, high & 0xff, low >> 8, low & 0xff];
  return PRIVATE.check(bytes.join('.'), 'ipv4');
}

/** Names that never lead outside this machine or network. */
const PRIVATE_NAME =
  /^(localhost|[^.]+|.*\.(localhost|local|internal|intranet|lan|home|corp|home\.arpa))\.?$/i;

/**
 * Connects to exactly the addresses that were checked. So a name that resolves differently a moment later cannot
 * redirect the request. If a name has both private and public addresses, it is rejected. A proxy resolves names itself,
 * so with a proxy only the URL's text is checked, and `doctor` reports this.
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

/** The dispatchers by lookup, with the connections that they keep open. */
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

/** Returns a lookup that returns public addresses or fails. */
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
