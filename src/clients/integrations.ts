/** Collects this process's integrations. Reads the settings file once, and reads the database after each change. */

import { z } from 'zod';
import type { Clock } from '../core/clock.ts';
import { messageOf } from '../core/errors.ts';
import { type Integration, integrationSchema } from '../core/integration-settings.ts';
import type { Log } from '../core/log.ts';
import { settingsSealContext } from '../database/encryption/seal-contexts.ts';
import type { Sealer } from '../database/encryption/sealed.ts';
import type { Reader } from '../database/reader.ts';
import type { Settings } from '../settings/settings.ts';
import { type ChangedSettings, listChangedSettings } from './statements/integrations.ts';

/** The interval at which a process looks for applied or removed settings. */
const LOOK_INTERVAL_MS = 3_000;

export interface CollectedIntegrations {
  integrations: Map<string, Integration>;
  /** Clients whose stored settings cannot be read, with the reason. All other clients work normally. */
  unreadable: Map<string, string>;
  /** Updates the integrations and the unreadable clients. Returns the new and changed integrations. */
  refresh(): Promise<Integration[]>;
}

/**
 * Collects the integrations. The settings file has precedence over the database, so that the operator can see which
 * settings apply.
 */
export async function collectIntegrations(
  settings: Pick<Settings, 'integrations'>,
  reader: Reader,
  sealer: Pick<Sealer, 'open'>,
  log: Pick<Log, 'error'>,
): Promise<CollectedIntegrations> {
  const ofFile = new Map(settings.integrations.map((integration) => [integration.id, integration]));
  const integrations = new Map<string, Integration>();
  const unreadable = new Map<string, string>();
  let last: Omit<ChangedSettings, 'settings'> = { version: -1, id: '' };
  const changed: Integration[] = [];
  const applied = await refresh();
  integrations.clear();
  // The settings are sorted by ID, so that users find them easily.
  for (const one of applied.toSorted((a, b) => (a.id < b.id ? -1 : 1)))
    integrations.set(one.id, one);
  for (const [id, one] of ofFile) integrations.set(id, one);
  return { integrations, unreadable, refresh };

  async function refresh(): Promise<Integration[]> {
    for (;;) {
      const page = await listChangedSettings(reader, last);
      for (const { id, version, settings: sealed } of page) {
        last = { version, id };
        unreadable.delete(id);
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

  /**
   * Decrypts a client's settings. Returns null if the settings cannot be read. Reports unreadable settings only once,
   * and other clients are still loaded.
   */
  function open(id: string, sealed: string): Integration | null {
    try {
      return integrationSchema.parse(JSON.parse(sealer.open(sealed, settingsSealContext(id))));
    } catch (error) {
      const problem = describeProblem(error);
      unreadable.set(id, problem);
      log.error({ integration: id, error: problem }, 'the settings of a client cannot be read');
      return null;
    }
  }
}

/** Describes a problem without the values, because the values may be secret. */
function describeProblem(error: unknown): string {
  if (!(error instanceof z.ZodError)) return messageOf(error);
  const names = error.issues.map(({ path, code, ...issue }) => {
    const keys = 'keys' in issue && Array.isArray(issue.keys) ? issue.keys.join(', ') : '';
    return `${[...path.map(String), keys].filter((part) => part !== '').join('.')} (${code})`;
  });
  return `This version does not accept these settings: ${names.join('; ')}.`;
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
