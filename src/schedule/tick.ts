import type { Clock } from '../core/clock.ts';
import type { Integration } from '../core/integration.ts';
import type { Log } from '../core/log.ts';
import { newId } from '../core/new-id.ts';
import type { ScheduleRecord } from '../store/runs/schedules.ts';
import type { Store } from '../store/store.ts';
import { isScheduled, nextRunAt, ruleOf, type Scheduled } from './schedules.ts';

/** What a tick looks at. */
export interface TickDeps {
  store: Pick<Store, 'schedules'>;
  integrations: ReadonlyMap<string, Integration>;
  clock: Pick<Clock, 'now'>;
  log: Log;
}

/** A time that is taken up so late passed while no process served, or the machine slept (ms). */
const MISSED_AFTER_MS = 5 * 60_000;

/**
 * Claims the schedules whose time has come and leaves their runs in the store as requests. However
 * many processes tick, each time is claimed once; several missed times of one schedule are one run.
 * Returns how many runs are wanted now.
 */
export async function tick(deps: TickDeps): Promise<number> {
  let wanted = 0;
  for (const row of await deps.store.schedules.listDue()) {
    const integration = deps.integrations.get(row.integrationId);
    // Planned by a process with other settings: that one looks after it.
    if (!integration || !isScheduled(integration)) continue;
    if (row.rule !== ruleOf(integration.schedule)) continue;
    if (await claim(deps, integration, row)) wanted += 1;
  }
  return wanted;
}

/** True if a run is wanted now. */
async function claim(
  { store, clock, log }: TickDeps,
  integration: Scheduled,
  row: ScheduleRecord,
): Promise<boolean> {
  const now = clock.now();
  const lateMs = now - (row.nextRunAt ?? now);
  const isMissed = lateMs > MISSED_AFTER_MS;
  const isLeftOut = isMissed && !integration.schedule.catchUp;
  const request = {
    integrationId: integration.id,
    contact: null,
    trigger: 'schedule',
    full: false,
    runId: newId(now),
  } as const;
  const isOurs = await store.schedules.claim(
    row,
    nextRunAt(integration, now),
    isLeftOut ? null : request,
  );
  if (isOurs && isMissed) {
    log.warn(
      { integration: integration.id, lateMs, caughtUp: !isLeftOut },
      'a scheduled time passed while nothing was running',
    );
  }
  return isOurs && !isLeftOut;
}
