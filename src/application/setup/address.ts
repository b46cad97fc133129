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
  ['192.168.0.0', 16],
  ['224.0.0.0', 3],
] as const) {
  PRIVATE.addSubnet(address, prefix, 'ipv4');
}
PRIVATE.addAddress('::', 'ipv6');
PRIVATE.addAddress('::1', 'ipv6');
PRIVATE.addSubnet('fc00::', 7, 'ipv6');
PRIVATE.addSubnet('fe80::', 10, 'ipv6');
PRIVATE.addSubnet('ff00::', 8, 'ipv6');

/** Names that lead nowhere outside. */
const PRIVATE_NAME =
  /^(localhost|[^.]+|.*\.(localhost|local|internal|intranet|lan|home|corp|home\.arpa))\.?$/i;

function isPrivateAddress(address: string): boolean {
  return PRIVATE.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/**
 * Throws a ConfigurationError for an address that a browser may not set. `allowed` has the hosts that the operator
 * of this machine has named.
 */
export async function requirePublicAddress(
  address: string,
  allowed: readonly string[],
): Promise<void> {
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol)) {
    throw new ConfigurationError(`“${address}” is no address: it begins with https://.`, {
      code: 'setup_address_invalid',
    });
  }
  const { hostname, username, password, protocol } = new URL(address);
  if (allowed.includes(hostname)) return;
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
    `${what} cannot be set in a browser (${host}). It belongs to the operator's file: name the host in allowInsecureHttp of donor-sync.yaml, then it can be used here.`,
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
