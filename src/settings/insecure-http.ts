/** Finds addresses in the settings to which keys or tokens would be sent over plain http to a different machine. */
import type { AlertSettings } from '../core/alert-settings.ts';
import { ConfigurationError } from '../core/errors.ts';
import { isConfidential } from '../core/host.ts';
import type { Integration } from '../core/integration-settings.ts';

/** An address to which donor-sync would send data unencrypted. */
export interface InsecureAddress {
  /** The ID of the integration, or null if the address belongs to the whole installation. */
  integration: string | null;
  /** The setting that contains the address, for example `partner.baseUrl`. */
  setting: string;
  host: string;
}

/** True if the address uses plain HTTP and its host is not in `allowInsecureHttp`. */
export function isInsecure(address: string, allowInsecureHttp: readonly string[]): boolean {
  if (!URL.canParse(address)) return false;
  const url = new URL(address);
  return (
    url.protocol === 'http:' && !isConfidential(url) && !allowInsecureHttp.includes(url.hostname)
  );
}

export function insecureAddresses(
  integrations: Iterable<Integration>,
  {
    alerts,
    allowInsecureHttp,
  }: { alerts: Pick<AlertSettings, 'webhook'>; allowInsecureHttp: readonly string[] },
): InsecureAddress[] {
  const named = [...integrations].flatMap(({ id, partner, crm, alerts: own }) => [
    { integration: id, setting: 'partner.baseUrl', address: partner.baseUrl },
    { integration: id, setting: 'crm.url', address: crm['url'] },
    { integration: id, setting: 'alerts.webhook.url', address: own?.webhook.url },
  ]);
  const webhook = {
    integration: null,
    setting: 'alerts.webhook.url',
    address: alerts.webhook?.url,
  };
  return [...named, webhook].flatMap(({ address, ...where }) =>
    typeof address === 'string' && isInsecure(address, allowInsecureHttp)
      ? [{ ...where, host: new URL(address).hostname }]
      : [],
  );
}

/** Describes the problem with an address, and how to fix it. The text does not contain the setting's name. */
export function insecureProblem(host: string): string {
  return `over plain http to ${host}, keys and tokens can be read in transit: use https, or name the host in allowInsecureHttp if that network is yours alone`;
}

/**
 * Creates the error for a refused address in the settings. `nothing` is a sentence about the work that was not done, or
 * about the alternative.
 */
export function insecureAddress(
  { setting, host }: { setting: string; host: string },
  integration: string | null,
  nothing: string,
): ConfigurationError {
  const where = integration === null ? setting : `${setting} of "${integration}"`;
  return new ConfigurationError(`${where}: ${insecureProblem(host)}. ${nothing}`, {
    code: 'insecure_http',
    details: { ...(integration !== null && { integration }), setting },
  });
}
