/**
 * Finishes a set-up. Stores the same settings as `donor-sync apply`. Keeps changes that other users have made since the
 * start of the set-up.
 */
import { ConfigurationError } from '../../core/errors.ts';
import type { Integration } from '../../core/integration-settings.ts';
import { applyIntegrations } from '../apply-settings.ts';
import { presentSettings, type Setup, type SetupDeps } from './draft.ts';

/** Stores a set-up's settings. Resolves with the settings that the database now contains. */
export async function storeSettings(
  deps: SetupDeps,
  { id, stored }: Pick<Setup, 'id' | 'stored'>,
  integration: Integration,
): Promise<string> {
  if (deps.settings.integrations.some((one) => one.id === id)) throw ofTheFile(id);
  const present = await presentSettings(deps, id);
  const wanted = JSON.stringify(integration);
  // An earlier attempt may have stored the settings and then ended before it recorded this.
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
