/**
 * Determines the org's address, to which donor-sync sends the token. A response of the token endpoint can contain any
 * address. donor-sync sends the token only to an address that the settings or Salesforce's own domains allow. The
 * address must also be the same as at the first sign-in.
 */
import { ConfigurationError } from '../../../src/core/errors.ts';
import { isConfidential } from '../../../src/core/host.ts';
import { isBare, isSameOrigin, withoutSlash } from '../../../src/outbound/address.ts';
import { secretFingerprint } from '../../../src/outbound/sign-in.ts';
import type { ConnectorSecrets } from '../../contract.ts';
import type { SalesforceSettings } from '../settings.ts';

type Rules = Pick<SalesforceSettings, 'url' | 'instanceHosts'>;

/** Salesforce's own domains. An org's address is one of these domains or a subdomain. */
const SALESFORCE_DOMAINS = ['salesforce.com', 'force.com'];

/**
 * Returns the address for requests. The address comes from `instance_url` in the response of the token endpoint, and it
 * has no trailing slash. The address must have the origin of `crm.url`. Otherwise, it must be an https address of
 * Salesforce or of a host in `crm.instanceHosts`. Throws a ConfigurationError for any other address.
 */
export function toInstanceUrl(rules: Rules, named: string): string {
  const instance = URL.canParse(named) ? new URL(named) : null;
  if (instance === null || !isBare(instance)) throw instanceRefused(rules, instance);
  // Only an address from the settings may have a path, for example the address of a proxy.
  if (isSettingsOrigin(rules, instance)) return withoutSlash(instance.href);
  const isTrusted = isNamed(rules, instance) || isSalesforce(instance);
  const isUntouched = isConfidential(new URL(rules.url));
  if (isTrusted && isUntouched && instance.pathname === '/') return instance.origin;
  throw instanceRefused(rules, instance);
}

/**
 * Stores the origin of the first sign-in. Throws a ConfigurationError if a later origin is different. If the process
 * dies before the origin is stored, the next sign-in counts as the first sign-in. If two processes sign in at the same
 * time, both get the same origin, or one of them stops at its next sign-in.
 */
export async function pinInstance(
  rules: Rules,
  secrets: ConnectorSecrets,
  instanceUrl: string,
): Promise<void> {
  const name = instanceSecret(rules.url);
  const instance = new URL(instanceUrl);
  const pinned = await secrets.read(name);
  if (pinned === instance.origin) return;
  // A user has chosen the addresses in the settings, so donor-sync stores a changed address without an error.
  const isDecided = isSettingsOrigin(rules, instance) || isNamed(rules, instance);
  if (pinned !== null && !isDecided) throw instanceChanged(new URL(pinned), instance);
  await secrets.write(name, instance.origin);
}

/**
 * Returns the name of the secret that stores the origin. If `crm.url` changes, the next sign-in counts as the first
 * sign-in.
 */
function instanceSecret(url: string): string {
  return `salesforce_instance/${secretFingerprint(new URL(url).origin)}`;
}

/** Matches a path of letters, digits and hyphens. Without dots and escapes, a path cannot lead to a different place. */
const DATA_PATH = /^\/services\/data\/v\d+\.\d+(\/[\w-]+)+$/;

/**
 * Returns the path of the next page from a response. Throws a ConfigurationError if the text is not a path of
 * Salesforce's data API.
 */
export function pagePath(named: string): string {
  if (DATA_PATH.test(named)) return named;
  throw addressRefused();
}

/**
 * Returns an ID from a response that can be used in a path. Throws a ConfigurationError if the ID could lead to a
 * different path.
 */
export function idInPath(named: string): string {
  if (/^\w+$/.test(named)) return named;
  throw addressRefused();
}

function isSettingsOrigin({ url }: Rules, { href }: URL): boolean {
  return isSameOrigin(href, url);
}

function isNamed({ instanceHosts }: Rules, instance: URL): boolean {
  return isConfidential(instance) && instanceHosts.includes(instance.host);
}

function isSalesforce({ protocol, port, hostname }: URL): boolean {
  const isBelow = SALESFORCE_DOMAINS.some(
    (domain) => hostname === domain || hostname.endsWith(`.${domain}`),
  );
  return isBelow && protocol === 'https:' && port === '';
}

function instanceRefused({ url }: Rules, instance: URL | null): ConfigurationError {
  const settings = new URL(url);
  const host = instance?.host || 'an address that cannot be read';
  const advice = isConfidential(settings)
    ? `If the org responds there over https, add its host to crm.instanceHosts. If not, find out who responds at ${settings.host}.`
    : `Over plain http, only ${settings.host} itself is trusted: write an https address into crm.url.`;
  return new ConfigurationError(
    `Salesforce reports that the org is at ${host}, which is neither crm.url nor an https address of Salesforce. Nothing was sent there. ${advice}`,
    { code: 'crm_instance_refused' },
  );
}

function instanceChanged(pinned: URL, instance: URL): ConfigurationError {
  const [before, now] = [pinned.host, instance.host];
  return new ConfigurationError(
    `Salesforce reports that the org is now at ${now}. When you first connected, it was at ${before}. Nothing was sent to ${now}. If the org was renamed or moved, write ${instance.origin} into crm.url or add "${now}" to crm.instanceHosts. If not, find out whose account crm.auth belongs to.`,
    { code: 'crm_instance_changed', details: { before, now } },
  );
}

/** Creates the error if the next request would go to an address that must not receive the token. */
export function addressRefused(): ConfigurationError {
  return new ConfigurationError(
    'Salesforce names an address for the next request that is not a path of this org. The request was not sent there, because it would have carried the token. If something is between donor-sync and Salesforce, such as a proxy, ask its administrator to check it.',
    { code: 'crm_address_refused' },
  );
}
