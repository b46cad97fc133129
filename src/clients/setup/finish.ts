/**
 * Finishes a set-up. It stores the same settings as `donor-sync apply`. Changes that others have made in the meantime
 * are kept.
 */
import { ConfigurationError } from '../../core/errors.ts';
import type { Integration } from '../../core/integration-settings.ts';
import { applyIntegrations } from '../apply-settings.ts';
import { presentSettings, type Setup, type SetupDeps } from './draft.ts';

/** Stores a set-up's settings. Resolves with the settings that are now in the database. */
export async function storeSettings(
  deps: SetupDeps,
  { id, stored }: Pick<Setup, 'id' | 'stored'>,
  integration: Integration,
): Promise<string> {
  if (deps.settings.integrations.some((one) => one.id === id)) throw ofTheFile(id);
  const present = await presentSettings(deps, id);
  const wanted = JSON.stringify(integration);
  // An earlier attempt may have stored the settings and ended before it recorded this.
  if (present !== stored && present !== wanted) {
    throw new ConfigurationError(
      `"${id}" has been changed elsewhere since this set-up started. Nothing was saved. Discard this set-up, and start again from the current settings.`,
      { code: 'setup_outdated', details: { integration: id } },
    );
  }
  await applyIntegrations(deps, deps.settings, [integration]);
  return wanted;
}

export function ofTheFile(id: string): ConfigurationError {
  return new ConfigurationError(
    `"${id}" is in donor-sync.yaml, which takes precedence. Change it there, or remove it from that file to change it here.`,
    { code: 'setup_of_file', details: { integration: id } },
  );
}
