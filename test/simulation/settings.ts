/** Creates the settings file for a simulated night, with its secret key and retention periods. */

import { parseKeyRing } from '../../src/database/encryption/key-ring.ts';
import type { Settings } from '../../src/settings/settings.ts';
import { settingsSchema } from '../../src/settings/settings-schema.ts';
import { idOf } from './crm/crm.ts';
import { BASE_URL } from './service/wire.ts';
import type { Swarm } from './swarm/swarm.ts';

export const SECRET_KEY = `k1:${Buffer.alloc(32, 7).toString('base64')}`;

/** The key ring that all processes share. */
export const KEY_RING = parseKeyRing(SECRET_KEY);

export function settingsOf(swarm: Swarm, names: readonly string[]): Settings {
  const { settings } = swarm;
  const parsed = settingsSchema.parse({
    database: 'sqlite::memory:',
    erasureLog: swarm.beside.agree > 0 ? '/simulated.erasures' : null,
    spendingJournal: hasJournal(swarm) ? '/simulated.spending' : null,
    retention: swarm.beside.purge > 0 ? RETENTION : {},
    twoPeople: swarm.desk.answers > 0 ? TWO_PEOPLE : {},
    integrations: names.map((name, index) => ({
      id: name,
      partner: {
        baseUrl: BASE_URL,
        apiKey: swarm.sharedKey ? 'partner-key-0' : `partner-key-${index}`,
        shareProfiles: settings.shareProfiles,
      },
      crm: { kind: 'simulated', name },
      refresh: {
        afterDays: settings.refreshDays,
        whenIdentityChanges: settings.whenIdentityChanges,
      },
      budget: { perRun: settings.perRun, perMonth: settings.perMonth, keep: settings.keep },
      guards: {
        massChange: { share: 0.1, atLeast: settings.massChangeAtLeast },
        trial: { size: settings.trial ? settings.trialSize : 0, minKnown: 0.1 },
      },
      networks: swarm.networks ? [{ name: `Board ${name}`, group: { group: 'board' } }] : [],
      onLostAnswer: settings.onLostAnswer,
      settleAfterMs: settings.settleAfterMs,
      // The time zone of a schedule also applies to the months of budgets, even if no host serves.
      schedule:
        swarm.beside.schedule > 0 || settings.timezone !== 'UTC'
          ? { cron: settings.cron, timezone: settings.timezone }
          : null,
      contacts: { objections: objectorsOf(name, settings.objectors) },
      match: { minProbability: settings.minProbability },
      ...(settings.queries === null ? {} : { insights: { budget: settings.queries } }),
    })),
  });
  return { ...parsed, path: '/simulated' };
}

/** Returns true if the hosts keep a spending journal. */
export function hasJournal({ beside, restored }: Swarm): boolean {
  return beside.agree > 0 && restored.journal !== 'absent';
}

/** Returns the IDs in the form in which users type them into the settings. */
function objectorsOf(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const id = idOf(name, index + 1);
    return index % 2 === 0 ? id : ` ${id.toUpperCase()} `;
  });
}

/** The smallest values that the settings accept. */
const TWO_PEOPLE = { approvals: 1, undo: 0, forgetEverywhere: true };

/** The shortest retention times that the settings accept (days). */
export const RETENTION = {
  ...{ runRows: 1, outcomes: 30, previousValues: 7, removedContacts: 1, audit: 30 },
} as const;
