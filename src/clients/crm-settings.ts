import type { ConnectorDefinition } from '../../connectors/contract.ts';
import { ConfigurationError } from '../core/errors.ts';
import type { Integration } from '../core/integration-settings.ts';
import { insecureProblem, isInsecure } from '../settings/insecure-http.ts';

/**
 * The `crm` of an integration as its connector reads it. Throws a ConfigurationError where tokens
 * would travel readable: settings in the database may be older than `allowInsecureHttp` of the file.
 */
export function readCrmSettings<Settings>(
  { settingsSchema, refusesPlainHttp = false }: ConnectorDefinition<Settings>,
  { id, crm }: Pick<Integration, 'id' | 'crm'>,
  allowInsecureHttp: readonly string[],
): Settings {
  const { url } = crm;
  if (refusesPlainHttp && typeof url === 'string' && isInsecure(url, allowInsecureHttp)) {
    const problem = insecureProblem(new URL(url).hostname);
    throw new ConfigurationError(`crm.url of "${id}": ${problem}.`, {
      code: 'insecure_http',
      details: { integration: id },
    });
  }
  return settingsSchema.parse(crm);
}
