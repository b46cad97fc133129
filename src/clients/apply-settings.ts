/** Stores settings in the database, for `apply` and the set-up in a browser. */
import type { Application } from '../application.ts';
import { ConfigurationError, isDonorSyncError } from '../core/errors.ts';
import { type Integration, integrationSchema } from '../core/integration-settings.ts';
import { unknownClient } from '../core/shared-errors.ts';
import { settingsSealContext } from '../database/encryption/seal-contexts.ts';
import type { Sealer } from '../database/encryption/sealed.ts';
import type { Reader } from '../database/reader.ts';
import { insecureAddress, insecureAddresses } from '../settings/insecure-http.ts';
import type { Settings } from '../settings/settings.ts';
import {
  getNextVersion,
  listSealedSettings,
  saveSealedSettings,
} from './statements/integrations.ts';

/** The change that was made to one integration. */
export interface Applied {
  id: string;
  change: 'created' | 'changed' | 'unchanged';
}

type ApplyDeps = Pick<Application, 'store'> & { sealer: Pick<Sealer, 'seal' | 'open'> };

/**
 * Stores integrations that have passed the same checks as integrations in a settings file. Stores either all
 * integrations or none. Throws a ConfigurationError and stores nothing if the settings file already contains an
 * integration, or if donor-sync would send a key unencrypted.
 */
export async function applyIntegrations(
  application: ApplyDeps,
  settings: Pick<Settings, 'allowInsecureHttp' | 'integrations'>,
  integrations: readonly Integration[],
  { dryRun = false } = {},
): Promise<Applied[]> {
  const { reader } = application.store;
  const present = await readComparable({ store: { reader }, sealer: application.sealer });
  for (const integration of integrations) {
    if (isOfFile(settings, integration)) throw setInFile(integration);
    requireSecure(settings, integration);
  }
  const applied = integrations.map((integration) => ({
    id: integration.id,
    change: toChange(present.get(integration.id), JSON.stringify(integration)),
  }));
  if (!dryRun) await saveChanged(application, integrations, applied);
  return applied;
}

interface PresentSource {
  store: { reader: Reader };
  sealer: Pick<Sealer, 'open'>;
}

/**
 * Changes only a client's schedule in the database. Other settings keep their values, even if they are changed at the
 * same time. Throws a ConfigurationError (unknown) if the database contains no settings of the client.
 */
export async function applySchedule(
  { store, sealer }: ApplyDeps,
  id: string,
  schedule: Integration['schedule'],
): Promise<void> {
  await store.act(async (trx) => {
    await getNextVersion(trx);
    const present = (await readPresent({ store: { reader: trx }, sealer }, [id])).get(id);
    if (present === undefined) throw unknownClient(id);
    const integration = integrationSchema.parse({ ...JSON.parse(present), schedule });
    const wanted = JSON.stringify(integration);
    if (wanted === present) return;
    await saveSealedSettings(trx, id, sealer.seal(wanted, settingsSealContext(id)));
  });
}

/** Returns the settings of all clients or of the given clients. Throws an error if settings cannot be decrypted. */
export async function readPresent(
  { store, sealer }: PresentSource,
  ids: readonly string[] | null = null,
): Promise<Map<string, string>> {
  const rows = await listSealedSettings(store.reader);
  return new Map(
    rows
      .filter(({ id }) => ids?.includes(id) ?? true)
      .map(({ id, settings }) => [id, sealer.open(settings, settingsSealContext(id))]),
  );
}

/**
 * Returns settings as text that can be compared. The text of settings that cannot be decrypted differs from all others.
 */
async function readComparable({ store, sealer }: PresentSource): Promise<Map<string, string>> {
  const open = (id: string, sealed: string) => {
    try {
      return sealer.open(sealed, settingsSealContext(id));
    } catch (error) {
      if (!isDonorSyncError(error)) throw error;
      return '';
    }
  };
  const rows = await listSealedSettings(store.reader);
  return new Map(rows.map(({ id, settings }) => [id, open(id, settings)]));
}

/** True if the settings file contains the integration. The file has precedence over the database. */
export function isOfFile(
  { integrations }: Pick<Settings, 'integrations'>,
  { id }: Pick<Integration, 'id'>,
): boolean {
  return integrations.some((one) => one.id === id);
}

export function setInFile({ id }: Pick<Integration, 'id'>): ConfigurationError {
  return new ConfigurationError(
    `"${id}" is in the operator's settings file, which takes precedence over the database. Nothing was changed. Change the client in that file. To keep it in the database instead, remove it from the file, restart \`donor-sync serve\`, and apply it again.`,
    { code: 'set_in_file', refusal: 'conflict', details: { integration: id } },
  );
}

/** Refuses an address to which donor-sync would send keys unencrypted. */
function requireSecure(
  { allowInsecureHttp }: Pick<Settings, 'allowInsecureHttp'>,
  integration: Integration,
): void {
  const rules = { alerts: { webhook: null }, allowInsecureHttp };
  const [first] = insecureAddresses([integration], rules);
  if (first === undefined) return;
  throw insecureAddress(first, integration.id, 'Nothing was saved.');
}

function toChange(present: string | undefined, wanted: string): Applied['change'] {
  if (present === undefined) return 'created';
  return present === wanted ? 'unchanged' : 'changed';
}

async function saveChanged(
  { store, sealer }: ApplyDeps,
  integrations: readonly Integration[],
  applied: readonly Applied[],
): Promise<void> {
  const changed = integrations.filter((_, index) => applied[index]?.change !== 'unchanged');
  if (changed.length === 0) return;
  await store.act(async (trx) => {
    for (const integration of changed) {
      const { id } = integration;
      const sealed = sealer.seal(JSON.stringify(integration), settingsSealContext(id));
      await saveSealedSettings(trx, id, sealed);
    }
  });
}
