/** Integrations into the database, encrypted: what `donor-sync apply` does, and the end of a set-up in a browser. */
import type { Application } from '../application.ts';
import { insecureAddresses, insecureProblem } from '../config/insecure-http.ts';
import type { Settings } from '../config.ts';
import { ConfigurationError } from '../core/errors.ts';
import { type Integration, integrationSchema } from '../core/integration.ts';
import { settingsPlace } from '../store/secrets/seal-places.ts';

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
 * nothing stored, for a new address at which keys could be read on the way.
 */
export async function applyIntegrations(
  application: ApplyDeps,
  settings: Pick<Settings, 'allowInsecureHttp' | 'integrations'>,
  integrations: readonly Integration[],
  { dryRun = false } = {},
): Promise<Applied[]> {
  const present = await readPresent(application);
  for (const integration of integrations) requireSecure(settings, integration, present);
  const overriding = new Set(settings.integrations.map(({ id }) => id));
  const applied = integrations.map((integration) => ({
    id: integration.id,
    change: changeOf(present.get(integration.id), JSON.stringify(integration)),
    overridden: overriding.has(integration.id),
  }));
  if (!dryRun) await saveChanged(application, integrations, applied);
  return applied;
}

/** Settings in the database as JSON, by id. */
export async function readPresent({ store, sealer }: ApplyDeps): Promise<Map<string, string>> {
  const rows = await store.integrations.listSealedSettings();
  return new Map(rows.map(({ id, settings }) => [id, sealer.open(settings, settingsPlace(id))]));
}

/**
 * An address at which keys could be read on the way is refused at once, unless it is in the database
 * already: what runs since an older version is only warned of.
 */
function requireSecure(
  { allowInsecureHttp }: Pick<Settings, 'allowInsecureHttp'>,
  integration: Integration,
  present: ReadonlyMap<string, string>,
): void {
  const known = present.get(integration.id);
  const before = known === undefined ? [] : [integrationSchema.parse(JSON.parse(known))];
  const rules = { alerts: { webhook: null }, allowInsecureHttp };
  const old = new Set(
    insecureAddresses(before, rules).map(({ setting, host }) => `${setting} ${host}`),
  );
  const [added] = insecureAddresses([integration], rules).filter(
    ({ setting, host }) => !old.has(`${setting} ${host}`),
  );
  if (added === undefined) return;
  throw new ConfigurationError(
    `${added.setting} of "${integration.id}": ${insecureProblem(added.host)}. Nothing was stored.`,
    { code: 'insecure_http', details: { integration: integration.id, setting: added.setting } },
  );
}

function changeOf(present: string | undefined, wanted: string): Applied['change'] {
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
    const sealed = sealer.seal(JSON.stringify(integration), settingsPlace(integration.id));
    await store.integrations.saveSealedSettings(integration.id, sealed);
  }
}
