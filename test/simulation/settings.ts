/** The settings file of a night. */
import { settingsSchema } from '../../src/config/settings-schema.ts';
import type { Settings } from '../../src/config.ts';
import type { Swarm } from './swarm.ts';
import { BASE_URL } from './wire.ts';

export function settingsOf(swarm: Swarm, names: readonly string[]): Settings {
  const { settings } = swarm;
  const parsed = settingsSchema.parse({
    database: 'sqlite::memory:',
    integrations: names.map((name, index) => ({
      id: name,
      partner: {
        baseUrl: BASE_URL,
        apiKey: swarm.sharedKey ? 'key-0' : `key-${index}`,
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
    })),
  });
  return { ...parsed, path: '/simulated' };
}
