/** Which addresses a browser may set: none inside the network of this machine, unless its operator names it. */
import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { ConfigurationError } from '../../core/errors.ts';

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
  // For benchmarks, and for documents.
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const) {
  PRIVATE.addSubnet(address, prefix, 'ipv4');
}
for (const [address, prefix] of [
  // These lead to an address of IPv4, a private one among them: NAT64, Teredo, 6to4, and the older spellings.
  ['::', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['2001::', 32],
  ['2002::', 16],
  // To nowhere, for documents, private, of a link, of a site, to many.
  ['100::', 64],
  ['2001:db8::', 32],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const) {
  PRIVATE.addSubnet(address, prefix, 'ipv6');
}

/** Names that lead nowhere outside. */
const PRIVATE_NAME =
  /^(localhost|[^.]+|.*\.(localhost|local|internal|intranet|lan|home|corp|home\.arpa))\.?$/i;

function isPrivateAddress(address: string): boolean {
  return PRIVATE.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** What the operator of this machine has named. */
export interface NamedByOperator {
  /** The origins of addresses in the settings and the environment: no other port of their hosts is open. */
  origins: readonly string[];
  /**
   * Hosts: `crm.example.org` for the usual ports of http and https, `crm.example.org:8443` for one port,
   * `127.0.0.1:*` for all of them.
   */
  hosts: readonly string[];
}

/** Pure: whether the operator has named this address, with its port. */
export function isNamed({ origin, hostname, host }: URL, { origins, hosts }: NamedByOperator) {
  return origins.includes(origin) || hosts.includes(host) || hosts.includes(`${hostname}:*`);
}

/** Throws a ConfigurationError for an address that a browser may not set. */
export async function requirePublicAddress(address: string, named: NamedByOperator): Promise<void> {
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol)) {
    throw new ConfigurationError(`“${address}” is no address: it begins with https://.`, {
      code: 'setup_address_invalid',
    });
  }
  const url = new URL(address);
  if (isNamed(url, named)) return;
  const { hostname, username, password, protocol } = url;
  if (username + password !== '') throw notHere('An address with a password in it', hostname);
  if (protocol === 'http:')
    throw notHere('Plain http, on which keys can be read on the way,', hostname);
  const bare = hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(bare)
    ? [bare]
    : PRIVATE_NAME.test(hostname)
      ? null
      : await addressesOf(bare);
  if (addresses === null || addresses.some(isPrivateAddress)) {
    throw notHere('A host inside a private network', hostname);
  }
}

/** None for a name that is not known: connecting will say so. */
async function addressesOf(hostname: string): Promise<string[]> {
  return lookup(hostname, { all: true }).then(
    (found) => found.map(({ address }) => address),
    () => [],
  );
}

function notHere(what: string, host: string): ConfigurationError {
  return new ConfigurationError(
    `${what} cannot be set in a browser (${host}). It belongs to the operator's file: name the host in allowInsecureHttp of donor-sync.yaml, or host and port in DONOR_SYNC_SETUP_HOSTS, then it can be used here.`,
    { code: 'setup_address_private', details: { host } },
  );
}

/** Throws a ConfigurationError for a text that means something only in the operator's file. */
export function requirePlainText(name: string, text: string): string {
  if (!text.includes('${')) return text;
  throw new ConfigurationError(
    `${name}: variables of the environment (\${…}) belong to the operator's file, donor-sync.yaml. Write the value itself.`,
    { code: 'setup_variable_refused' },
  );
}
