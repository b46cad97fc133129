/** Simulates a session of a few hours. Hosts sync or serve, users work and answer questions, and faults happen. */
import type { Integration } from '../../../src/core/integration-settings.ts';
import { type Disturbed, disturb } from '../faults/chaos.ts';
import { judgeSchedules } from '../judges/schedules.ts';
import type { Session } from '../swarm/swarm.ts';
import type { Errands } from './errands.ts';
import type { ServingHosts } from './serving-hosts.ts';
import type { Syncing } from './syncing.ts';
import type { Users } from './users.ts';
import type { Host, Night } from './world.ts';

export interface SessionParts extends Syncing, ServingHosts, Errands, Users {
  disturbed: Disturbed;
}

/** Resolves after all work that started in the session has ended. */
export function createPlaySession(
  night: Night,
  parts: SessionParts,
): (session: Session) => Promise<void> {
  const { swarm, timeline, store, hosts, settings, random, fates, people, answers } = night;
  const { disturbed, syncOnce, keepServing, workAtDesk, forgetWritten, answerMuch } = parts;
  return playSession;

  async function playSession(session: Session): Promise<void> {
    const { promise: end, resolve: finish } = Promise.withResolvers<void>();
    const disturbing = disturb(disturbed, random.split(`chaos ${timeline.now()}`), end);
    const desking = workAtDesk();
    const deciding = answerMuch();
    const working = people.work(end);
    const syncing = [...hosts].slice(0, session.hosts).map(async (host, index) => {
      await timeline.pass(fates.chance(0.5) ? fates.int(0, 2_000) : fates.int(0, 60_000));
      if (swarm.beside.serve > 0) return keepServing(host);
      const isReversed = swarm.isCrossed && index % 2 === 1;
      const { integrations } = settings;
      for (const integration of isReversed ? integrations.toReversed() : integrations) {
        await keepSyncing(host, integration, session.full);
      }
    });
    await Promise.all(syncing);
    finish();
    await Promise.all([disturbing, working, desking, deciding]);
    await store.mirror();
    answers.judge();
    judgeSchedules(night);
  }

  /**
   * Syncs like a cron job. If a process dies or finds that a different process is running, the host starts one more
   * sync.
   */
  async function keepSyncing(host: Host, integration: Integration, full: boolean): Promise<void> {
    const mostLives = 4;
    for (let life = 0; life < mostLives; life += 1) {
      const how = await syncOnce(host, integration, full);
      if (how === 'dead' && swarm.desk.forget > 0) await forgetWritten(host, integration);
      if (how === 'over' || (how === 'taken' && fates.chance(0.3))) return;
      await timeline.pass(
        how === 'taken' ? fates.int(5_000, 60_000) : fates.magnitude(100, 200_000),
      );
    }
  }
}
