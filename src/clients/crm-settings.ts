import type { ConnectorDefinition } from '../../connectors/contract.ts';
import type { Integration } from '../core/integration-settings.ts';
import { insecureAddress, isInsecure } from '../settings/insecure-http.ts';

/**
 * Returns an integration's `crm` settings as its connector reads them. Checks the addresses again, because stored
 * settings may be older than `allowInsecureHttp` in the settings file.
 */
export function readCrmSettings<Settings>(
  { settingsSchema, refusesPlainHttp = false }: ConnectorDefinition<Settings>,
  { id, crm }: Pick<Integration, 'id' | 'crm'>,
  allowInsecureHttp: readonly string[],
): Settings {
  const { url } = crm;
  if (refusesPlainHttp && typeof url === 'string' && isInsecure(url, allowInsecureHttp)) {
    const first = { setting: 'crm.url', host: new URL(url).hostname };
    throw insecureAddress(first, id, 'Nothing was sent there.');
  }
  return settingsSchema.parse(crm);
}
