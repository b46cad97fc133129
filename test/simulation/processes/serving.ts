/** Simulates a serving process. Schedules, users and webhooks request runs, and the process's runner starts them. */

import type { Application } from '../../../src/application.ts';
import { isDonorSyncError, messageOf } from '../../../src/core/errors.ts';
import type { Integration } from '../../../src/core/integration-settings.ts';
import type { Log } from '../../../src/core/log.ts';
import type { RunReport } from '../../../src/core/run.ts';
import { createRunner } from '../../../src/jobs/runner.ts';
import { createScheduler } from '../../../src/jobs/scheduler.ts';
import { listBegunRequests, listRunRequests } from '../../../src/sync/statements/run-requests.ts';
import type { SimulatedCrm } from '../crm/crm.ts';
import { createCalls, type HookAddress } from '../people/calls.ts';
import type { Random } from '../random.ts';
import type { Life } from './process.ts';

/** An accepted request. After the time of acceptance, a run must read its contacts. */
export interface Accepted {
  crm: SimulatedCrm;
  /** The IDs of the contacts in the request. An empty list stands for all contacts. */
  ids: readonly string[];
  at: number;
}

export interface Serving {
  application: Application;
  life: Life;
  log: Log;
  crms: ReadonlyMap<string, SimulatedCrm>;
  integrations: readonly Integration[];
  random: Random;
  /** The addresses that webhooks call. */
  addresses: Map<string, HookAddress>;
  /** The number of requests to make. */
  times: number;
  now(): number;
  /** Returns the waiting and active claims, or null if they are not visible. Null if the engine has no such claims. */
  openTurns: (() => Promise<readonly unknown[] | null>) | null;
  say(who: string, what: string): void;
  violate(invariant: string, what: string): void;
  onAccepted(accepted: Accepted): void;
  onEnded(report: RunReport): void;
}

const LONGEST_WAIT_MS = 40 * 60_000;
/** A run takes ten minutes if the service does not respond. */
const LAST_WAIT_MS = 150 * 60_000;
const LOOK_MS = 5_000;

/** Serves until no requests remain or until the process must stop. */
export async function serve(serving: Serving): Promise<void> {
  const { application, life, log, random } = serving;
  const { clock, stopping } = life;
  const runner = createRunner(application, { clock, log, maxRunsAtOnce: random.int(1, 3) });
  runner.onRunEnded(({ report }) => serving.onEnded(report));
  const end = new AbortController();
  const ended = AbortSignal.any([stopping.signal, end.signal]);
  const call = createCalls({ ...serving, runner, ended });
  runner.start();
  const scheduler = createScheduler({
    ...{ store: application.store, clock, log },
    integrations: new Map(serving.integrations.map((each) => [each.id, each])),
    wake() {
      serving.say(`process ${life.name}`, 'finds that the time of a schedule has come');
      runner.wake();
    },
    tickEvery: every,
  });
  try {
    await scheduler.start();
    for (let time = 0; time < serving.times && !stopping.signal.aborted; time += 1) {
      await clock.sleep(random.magnitude(100, 60_000), stopping.signal);
      await ask();
    }
    const until = serving.now() + (serving.times === 0 ? LAST_WAIT_MS : LONGEST_WAIT_MS);
    while (!stopping.signal.aborted && serving.now() < until && !(await isIdle(serving))) {
      await clock.sleep(LOOK_MS, stopping.signal);
    }
  } finally {
    // The runner stops even if the schedules cannot be planned, because a real process ends together with its runner.
    end.abort();
    await Promise.all([scheduler.stop(), runner.stop()]);
  }

  /** Returns a function that repeats the call at intervals of simulated time. */
  function every(look: () => Promise<void>): () => Promise<void> {
    const end = new AbortController();
    const ticking = (async () => {
      while (!end.signal.aborted) {
        await clock.sleep(LOOK_MS, end.signal);
        if (!end.signal.aborted) await look();
      }
    })();
    return async () => {
      end.abort();
      await ticking;
    };
  }

  /** A caller without a response tries another host or gives up. */
  async function ask(): Promise<void> {
    const [integrationId, crm] = random.one([...serving.crms]) ?? [];
    if (integrationId === undefined || crm === undefined) return;
    const living = crm.living().map(({ id }) => id);
    const ids = living.filter(() => random.chance(0.4)).slice(0, 5);
    const [contact = null] = ids;
    const at = serving.now();
    const kind = random.pick(['schedule', 'person', 'webhook', 'webhook']);
    serving.say(`process ${life.name}`, `is asked for a run of ${integrationId} by a ${kind}`);
    try {
      if (kind === 'webhook') {
        const how = await call(integrationId, ids, random.chance(0.6));
        if (how === 'taken') serving.onAccepted({ crm, ids, at });
        if (how === 'refused') serving.say(`process ${life.name}`, 'refuses the call');
        return;
      }
      const trigger = kind === 'schedule' ? 'schedule' : 'manual';
      const only = kind === 'schedule' ? null : contact;
      const { joined } = await runner.request({ integrationId, contact: only, trigger });
      // The run in progress may already have read the contacts of the request.
      if (joined === 'running') return;
      serving.onAccepted({ crm, ids: only === null ? [] : [only], at });
    } catch (error) {
      if (!isDonorSyncError(error)) throw error;
      serving.say(`process ${life.name}`, `refuses it: ${messageOf(error)}`);
    }
  }
}

/** Returns true if every request has been handled, and no living or dead process has a claim. */
async function isIdle({ application, openTurns }: Serving): Promise<boolean> {
  const turns = openTurns === null ? [] : await openTurns();
  try {
    const waiting = await listRunRequests(application.store.reader);
    if (waiting.length > 0 || turns?.length !== 0) return false;
    return (await listBegunRequests(application.store.reader)).length === 0;
  } catch (error) {
    if (isDonorSyncError(error)) return false;
    throw error;
  }
}

/**
 * Returns the contacts of accepted requests that have not been read since. `failedAt` are the times of runs that
 * reported a failure.
 */
export function unanswered(accepted: readonly Accepted[], failedAt: readonly number[]): string[] {
  const open = accepted.filter(({ at }) => !failedAt.some((endedAt) => endedAt >= at));
  return open.flatMap(({ crm, ids, at }) =>
    ids.filter((id) => {
      const record = crm.records.get(id);
      if (record === undefined || record.gone !== null || record.forgottenAt !== null) return false;
      // The product also does not look up a contact that a user has confirmed as an erased person.
      if (record.isConfirmedErased) return false;
      // A run may have looked the contact up while it was gone.
      if (record.leftAt !== null && record.leftAt >= at) return false;
      return ![...record.readBy.values()].some((readAt) => readAt >= at);
    }),
  );
}
