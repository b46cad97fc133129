/**
 * Simulates serving hosts, which replace individual syncs. The hosts must handle every request and must take over the
 * claims of dead processes.
 */
import { isDonorSyncError, messageOf } from '../../../src/core/errors.ts';
import type { OpenTurn } from '../database/queue.ts';
import { type Judged, judgeServed } from '../judges/judge-run.ts';
import { judgeSchedules } from '../judges/schedules.ts';
import type { HookAddress } from '../people/calls.ts';
import type { Life } from '../processes/process.ts';
import { type Accepted, serve, unanswered } from '../processes/serving.ts';
import { HOUR_MS } from '../timeline.ts';
import { stackOf } from '../trace.ts';
import type { Processes } from './processes.ts';
import type { Host, Night } from './world.ts';

export interface ServingHosts {
  /** Keeps serving until no requests remain. If a process dies, a new process replaces it. */
  keepServing(host: Host): Promise<void>;
  /** Runs the hosts until every request is handled. */
  serveLast(): Promise<void>;
}

/** The time (ms) without a sign of life after which another process has taken over the claim. */
const LONGEST_SILENCE_MS = 2 * 60_000;

export function createServingHosts(
  night: Night,
  processes: Processes,
  judged: Judged,
): ServingHosts {
  const { swarm, timeline, store, crms, hosts, settings, roster, ended } = night;
  const { fates, desk, isServer, faults, say, violate } = night;
  const { forOne } = roster;
  const { bear, live, openAs, logOf } = processes;
  const accepted: Accepted[] = [];
  const addresses = new Map<string, HookAddress>();
  const failedAt: number[] = [];
  return { keepServing, serveLast };

  async function keepServing(host: Host): Promise<void> {
    for (let life = 0; life < 4; life += 1) {
      if ((await serveOnce(host, fates.int(1, 4))) !== 'dead') return;
      await timeline.pass(fates.magnitude(100, 200_000));
    }
  }

  function serveOnce(host: Host, times: number): Promise<'over' | 'dead' | 'too long'> {
    const life = bear(host);
    forOne.add(life.name);
    say(`process ${life.name}`, 'begins to serve');
    return live(life, async (): Promise<'over'> => {
      try {
        const application = await openAs(life);
        // The database can become unavailable while its engine is being opened.
        if (isServer && fates.chance(faults().databaseAway)) {
          store.goAway(fates.magnitude(50, 40_000));
        }
        try {
          await serve({
            ...{ application, life, log: logOf(life), crms, random: desk, times, say },
            ...{ addresses, violate },
            integrations: settings.integrations,
            now: timeline.now,
            openTurns: isServer ? () => openTurns(life) : null,
            onAccepted: (each) => accepted.push(each),
            onEnded(report) {
              ended.push({ integration: report.integration, life: life.name, report, error: null });
              if (report.status !== 'succeeded') failedAt.push(timeline.now());
              judgeServed(judged, life, report);
            },
          });
        } finally {
          await application.close();
        }
      } catch (error) {
        if (life.state === 'gone') return 'over';
        say(`process ${life.name}`, `ends: ${messageOf(error)}`);
        if (!isDonorSyncError(error)) violate('no error', stackOf(error));
      }
      return 'over';
    });
  }

  /** Returns the open claims while a serving process takes over the claims of dead processes. */
  async function openTurns({ bornAt, wasHurt }: Life): Promise<readonly OpenTurn[] | null> {
    const turns = await store.openTurns();
    if (turns === null) return null;
    const ids = turns.map(({ integration }) => integration);
    const twice = ids.find((id, index) => ids.indexOf(id) !== index);
    if (twice !== undefined) violate('one run at a time', `${twice} has two turns`);
    const wellMs = wasHurt ? 0 : timeline.now() - Math.max(bornAt, store.wellSince);
    for (const { integration, silentMs } of turns) {
      if (Math.min(silentMs ?? 0, wellMs) < LONGEST_SILENCE_MS) continue;
      violate('no stuck state', `a turn of ${integration} stays with a process that is gone`);
    }
    return turns;
  }

  async function serveLast(): Promise<void> {
    const [host] = hosts;
    if (swarm.beside.serve === 0 || host === undefined) return;
    await timeline.pass(HOUR_MS);
    await serveOnce(host, 0);
    for (const { integration, state } of (await store.openTurns()) ?? []) {
      violate('no stuck state', `a turn of ${integration} stays ${state}`);
    }
    await store.mirror();
    const soonest = timeline.now() - 10_000;
    for (const row of store.rows('select integration_id, next_run_at from schedules')) {
      if (Number(row['next_run_at']) > soonest) continue;
      violate(
        'what was asked for',
        `a time of the schedule of ${row['integration_id']} has passed`,
      );
    }
    judgeSchedules(night);
    for (const id of unanswered(accepted, failedAt)) {
      violate('what was asked for', `contact ${id} was not read after a request was accepted`);
    }
  }
}
