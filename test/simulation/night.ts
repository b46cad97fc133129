/**
 * Simulates one night: creates the CRMs, the service and the hosts from a seed, runs the product, and checks every
 * promise.
 */
import type { SharedStore } from './database/store.ts';
import type { Disturbed } from './faults/chaos.ts';
import { checkNight } from './judges/check.ts';
import { reachSubjects } from './judges/subjects.ts';
import { createBetween } from './night/between.ts';
import { createErrands } from './night/errands.ts';
import { createNetwork } from './night/network.ts';
import { createOperator, type DatedBackup } from './night/operator.ts';
import { createProcesses } from './night/processes.ts';
import { playQuiet } from './night/quiet.ts';
import { createServingHosts } from './night/serving-hosts.ts';
import { createPlaySession } from './night/sessions.ts';
import { createSyncing } from './night/syncing.ts';
import { createUsers } from './night/users.ts';
import { createWorld, type NightParts, type Violation, type World } from './night/world.ts';
import type { Coverage } from './people/people.ts';
import { createRandom } from './random.ts';
import type { Swarm } from './swarm/swarm.ts';
import { setChance, setLiving } from './takeover.ts';
import { atRest, createTimeline, HOUR_MS } from './timeline.ts';
import { createTrace, stackOf } from './trace.ts';

export interface NightResult {
  swarm: Swarm;
  violations: readonly Violation[];
  story: readonly string[];
  hash: string;
  steps: number;
  runs: number;
  credits: number;
  /** Special events of the simulated night. */
  reached: readonly string[];
}

const START = Date.UTC(2026, 2, 9, 2);

/** The time after which a value that the CRM refused is tried again. */
const LONGEST_PROBE_MS = 8 * 24 * HOUR_MS;

/** The maximum number of events in a night. A night with more events never ends. */
const MOST_STEPS = 150_000;

/** Simulates a night. Two simulations with the same settings produce the same events. */
export async function simulateNight(
  store: SharedStore,
  swarm: Swarm,
  coverage: Coverage,
): Promise<NightResult> {
  const random = createRandom(`night ${swarm.seed}`);
  const timeline = createTimeline(START, random.split('ties'), store.underWay);
  const trace = createTrace(timeline.now);
  const violations: Violation[] = [];
  const night = createNight({ store, swarm, coverage, random, timeline, trace, violations });
  setChance(random.split('ids'));
  try {
    let isOver = false;
    const play = night.play().then(
      () => {
        isOver = true;
      },
      (error: unknown) => {
        isOver = true;
        violations.push({ invariant: 'no error', what: stackOf(error) });
      },
    );
    await atRest(store.underWay);
    while (!isOver && violations.length === 0) {
      if (timeline.steps > MOST_STEPS) {
        night.world.violate('an end', `${MOST_STEPS} events did not bring the night to its end`);
      } else if (!(await timeline.step()) && !isOver) {
        night.world.violate('an end', 'nothing is going to happen any more, and work is left');
      }
    }
    if (isOver) await play;
  } finally {
    setChance(null);
    setLiving(null);
  }
  return {
    swarm,
    violations,
    story: trace.lines,
    hash: trace.hash(),
    steps: timeline.steps,
    runs: night.world.ended.length,
    credits: night.world.oracle.payments.length,
    reached: [...night.world.reached],
  };
}

function createNight(parts: NightParts): { world: World; play(): Promise<void> } {
  const night = createWorld(parts);
  const { swarm, timeline, store, service, oracle, crms, hosts, people, answers, integrations } =
    night;
  const { coverage, fates, violations, roster, say, violate } = night;
  const disturbed: Disturbed = {
    ...{ faults: swarm.faults, timeline, store, hosts, say },
    isCalm: () => night.isCalm,
  };
  const judged = {
    ...{ swarm, crms, oracle, service, store, violate, look: night.look, say },
    isCalm: () => night.isCalm,
    now: timeline.now,
    killed: () => roster.killed,
    keyOf: (name: string) => integrations.find(({ id }) => id === name)?.partner.apiKey ?? '',
  };
  const processes = createProcesses(night, createNetwork(night, disturbed));
  const syncing = createSyncing(night, processes, judged);
  const serving = createServingHosts(night, processes, judged);
  const errands = createErrands(night, processes, syncing);
  const users = createUsers(night, processes, errands);
  const between = createBetween(night);
  const { restore, restoreWell, agree, leaveFirst } = createOperator(night, processes, syncing);
  const playSession = createPlaySession(night, {
    ...{ disturbed, ...syncing, ...serving, ...errands, ...users },
  });
  const { serveLast } = serving;
  const { finishErasures } = errands;
  const { finishConfirmed } = users;
  return { world: night, play };

  /** Returns true if a user agrees after this session that a restored database may spend. */
  function isAgreedSoon(): boolean {
    return swarm.restored.agreed !== null || fates.chance(0.5);
  }

  /** Simulates the sessions with faults and a period without faults, and then runs the checks. */
  async function play(): Promise<void> {
    let backup: DatedBackup | null = null;
    const { agree: isAgreed } = swarm.beside;
    for (const [index, session] of swarm.sessions.entries()) {
      await timeline.pass(session.afterHours * HOUR_MS + 1_000);
      // Uses the product's own restore, even for a backup that is older than the last session and the erasures in it.
      const isLikely = isAgreed > 0 && index === 1 ? 0.3 : 0.7;
      if (backup !== null && swarm.faults.restore > 0 && fates.chance(isLikely)) {
        if (swarm.beside.agree > 0) await restoreWell(backup);
        else restore(backup);
        backup = null;
      }
      if (index > 0) between.change();
      await playSession(session);
      store.takeBack();
      if (night.heldSince !== null && isAgreedSoon()) await agree();
      if (swarm.faults.restore > 0) await store.mirror();
      const isOneThere = backup !== null && isAgreed > 0;
      if (swarm.faults.restore > 0 && !isOneThere) {
        // Backup files contain times in whole milliseconds.
        backup = { rows: store.backUp(), at: Math.floor(timeline.now()) };
      }
    }
    night.isCalm = true;
    for (const host of hosts) {
      host.clock.offsetMs = 0;
      host.clock.rate = 1;
    }
    people.makeWell();
    say('everything', 'is well from now on');
    await finishConfirmed();
    await finishErasures();
    await finishConfirmed();
    await agree();
    await serveLast();
    await playQuiet(night, syncing);
    if (isRefusedAtTimes(swarm.people)) {
      // The product tries a refused write again after growing delays, up to a week.
      await timeline.pass(LONGEST_PROBE_MS);
      await playQuiet(night, syncing);
    }
    await store.mirror();
    answers.judge();
    if (violations.length === 0) checkNight(night);
    reachSubjects(night);
    for (const event of night.reached) coverage.reached(event);
    for (const [subject, judges] of night.looks.all) coverage.looked(subject, judges);
    if (violations.length === 0 && swarm.beside.leave > 0) await leaveFirst();
    for (const { slot, count } of store.rows(OPEN_TOGETHER)) {
      for (let times = 0; times < Number(count); times += 1)
        coverage.together('open', Number(slot));
    }
    for (const { count } of store.rows(LOST_TOGETHER)) coverage.together('lost', Number(count));
  }
}

/** Returns true if a fault that has ended may have prevented values from being written to the CRM. */
function isRefusedAtTimes({ rule, lock, narrow }: Swarm['people']): boolean {
  return rule + lock + narrow > 0;
}

const OPEN_TOGETHER = 'select slot, count(*) as count from submissions group by slot';

const LOST_TOGETHER = `
  select count(*) as count from submissions where state in ('charged', 'not_charged')
  group by partner_key, closed_at`;
