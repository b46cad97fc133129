/** A process that syncs one client like a cron job, and the run that it reports. */
import { isDonorSyncError } from '../../../src/core/errors.ts';
import type { Integration } from '../../../src/core/integration-settings.ts';
import type { RunReport } from '../../../src/core/run.ts';
import { runSync } from '../../../src/sync/run.ts';
import { type Judged, judgeEnd } from '../judges/judge-run.ts';
import type { Life } from '../processes/process.ts';
import type { Processes } from './processes.ts';
import type { Host, Night } from './world.ts';

export interface Syncing {
  /** Syncs once. Returns the end of the process, or `taken` if another process was running. */
  syncOnce(
    host: Host,
    integration: Integration,
    full: boolean,
    only?: string | null,
    adopt?: boolean,
  ): Promise<'over' | 'taken' | 'dead' | 'too long'>;
}

export function createSyncing(night: Night, processes: Processes, judged: Judged): Syncing {
  const { swarm, ended, roster, say } = night;
  const { forOne } = roster;
  const { bear, live, openAs } = processes;
  return { syncOnce };

  function syncOnce(
    host: Host,
    integration: Integration,
    full: boolean,
    only: string | null = null,
    adopt = false,
  ): Promise<'over' | 'taken' | 'dead' | 'too long'> {
    const life = bear(host);
    const what = only === null ? (full ? ' in full' : '') : `, contact "${only}" alone`;
    say(`process ${life.name}`, `begins to sync ${integration.id}${what}`);
    if (only !== null) forOne.add(life.name);
    return live(life, () => sync(life, integration, { full, only, adopt }));
  }

  async function sync(
    life: Life,
    integration: Integration,
    { full, only, adopt }: { full: boolean; only: string | null; adopt: boolean },
  ): Promise<'over' | 'taken'> {
    let report: RunReport | null = null;
    let failure: unknown = null;
    try {
      const application = await openAs(life);
      const open = await application.open(integration, life.stopping.signal);
      try {
        const { deps, mappings, partnerKey, stages, calls } = open;
        const request = {
          ...{ integration, mappings, partnerKey, full, stages, adopt },
          // Trims the ID as the `sync` command does.
          only: only?.trim() ?? null,
          ...{ trigger: 'manual' as const, signal: life.stopping.signal },
        };
        const personsPerSubmission = swarm.settings.batch;
        report = await runSync({ ...deps, personsPerSubmission }, request, { calls });
      } finally {
        await open.close();
        await application.close();
      }
    } catch (error) {
      failure = error;
    }
    if (life.state === 'gone') return 'over';
    ended.push({ integration: integration.id, life: life.name, report, error: failure });
    judgeEnd(judged, life, report, failure);
    return isDonorSyncError(failure) && failure.code === 'already_running' ? 'taken' : 'over';
  }
}
