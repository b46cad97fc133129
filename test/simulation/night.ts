/** One night: a world from a seed, the product in it, and whether every promise was kept. */
import { type Application, openApplication } from '../../src/application.ts';
import { confirmRestore } from '../../src/backup/restores.ts';
import { isDonorSyncError, messageOf } from '../../src/core/errors.ts';
import type { Integration } from '../../src/core/integration-settings.ts';
import { type Log, silentLog } from '../../src/core/log.ts';
import type { RunReport } from '../../src/core/run.ts';
import { parseKeyRing } from '../../src/database/encryption/key-ring.ts';
import { LEASE_MS } from '../../src/database/transact.ts';
import { runSync } from '../../src/sync/run.ts';
import { simulatedConnector } from './crm/connector.ts';
import { createSimulatedCrm, type SimulatedCrm } from './crm/crm.ts';
import type { Record_ } from './crm/record.ts';
import type { Backup } from './database/contents.ts';
import type { Outage } from './database/outages.ts';
import type { OpenTurn } from './database/queue.ts';
import type { SharedStore } from './database/store.ts';
import { disturb, setClock } from './faults/chaos.ts';
import { clockOf, fateOf } from './faults/fates.ts';
import { createAnswers } from './judges/answers.ts';
import { checkNight } from './judges/check.ts';
import { createOracle, type Oracle } from './judges/credits/oracle.ts';
import { judgeEnd, judgeServed } from './judges/judge-run.ts';
import {
  ANSWER_ERRANDS,
  type AnswerWork,
  carryOutAll,
  doAnswer,
  firstUsers,
} from './people/answering.ts';
import type { HookAddress } from './people/calls.ts';
import { type Errand, errandsOf, runErrand } from './people/desk.ts';
import { createHumans, type Humans } from './people/humans.ts';
import { checkLeft, leave } from './people/leaving.ts';
import { type Coverage, createPeople } from './people/people.ts';
import { createErasureLog, createWriteLog, putBack } from './people/restoring.ts';
import { beginLife, type Fate, type HostClock, type Life } from './processes/process.ts';
import { type Accepted, serve, unanswered } from './processes/serving.ts';
import { createRandom, type Random } from './random.ts';
import {
  createServiceModel,
  refusedIn,
  type ServiceAnswer,
  type ServiceModel,
  type ServiceRequest,
} from './service/service.ts';
import { createWire } from './service/wire.ts';
import { settingsOf } from './settings.ts';
import { type Faults, NO_FAULTS, type Session, type Swarm } from './swarm/swarm.ts';
import { setChance, setLiving } from './takeover.ts';
import { atRest, createTimeline, type Timeline } from './timeline.ts';
import { createTrace, stackOf, type Trace } from './trace.ts';

export interface Violation {
  invariant: string;
  what: string;
}

export interface NightResult {
  swarm: Swarm;
  violations: readonly Violation[];
  story: readonly string[];
  hash: string;
  steps: number;
  runs: number;
  credits: number;
}

const START = Date.UTC(2026, 2, 9, 2);
const HOUR_MS = 3_600_000;

/** A run that takes longer does not end. */
const LONGEST_RUN_MS = 3 * HOUR_MS;

/** So often everything is synced in the quiet time, or more often if something was submitted just now and waits. */
const ROUNDS = 4;
const MOST_ROUNDS = 30;

/** What a process has that is not heard of for so long is another's by then. */
const LONGEST_SILENCE_MS = 2 * 60_000;

/** After this long, a value that the CRM has refused is tried again. */
const LONGEST_PROBE_MS = 8 * 24 * HOUR_MS;

/** A night that takes more events than this comes to no end. */
const MOST_STEPS = 150_000;

export const SECRET_KEY = `k1:${Buffer.alloc(32, 7).toString('base64')}`;

/** The same for all processes. */
const KEY_RING = parseKeyRing(SECRET_KEY);

/** How a run came to its end, as far as its process has lived to see it. */
export interface EndedRun {
  integration: string;
  life: string;
  report: RunReport | null;
  error: unknown;
}

export interface World {
  swarm: Swarm;
  timeline: Timeline;
  trace: Trace;
  store: SharedStore;
  service: ServiceModel;
  oracle: Oracle;
  humans: Humans;
  crms: ReadonlyMap<string, SimulatedCrm>;
  integrations: readonly Integration[];
  ended: readonly EndedRun[];
  violate(invariant: string, what: string): void;
  /** True if a process was killed, stopped or stood still. */
  wasHurt(name: string): boolean;
}

/** True if values may have been kept out of the CRM by something that is gone by now. */
function isRefusedAtTimes({ rule, lock, narrow }: Swarm['people']): boolean {
  return rule + lock + narrow > 0;
}

/** True if no process stands still, and the database is always there. */
function isUndisturbed({ freeze, databaseAway, diskFull }: Faults): boolean {
  return freeze + databaseAway + diskFull === 0;
}

/** Simulates the night of a swarm. The same swarm brings the same night. */
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
  };
}

interface NightParts {
  store: SharedStore;
  swarm: Swarm;
  coverage: Coverage;
  random: Random;
  timeline: Timeline;
  trace: Trace;
  violations: Violation[];
}

interface Host {
  name: string;
  clock: HostClock;
  lives: number;
}

function createNight(parts: NightParts): { world: World; play(): Promise<void> } {
  const { store, swarm, coverage, random, timeline, trace, violations } = parts;
  const { say } = trace;
  const isServer = swarm.store === 'server';
  const fates = random.split('fates');
  const clocks = random.split('clocks');
  const ended: EndedRun[] = [];
  const lives = new Map<number, Life>();
  const births = new Map<string, number>();
  const named = new Map<string, Life>();
  /** Processes that sync one contact. */
  const forOne = new Set<string>();
  const desk = random.split('desk');
  const answering = random.split('answers');
  const users = firstUsers();
  const erasures: {
    integration: Integration;
    crm: SimulatedCrm;
    errand: Extract<Errand, { kind: 'forget' }>;
  }[] = [];
  const erasureLog = createErasureLog();
  const writeLog = createWriteLog();
  /** Since when a person has to agree before anything is spent; null if that is not so. */
  let heldSince: number | null = null;
  const toAgree = new Set<string>();
  const accepted: Accepted[] = [];
  const addresses = new Map<string, HookAddress>();
  const failedAt: number[] = [];
  /** When processes stood still. */
  const stills: Outage[] = [];
  let isCalm = false;
  /** Whether a lease that was taken by a clock ahead, of a process that died, may look as if it was held right now. */
  let mayBeTaken = false;
  let killed = 0;
  const faults = () => (isCalm ? NO_FAULTS : swarm.faults);
  const violate = (invariant: string, what: string) => {
    say('VIOLATION', `of "${invariant}": ${what}`);
    violations.push({ invariant, what });
  };

  const humans = createHumans(random.split('humans'));
  const crms = new Map<string, SimulatedCrm>();
  for (let index = 0; index < swarm.integrations; index += 1) {
    const name = ['north', 'south'][index] ?? `crm${index}`;
    const crm = createSimulatedCrm({
      ...{ name, timeline, random: random.split(`crm ${name}`), say, violate },
      faultRate: () => faults().crm,
      lagMs: swarm.people.lagMs,
      slowMs: swarm.people.slowMs,
      pageSize: swarm.pageSize,
      isUndisturbed: isUndisturbed(swarm.faults),
      hasAutomation: swarm.people.automation > 0,
      // What an erased record had given away before, nothing tells from a user's value.
      fillsBlanks: swarm.people.fillsBlanks > 0 && swarm.desk.forget + swarm.faults.restore === 0,
    });
    crms.set(name, crm);
    const doubles = random.split(`doubles ${name}`);
    for (let number = 0; number < swarm.contacts; number += 1) {
      const { human, details } = crm.add(humans.another(), humans.details());
      if (doubles.chance(swarm.people.doubles)) crm.add(human, details);
    }
    if (swarm.networks) crm.groups.set('board', new Set([...crm.records.keys()].slice(0, 6)));
  }
  const oracle = createOracle({
    ...{ swarm, crms: [...crms.values()], now: timeline.now, violate },
    isForOne: (name: string) => forOne.has(name),
    outages: () => [...store.outages, ...stills],
    isTakenForCharged: (persons: number) => store.rows(TAKEN_FOR_CHARGED, persons).length > 0,
    isTakenForFree: (persons: number) => store.rows(TAKEN_FOR_FREE, persons).length > 0,
    charges: () => service.charges,
    bornAt: (name: string) => births.get(name) ?? 0,
  });
  const { isUnknown } = oracle;
  const answers = createAnswers({ swarm, store, now: timeline.now, isUnknown, violate });
  const service = createServiceModel({
    ...{ timeline, random: random.split('service'), humans, habits: swarm.service, say },
    onPaid(jobs, balance) {
      const since = heldSince ?? Number.POSITIVE_INFINITY;
      if (jobs.some(({ sender }) => (births.get(sender) ?? 0) >= since)) {
        violate('a person agrees', 'a database that was put back spends before a person agrees');
      }
      oracle.onPaid(jobs, balance);
    },
    isWell: () => isCalm,
    onBalance: oracle.onBalance,
    onPaidTwice({ length }) {
      if (swarm.faults.restore > 0) return;
      violate('paid once', `${length} members of a network are paid for twice`);
    },
  });
  const wire = {
    ...{ timeline, random: random.split('wire'), service, faults, say },
    quietMs: swarm.settings.settleAfterMs,
    submitMs: swarm.service.submitMs,
    onSend(request: ServiceRequest, endpoint: string) {
      const { sender } = request;
      if (endpoint === 'POST /enhancements') oracle.onSubmit(request);
      // Just when an answer is on its way, the database may go.
      if (endpoint === 'POST /enhancements' && fates.chance(faults().databaseAway * 0.2)) {
        timeline.after(fates.int(0, 400), () => store.goAway(fates.magnitude(50, 40_000)));
      }
      const { newerSince } = store;
      if (newerSince !== null && (births.get(sender) ?? 0) > newerSince) {
        const what = `process ${sender} is older than the database and sends ${endpoint}`;
        violate('the right version', what);
      }
      const replacedAt = store.replacedAt(sender);
      if (endpoint !== 'POST /enhancements' || replacedAt === null) return;
      // What is spent has to be remembered.
      if (replacedAt < timeline.now()) {
        violate('the right store', `process ${sender} spends into a file that was replaced`);
      }
    },
    onFault(fault: string, endpoint: string) {
      coverage.fault(fault, endpoint);
      people.onFault(fault, endpoint);
      const isUnderWay = fault === 'late request' || fault === 'overtaken';
      if (isUnderWay && fates.chance(faults().clockJump)) {
        timeline.after(fates.int(0, 400), () => setClock(disturbed, fates));
      }
    },
    onAnswered: (request: ServiceRequest, { body, status }: ServiceAnswer, givenAt: number) => {
      const { path, sender, sentAt } = request;
      if (path === '/enhancements' && status === 422) {
        oracle.onRefused(refusedIn(request.body, body), sentAt);
      }
      if (path === '/credits') oracle.onBalanceKnown(sender, sentAt, givenAt);
      if (path === '/enhancements') oracle.onSubmitAnswered(sender, sentAt);
      const ids: unknown = Reflect.get(Object(body), 'tracking_id_to_job_id');
      if (typeof ids === 'object' && ids !== null)
        oracle.onAnswered(Object.values(ids).map(String));
    },
    onGivenUp({ sender, sentAt }: ServiceRequest, endpoint: string) {
      if (endpoint !== 'POST /enhancements') return;
      oracle.onGivenUp(sender, sentAt);
      people.onGivenUp(sender, sentAt);
    },
  };
  const people = createPeople({
    ...{ random: random.split('people'), timeline, humans, crms, swarm, oracle, service, say },
  });
  const settings = settingsOf(swarm, [...crms.keys()]);
  const machine: HostClock = clockOf(swarm.faults, clocks);
  const hosts: Host[] = Array.from({ length: swarm.hosts }, (_, index) => ({
    name: String.fromCharCode(65 + index),
    clock: isServer ? clockOf(swarm.faults, clocks) : machine,
    lives: 0,
  }));
  const disturbed = {
    ...{ faults: swarm.faults, timeline, store, hosts, say },
    isCalm: () => isCalm,
  };
  const world: World = {
    ...{ swarm, timeline, trace, store, service, oracle, humans, crms, violate, ended },
    wasHurt: (name) => named.get(name)?.wasHurt ?? false,
    integrations: settings.integrations,
  };
  const answeringDeps = {
    ...{ random: answering, answers, users, now: timeline.now, say, onErasureLeft },
    onChangesDecided: oracle.onChangesDecided,
  };
  const judged = { ...world, say, isCalm: () => isCalm, now: timeline.now, killed: () => killed };
  store.begin({
    ...{ kind: swarm.store, timeline, random: random.split('store'), say },
    onCheckpoint(client, integration, owner) {
      if (owner?.includes(client.owner.start)) return;
      const what = `process ${client.name} writes for ${integration}, whose lease is ${owner ?? 'no one'}'s`;
      violate('one run at a time', what);
    },
    lostCommits: () => (faults().databaseAway > 0 ? 0.01 : 0),
    clockOffsetMs: swarm.faults.clockSkew > 0 ? clocks.int(-2_000, 2_000) : 0,
  });
  setLiving((processId, asking) => {
    const life = lives.get(processId);
    const asker = [...lives.values()].find((each) => each === asking);
    // Who is on another host, or in another container, is not seen.
    const isSeen = life?.owner.space === asker?.owner.space;
    return isSeen && life !== undefined && life.state !== 'gone';
  });
  return { world, play };

  /** The whole night: sessions with faults, then a time without any, then the reckoning. */
  async function play(): Promise<void> {
    let backup: { rows: Backup; at: number } | null = null;
    const { agree: isAgreed } = swarm.beside;
    for (const [index, session] of swarm.sessions.entries()) {
      await timeline.pass(session.afterHours * HOUR_MS + 1_000);
      // By the product's means, also one that is older than the last session, and who was erased in it.
      const isLikely = isAgreed > 0 && index === 1 ? 0.3 : 0.7;
      if (backup !== null && swarm.faults.restore > 0 && fates.chance(isLikely)) {
        if (swarm.beside.agree > 0) await restoreWell(backup);
        else {
          store.restore(backup.rows);
          oracle.onRestored(backup.at);
          answers.onRestored(backup.at, false);
          say('an operator', `puts the backup of ${new Date(backup.at).toISOString()} back`);
        }
        backup = null;
      }
      await playSession(session);
      store.takeBack();
      if (heldSince !== null && fates.chance(0.5)) await agree();
      if (swarm.faults.restore > 0) await store.mirror();
      const isOneThere = backup !== null && isAgreed > 0;
      if (swarm.faults.restore > 0 && !isOneThere) {
        // A file says it in whole milliseconds.
        backup = { rows: store.backUp(), at: Math.floor(timeline.now()) };
      }
    }
    isCalm = true;
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
    await playQuiet();
    if (isRefusedAtTimes(swarm.people)) {
      // What the CRM has refused is tried again, weekly at last.
      await timeline.pass(LONGEST_PROBE_MS);
      await playQuiet();
    }
    await store.mirror();
    answers.judge();
    if (violations.length === 0) checkNight(world);
    if (violations.length === 0 && swarm.beside.leave > 0) await leaveFirst();
    for (const { slot, count } of store.rows(OPEN_TOGETHER)) {
      for (let times = 0; times < Number(count); times += 1)
        coverage.together('open', Number(slot));
    }
    for (const { count } of store.rows(LOST_TOGETHER)) coverage.together('lost', Number(count));
  }

  async function restoreWell(backup: { rows: Backup; at: number }): Promise<void> {
    for (let tries = 0; tries < 3; tries += 1) {
      await store.mirror();
      // Nothing else is at work: the command locks the file.
      const isDone = await putBack({ store, backup, atWork });
      say('an operator', `puts back a backup: ${isDone ? 'it holds' : 'the old database stays'}`);
      if (!isDone) continue;
      oracle.onRestored(backup.at);
      answers.onRestored(backup.at, true);
      heldSince = timeline.now();
      for (const { id } of settings.integrations) toAgree.add(id);
      return;
    }
  }

  /** A person has seen what a sync would spend. */
  async function agree(): Promise<void> {
    // Whether a commit is heard of or not, the person has said it.
    heldSince = null;
    for (const id of toAgree) {
      for (let tries = 0; tries < 5 && toAgree.has(id); tries += 1) {
        const agreed = await atWork(({ store }) => store.act((trx) => confirmRestore(trx, id)));
        if (agreed !== null) toAgree.delete(id);
        else await timeline.pass(HOUR_MS);
      }
    }
  }

  /** Whatever was asked for is answered. */
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
    for (const id of unanswered(accepted, failedAt)) {
      violate('what was asked for', `contact ${id} was not read after a request was accepted`);
    }
  }

  /** The first integration leaves; what is cut off is asked for again. */
  async function leaveFirst(): Promise<void> {
    const [host] = hosts;
    const [integration] = settings.integrations;
    if (host === undefined || integration === undefined) return;
    const { id } = integration;
    say('an operator', `has integration ${id} erased`);
    let isGone = false;
    for (let tries = 0; tries < 5 && !isGone; tries += 1) {
      await timeline.pass(HOUR_MS);
      const fate = tries < 4 ? fateOf(LEAVING(swarm), fates) : undefined;
      const done = await atWork((application, life) => leave(application, life, id), fate);
      isGone = done ?? false;
    }
    if (!isGone) violate('no stuck state', `the integration ${id} cannot be erased`);
    await store.mirror();
    if (violations.length === 0) checkLeft(world, id, false);
    const paid = oracle.payments.length;
    await timeline.pass(HOUR_MS);
    await syncOnce(host, integration, true);
    await store.mirror();
    if (oracle.payments.length > paid) violate('forgotten', `${id} has left, and pays again`);
    if (violations.length === 0) checkLeft(world, id, true);
  }

  /** Null if the process does not come to its end. */
  async function atWork<Result>(
    task: (application: Application, life: Life) => Promise<Result>,
    fate?: Fate,
  ): Promise<Result | null> {
    const [host] = hosts;
    if (host === undefined) return null;
    const life = bear(host, fate);
    const how = await live(life, async () => {
      try {
        const application = await openAs(life);
        try {
          return { result: await task(application, life) };
        } finally {
          await application.close();
        }
      } catch (error) {
        if (life.state === 'gone') return null;
        say(`process ${life.name}`, `ends: ${messageOf(error)}`);
        if (!isDonorSyncError(error)) violate('no error', stackOf(error));
        return null;
      }
    });
    return how === null || how === 'dead' || how === 'too long' ? null : how.result;
  }

  /** Serves until nothing is asked for any more; who dies is followed by another. */
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
        // Just when its engine is opened, the database may go.
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

  /** As they are while a process serves, which takes over from the dead. */
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
  }

  /** What users answer on pages and with a second person, while hosts sync. */
  async function answerMuch(): Promise<void> {
    if (swarm.desk.answers === 0) return;
    for (let times = answering.int(2, 12); times > 0; times -= 1) {
      await timeline.pass(answering.magnitude(1_000, 600_000));
      const integration = answering.one(settings.integrations);
      const crm = crms.get(integration?.id ?? '');
      if (integration === undefined || crm === undefined) return;
      const errand = answering.pick(ANSWER_ERRANDS);
      await atWork(async (application, life) => {
        await store.mirror();
        await doAnswer(answeringDeps, { application, integration, crm, life }, errand);
      });
    }
  }

  /** A service carries out by itself what was confirmed. */
  async function finishConfirmed(): Promise<void> {
    if (swarm.desk.answers === 0) return;
    for (const integration of settings.integrations) {
      const crm = crms.get(integration.id);
      if (crm === undefined) continue;
      await timeline.pass(HOUR_MS);
      await atWork((application, life) =>
        carryOutAll(answeringDeps, { application, integration, crm, life }),
      );
    }
  }

  /** It is repeated when all is well, as the product asks for. */
  function onErasureLeft(
    { integration, crm }: AnswerWork,
    record: Record_,
    alsoInCrm: boolean,
  ): void {
    const errand = { kind: 'forget', record, typed: record.id, alsoInCrm } as const;
    erasures.push({ integration, crm, errand });
  }

  /** Syncs as a cron line does: a process that dies, or finds another at work, is followed by one more. */
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

  /** Who was written last, when it is not on record yet that the CRM has it. */
  async function forgetWritten(host: Host, integration: Integration): Promise<void> {
    const living = crms.get(integration.id)?.living() ?? [];
    const last = living.toSorted((a, b) => (b.written?.at ?? 0) - (a.written?.at ?? 0)).at(0);
    if (last === undefined || last.written === null || !fates.chance(0.6)) return;
    // The lease of the dead runs out.
    await timeline.pass(35_000);
    const crm = crms.get(integration.id);
    if (crm === undefined) return;
    const errand = { kind: 'forget', record: last, typed: last.id, alsoInCrm: true } as const;
    if ((await runOnErrand(host, integration, crm, errand)) !== true) {
      erasures.push({ integration, crm, errand });
    }
  }

  async function playQuiet(): Promise<void> {
    const [host] = hosts;
    if (host === undefined) return;
    let isMoreToCome = true;
    for (let round = 0; round < (isMoreToCome ? MOST_ROUNDS : ROUNDS); round += 1) {
      // Leases of the dead run out meanwhile, and what is denied for its youth gets older.
      await timeline.pass(HOUR_MS);
      const before = oracle.payments.length;
      const beganAt = timeline.now();
      for (const integration of settings.integrations) {
        await syncOnce(host, integration, false);
        // As its message says.
        const { report } = ended.at(-1) ?? {};
        if (report?.reason?.code !== 'store_does_not_know_crm') continue;
        say('a person', `has the contacts of ${integration.id} taken over`);
        await syncOnce(host, integration, false, null, true);
      }
      await store.mirror();
      const [waiting] = store.rows(
        `select count(*) as count from contacts where state in ('due', 'submitted', 'ready')
          or (state = 'settled' and (outcome_reason in ('job_vanished', 'job_too_old') or asked_at < 0))`,
      );
      const [underWay] = store.rows(
        "select count(*) as count from contacts where state in ('submitted', 'ready')",
      );
      // Where a budget lets each run submit a few alone, those of the last round may still wait for their jobs.
      isMoreToCome = oracle.payments.length > before && underWay?.['count'] !== 0;
      // What a delivery shows of a contact (an opt-out) reaches its networks with the run after it.
      const isDone =
        oracle.payments.length === before && waiting?.['count'] === 0 && isAllShown(beganAt);
      if (isDone && (round > 0 || !swarm.networks)) return;
    }
  }

  /** False if a search that lags has not shown yet what was changed: a write hides what people did to the record before. */
  function isAllShown(searchedAt: number): boolean {
    const { lagMs } = swarm.people;
    if (lagMs === 0) return true;
    const records = [...crms.values()].flatMap((crm) => [...crm.records.values()]);
    return records.every(({ changedAt }) => changedAt <= searchedAt - lagMs);
  }

  /** How a process came to its end; `taken` if another one was at work. */
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

  /** Lets a process live until its work is done. */
  async function live<Result>(
    life: Life,
    task: () => Promise<Result>,
  ): Promise<Result | 'dead' | 'too long'> {
    const { promise: limit, resolve: giveUp } = Promise.withResolvers<'too long'>();
    const timer = timeline.after(LONGEST_RUN_MS, () => giveUp('too long'));
    const work = life.run(task);
    const how = await Promise.race([work, life.death.then((): 'dead' => 'dead'), limit]);
    timer.cancel();
    lives.delete(life.owner.processId);
    if (how === 'too long') violate('an end', `the run of process ${life.name} does not end`);
    return how;
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
          // As the command takes it.
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

  function openAs(life: Life): Promise<Application> {
    return openApplication({
      ...{
        settings,
        secretKey: SECRET_KEY,
        keyRing: KEY_RING,
        clock: life.clock,
        owner: life.owner,
      },
      log: logOf(life),
      neighbours: {
        openDatabase: async () => store.open(life),
        findConnectorDefinition: async () => simulatedConnector(crms, life),
        fetch: createWire(wire, life),
        openErasureLog: () => erasureLog.openFor(life),
        openWriteLog: () => writeLog,
        connectQueue: () => ({ db: store.openQueue(life) }),
      },
    });
  }

  /** What people ask of the product while hosts sync, and once more when that has failed. */
  async function workAtDesk(): Promise<void> {
    for (const integration of settings.integrations) {
      const crm = crms.get(integration.id);
      if (crm === undefined) continue;
      for (const errand of errandsOf(swarm.desk, crm, desk)) {
        await timeline.pass(desk.magnitude(1_000, 600_000));
        const host = desk.one(hosts);
        if (host === undefined) return;
        for (let tries = 0; tries < 3; tries += 1) {
          const how = await runOnErrand(host, integration, crm, errand);
          if (how === true) break;
          if (errand.kind === 'forget' && tries === 0) erasures.push({ integration, crm, errand });
          await timeline.pass(desk.magnitude(5_000, 300_000));
        }
      }
    }
  }

  /** An erasure that was cut off is repeated, as the product asks for. */
  async function finishErasures(): Promise<void> {
    const [host] = hosts;
    for (const { integration, crm, errand } of erasures) {
      if (host === undefined || errand.record.forgottenAt !== null) continue;
      await timeline.pass(HOUR_MS);
      mayBeTaken = swarm.faults.clockJump > 0;
      const isDone = await runOnErrand(host, integration, crm, errand);
      mayBeTaken = false;
      if (isDone) continue;
      await timeline.pass(HOUR_MS);
      await runOnErrand(host, integration, crm, errand);
    }
  }

  /** True if it is done, or cannot be done. */
  async function runOnErrand(
    host: Host,
    integration: Integration,
    crm: SimulatedCrm,
    errand: Errand,
  ): Promise<boolean> {
    if (errand.kind === 'only') {
      return (await syncOnce(host, integration, false, errand.typed)) === 'over';
    }
    const life = bear(host);
    life.isAtDesk = errand.kind !== 'decide';
    const how = await live(life, async () => {
      try {
        const application = await openAs(life);
        try {
          const { now } = timeline;
          const { onChangesDecided } = oracle;
          const work = {
            ...{ application, integration, life, crm, random: desk, now, say },
            ...{ onChangesDecided, answers },
          };
          return await runErrand(work, errand);
        } finally {
          await application.close();
        }
      } catch (error) {
        if (life.state === 'gone') return false;
        say(`process ${life.name}`, `ends: ${messageOf(error)}`);
        if (!isDonorSyncError(error)) violate('no error', stackOf(error));
        const isUnknown = isDonorSyncError(error) && error.code === 'contact_unknown';
        const isTaken = isDonorSyncError(error) && error.code === 'already_running';
        if (isCalm && !isUnknown && !(isTaken && mayBeTaken))
          violate('no stuck state', `an erasure fails: ${messageOf(error)}`);
        return isUnknown;
      }
    });
    return how === true;
  }

  function bear(host: Host, fate: Fate | null = null): Life {
    host.lives += 1;
    const processId = 1_000 + lives.size + hosts.indexOf(host) * 100 + host.lives * 1_000;
    const life = beginLife({
      ...{ host: host.name, number: host.lives, processId, clock: host.clock, timeline, say },
      hostName: swarm.sameHostName ? 'one' : host.name,
      space: spaceOf(host),
      fate: fate ?? (isCalm ? { kill: null, freeze: null, stop: null } : fateOf(swarm, fates)),
      random: fates,
      passed(point) {
        trace.note(`${life.name} ${point}`);
        coverage.point(point);
      },
      onFreeze(ms) {
        stills.push({ from: timeline.now(), until: timeline.now() + ms });
        // Another may take over, and what it has received and not written down is lost.
        if (ms > LEASE_MS) oracle.onTrouble();
      },
      onDeath(dead, point) {
        killed += 1;
        coverage.kill(point);
        oracle.onTrouble();
        store.drop(dead);
      },
    });
    lives.set(processId, life);
    births.set(life.name, timeline.now());
    named.set(life.name, life);
    return life;
  }

  function spaceOf({ name }: Host): string | null {
    if (!swarm.areProcessesKnown) return null;
    return isServer ? `boot-${name}` : 'boot';
  }

  function logOf(life: Life): Log {
    const line = (_: object, message: string) => trace.note(`${life.name} ${message}`);
    return { ...silentLog, info: line, warn: line, error: line };
  }
}

/** Kills alone, where something is written. */
const LEAVING = (swarm: Swarm): Swarm => ({
  ...swarm,
  faults: { ...NO_FAULTS, kill: 0.7 },
  struckAt: ['begin', 'commit', 'committed', 'update integrations', 'delete from contacts done'],
});

const TAKEN_FOR_CHARGED = "select id from submissions where state = 'charged' and persons = ?";

const TAKEN_FOR_FREE =
  'select id from submissions where lost_at is not null and charged = 0 and persons = ?';

const OPEN_TOGETHER = 'select slot, count(*) as count from submissions group by slot';

const LOST_TOGETHER = `
  select count(*) as count from submissions where state in ('charged', 'not_charged')
  group by partner_key, closed_at`;
