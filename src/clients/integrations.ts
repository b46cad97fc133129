/** The integrations of this process: from its settings file, and from the database as they change there. */

import type { Clock } from '../core/clock.ts';
import { messageOf } from '../core/errors.ts';
import { type Integration, integrationSchema } from '../core/integration-settings.ts';
import type { Log } from '../core/log.ts';
import { settingsSealContext } from '../database/encryption/seal-contexts.ts';
import type { Sealer } from '../database/encryption/sealed.ts';
import type { Reader } from '../database/reader.ts';
import type { Settings } from '../settings/settings.ts';
import { type ChangedSettings, listChangedSettings } from './statements/integrations.ts';

/** How soon a process notices applied or removed settings. */
const LOOK_INTERVAL_MS = 3_000;

/** The file takes precedence over the database, so the settings that an operator sees are the settings in use. */
export async function collectIntegrations(
  settings: Pick<Settings, 'integrations'>,
  reader: Reader,
  sealer: Pick<Sealer, 'open'>,
): Promise<{ integrations: Map<string, Integration>; refresh(): Promise<Integration[]> }> {
  const ofFile = new Map(settings.integrations.map((integration) => [integration.id, integration]));
  const integrations = new Map<string, Integration>();
  let last: Omit<ChangedSettings, 'settings'> = { version: -1, id: '' };
  const changed: Integration[] = [];
  const applied = await refresh();
  integrations.clear();
  // Sorted by ID, because that is easier to read than the order of the changes.
  for (const one of applied.toSorted((a, b) => (a.id < b.id ? -1 : 1)))
    integrations.set(one.id, one);
  for (const [id, one] of ofFile) integrations.set(id, one);
  return { integrations, refresh };

  async function refresh(): Promise<Integration[]> {
    for (;;) {
      const page = await listChangedSettings(reader, last);
      for (const { id, version, settings: sealed } of page) {
        // An integration that cannot be opened is reported once, and does not prevent other integrations from being
        // loaded.
        last = { version, id };
        const current = ofFile.get(id) ?? (sealed === null ? null : open(id, sealed));
        if (current === null) integrations.delete(id);
        else {
          integrations.set(id, current);
          changed.push(current);
        }
      }
      if (page.length === 0) return changed.splice(0);
    }
  }

  function open(id: string, sealed: string): Integration {
    return integrationSchema.parse(JSON.parse(sealer.open(sealed, settingsSealContext(id))));
  }
}

/** Checks for changes repeatedly until the returned function is called. */
export function followIntegrations(
  { refresh }: { refresh(): Promise<Integration[]> },
  { clock, log }: { clock: Clock; log: Log },
  onChanged: (changed: readonly Integration[]) => Promise<void>,
): () => Promise<void> {
  const ended = new AbortController();
  const following = follow();
  return async () => {
    ended.abort();
    await following;
  };

  async function follow(): Promise<void> {
    for (;;) {
      await clock.sleep(LOOK_INTERVAL_MS, ended.signal);
      if (ended.signal.aborted) return;
      try {
        const changed = await refresh();
        if (changed.length === 0) continue;
        log.info({ integrations: changed.length }, 'integrations were applied to the database');
        await onChanged(changed);
      } catch (error) {
        log.error({ error: messageOf(error) }, 'the applied integrations could not be loaded');
      }
    }
  }
}
