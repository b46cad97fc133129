/**
 * Checks addresses that users enter in a browser. Addresses in private networks are forbidden, unless the operator
 * allows them.
 */
import { lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { ConfigurationError } from '../../core/errors.ts';
import {
  isNamed,
  isPrivateAddress,
  type NamedByOperator,
  type NotPublic,
  whyNotPublic,
} from '../../outbound/guard.ts';

/**
 * Throws a ConfigurationError for an address that users may not enter in a browser. The DNS entry may change later, so
 * each request checks the address again when it connects.
 */
export async function requirePublicAddress(
  address: string,
  named: NamedByOperator,
  lookup: LookupFunction = systemLookup,
): Promise<void> {
  const problem = addressProblem(address);
  if (problem !== null) {
    throw new ConfigurationError(`“${address}”: ${problem}.`, { code: 'setup_address_invalid' });
  }
  const url = new URL(address);
  if (isNamed(url, named)) return;
  const { hostname } = url;
  const why = whyNotPublic(url);
  if (why !== null) throw notHere(why, hostname);
  const found = await resolveAddresses(hostname.replace(/^\[|\]$/g, ''), lookup);
  if (found.some(isPrivateAddress)) throw notHere('private', hostname);
}

/** Returns the problem with a text that is not a web address. Returns null if it is a web address. */
export function addressProblem(text: string): string | null {
  const isAddress = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
  return isAddress ? null : 'expected a URL that starts with https://';
}

/**
 * Returns the IP addresses of a host name, or none if the name cannot be resolved. In this case, the connection later
 * reports the error.
 */
function resolveAddresses(hostname: string, lookup: LookupFunction): Promise<string[]> {
  return new Promise((resolve) => {
    lookup(hostname, { all: true }, (error, found) => {
      if (error !== null) resolve([]);
      else resolve(typeof found === 'string' ? [found] : found.map(({ address }) => address));
    });
  });
}

const REFUSED: Readonly<Record<NotPublic, string>> = {
  password: 'An address that contains a password',
  plain: 'Plain http, which lets others read keys in transit,',
  private: 'A host inside a private network',
};

function notHere(why: NotPublic, host: string): ConfigurationError {
  return new ConfigurationError(
    `${REFUSED[why]} cannot be set in a browser (${host}). The operator can allow it: list the host in allowInsecureHttp in donor-sync.yaml, or the host and the port in DONOR_SYNC_SETUP_HOSTS. Then enter the address again.`,
    { code: 'setup_address_private', details: { host } },
  );
}

/** Throws a ConfigurationError for a text with a special meaning in the operator's settings file. */
export function requirePlainText(name: string, text: string): string {
  if (!text.includes('${')) return text;
  throw new ConfigurationError(
    `${name}: environment variables (\${…}) can be used only in the operator's file, donor-sync.yaml. Enter the value itself.`,
    { code: 'setup_variable_refused' },
  );
}
