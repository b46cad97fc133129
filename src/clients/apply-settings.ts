/** Integrations into the database, encrypted: what `donor-sync apply` does, and the end of a set-up in a browser. */
import type { Application } from '../application.ts';
import { ConfigurationError } from '../core/errors.ts';
import type { Integration } from '../core/integration-settings.ts';
import { settingsSealContext } from '../database/encryption/seal-contexts.ts';
import { insecureAddresses, insecureProblem } from '../settings/insecure-http.ts';
import type { Settings } from '../settings/settings.ts';
import { listSealedSettings, saveSealedSettings } from './statements/integrations.ts';

/** What applying did to one integration. */
export interface Applied {
  id: string;
  change: 'created' | 'changed' | 'unchanged';
  /** True if the settings file has it too, which wins. */
  overridden: boolean;
}

type ApplyDeps = Pick<Application, 'store' | 'sealer'>;

/**
 * Stores integrations that were checked as those of a settings file are. Throws a ConfigurationError, with
 * nothing stored, for an address at which keys could be read on the way.
 */
export async function applyIntegrations(
  application: ApplyDeps,
  settings: Pick<Settings, 'allowInsecureHttp' | 'integrations'>,
  integrations: readonly Integration[],
  { dryRun = false } = {},
): Promise<Applied[]> {
  const present = await readPresent(application);
  for (const integration of integrations) requireSecure(settings, integration);
  const overriding = new Set(settings.integrations.map(({ id }) => id));
  const applied = integrations.map((integration) => ({
    id: integration.id,
    change: toChange(present.get(integration.id), JSON.stringify(integration)),
    overridden: overriding.has(integration.id),
  }));
  if (!dryRun) await saveChanged(application, integrations, applied);
  return applied;
}

/** Settings in the database as JSON, by id. */
export async function readPresent({ store, sealer }: ApplyDeps): Promise<Map<string, string>> {
  const rows = await listSealedSettings(store.reader);
  return new Map(
    rows.map(({ id, settings }) => [id, sealer.open(settings, settingsSealContext(id))]),
  );
}

/** An address at which keys could be read on the way is refused at once. */
function requireSecure(
  { allowInsecureHttp }: Pick<Settings, 'allowInsecureHttp'>,
  integration: Integration,
): void {
  const rules = { alerts: { webhook: null }, allowInsecureHttp };
  const [first] = insecureAddresses([integration], rules);
  if (first === undefined) return;
  throw new ConfigurationError(
    `${first.setting} of "${integration.id}": ${insecureProblem(first.host)}. Nothing was stored.`,
    { code: 'insecure_http', details: { integration: integration.id, setting: first.setting } },
  );
}

function toChange(present: string | undefined, wanted: string): Applied['change'] {
  if (present === undefined) return 'created';
  return present === wanted ? 'unchanged' : 'changed';
}

/** One by one: whatever is cut off is done by applying the file again. */
async function saveChanged(
  { store, sealer }: ApplyDeps,
  integrations: readonly Integration[],
  applied: readonly Applied[],
): Promise<void> {
  for (const [index, integration] of integrations.entries()) {
    if (applied[index]?.change === 'unchanged') continue;
    const sealed = sealer.seal(JSON.stringify(integration), settingsSealContext(integration.id));
    await store.act((trx) => saveSealedSettings(trx, integration.id, sealed));
  }
}
