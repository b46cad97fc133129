/** One night: a world from a seed, the product in it, and whether every promise was kept. */
import { openApplication } from '../../src/application.ts';
import { settingsSchema } from '../../src/config/settings-schema.ts';
import type { Settings } from '../../src/config.ts';
import { isDonorSyncError, messageOf } from '../../src/core/errors.ts';
import type { Integration } from '../../src/core/integration.ts';
import { type Log, silentLog } from '../../src/core/log.ts';
import type { RunReport } from '../../src/core/run.ts';
import { LEASE_MS } from '../../src/store/engine/leases.ts';
import { runSync } from '../../src/sync/run.ts';
import { checkNight } from './check.ts';
import { createSimulatedCrm, type SimulatedCrm, simulatedConnector } from './crm.ts';
import { createHumans, type Humans } from './humans.ts';
import { createOracle, type Oracle } from './oracle.ts';
import { type Coverage, createPeople } from './people.ts';
import { type Blow, beginLife, type Fate, type HostClock, type Life } from './process.ts';
import { createRandom, type Random } from './random.ts';
import { createServiceModel, type ServiceModel } from './service.ts';
import type { Backup, SharedStore } from './store.ts';
import type { Faults, Session, Swarm } from './swarm.ts';
import { setChance, setLiving } from './takeover.ts';
import { atRest, createTimeline, type Timeline } from './timeline.ts';
import { createTrace, type Trace } from './trace.ts';
import { BASE_URL, createWire } from './wire.ts';

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

/** A night that takes more events than this turns in a circle. */
const MOST_STEPS = 150_000;

export const SECRET_KEY = `k1:${Buffer.alloc(32, 7).toString('base64')}`;

export const NO_FAULTS: Faults = {
  ...{ kill: 0, stop: 0, freeze: 0, clockSkew: 0, clockJump: 0, lostRequest: 0, lostAnswer: 0 },
  ...{ cutAnswer: 0, badGateway: 0, serverError: 0, throttle: 0, crm: 0, databaseAway: 0 },
  ...{ diskFull: 0, restore: 0 },
};

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
}

/** Simulates the night of a swarm. The same swarm brings the same night. */
export async function simulateNight(
  store: SharedStore,
  swarm: Swarm,
  coverage: Coverage,
): Promise<NightResult> {
  const random = createRandom(`night ${swarm.seed}`);
  const timeline = createTimeline(START, random.split('ties'));
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
    await atRest();
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
  let isCalm = false;
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
    });
    crms.set(name, crm);
    for (let number = 0; number < swarm.contacts; number += 1) {
      crm.add(humans.another(), humans.details());
    }
    if (swarm.networks) crm.groups.set('board', new Set([...crm.records.keys()].slice(0, 6)));
  }
  const oracle = createOracle({
    ...{ swarm, crms: [...crms.values()], now: timeline.now, violate },
    charges: () => service.charges,
    bornAt: (name: string) => births.get(name) ?? 0,
  });
  const service = createServiceModel({
    ...{ timeline, random: random.split('service'), humans, habits: swarm.service, say },
    onPaid: oracle.onPaid,
  });
  const wire = {
    ...{ timeline, random: random.split('wire'), service, faults, say },
    quietMs: swarm.settings.settleAfterMs,
    submitMs: swarm.service.submitMs,
    onFault: (fault: string, endpoint: string) => coverage.fault(fault, endpoint),
    onAnswered: (_: unknown, { body }: { body: unknown }) => {
      const ids: unknown = Reflect.get(Object(body), 'tracking_id_to_job_id');
      if (typeof ids === 'object' && ids !== null)
        oracle.onAnswered(Object.values(ids).map(String));
    },
  };
  const people = createPeople({
    ...{ random: random.split('people'), timeline, humans, crms, swarm, oracle, service, say },
  });
  const settings = settingsOf(swarm, [...crms.keys()]);
  const machine: HostClock = clockOf();
  const hosts: Host[] = Array.from({ length: swarm.hosts }, (_, index) => ({
    name: String.fromCharCode(65 + index),
    clock: isServer ? clockOf() : machine,
    lives: 0,
  }));
  const world: World = {
    ...{ swarm, timeline, trace, store, service, oracle, humans, crms, violate, ended },
    integrations: settings.integrations,
  };
  store.begin({
    ...{ kind: swarm.store, timeline, random: random.split('store'), say },
    onCheckpoint(client, integration, owner) {
      if (owner?.includes(client.owner.start)) return;
      const what = `process ${client.name} writes for ${integration}, whose lease is ${owner ?? 'no one'}'s`;
      violate('one run at a time', what);
    },
    clockOffsetMs: swarm.faults.clockSkew > 0 ? clocks.int(-2_000, 2_000) : 0,
  });
  setLiving((processId) => {
    const life = lives.get(processId);
    return life !== undefined && life.state !== 'gone';
  });
  return { world, play };

  /** The whole night: sessions with faults, then a time without any, then the reckoning. */
  async function play(): Promise<void> {
    let backup: { rows: Backup; at: number } | null = null;
    for (const session of swarm.sessions) {
      await timeline.pass(session.afterHours * HOUR_MS + 1_000);
      if (backup !== null && swarm.faults.restore > 0 && fates.chance(0.7)) {
        store.restore(backup.rows);
        oracle.onRestored(backup.at);
        say('somebody', `puts the backup of ${new Date(backup.at).toISOString()} back`);
        backup = null;
      }
      await playSession(session);
      if (swarm.faults.restore > 0) backup = { rows: store.backUp(), at: timeline.now() };
    }
    isCalm = true;
    for (const host of hosts) {
      host.clock.offsetMs = 0;
      host.clock.rate = 1;
    }
    people.makeWell();
    say('everything', 'is well from now on');
    await playQuiet();
    if (violations.length === 0) checkNight(world);
    for (const { slot, count } of store.rows(OPEN_TOGETHER)) {
      for (let times = 0; times < Number(count); times += 1)
        coverage.together('open', Number(slot));
    }
    for (const { count } of store.rows(LOST_TOGETHER)) coverage.together('lost', Number(count));
  }

  async function playSession(session: Session): Promise<void> {
    const { promise: end, resolve: finish } = Promise.withResolvers<void>();
    const disturbing = disturb(end);
    const working = people.work(end);
    const syncing = [...hosts].slice(0, session.hosts).map(async (host) => {
      await timeline.pass(fates.chance(0.5) ? fates.int(0, 2_000) : fates.int(0, 60_000));
      for (const integration of settings.integrations) {
        await keepSyncing(host, integration, session.full);
      }
    });
    await Promise.all(syncing);
    finish();
    await Promise.all([disturbing, working]);
  }

  /** Syncs as a cron line does: a process that dies, or finds another at work, is followed by one more. */
  async function keepSyncing(host: Host, integration: Integration, full: boolean): Promise<void> {
    const mostLives = 4;
    for (let life = 0; life < mostLives; life += 1) {
      const how = await syncOnce(host, integration, full);
      if (how === 'over' || (how === 'taken' && fates.chance(0.3))) return;
      await timeline.pass(
        how === 'taken' ? fates.int(5_000, 60_000) : fates.magnitude(100, 200_000),
      );
    }
  }

  async function playQuiet(): Promise<void> {
    const [host] = hosts;
    if (host === undefined) return;
    for (let round = 0; round < 4; round += 1) {
      // Leases of the dead run out meanwhile, and what is denied for its youth gets older.
      await timeline.pass(HOUR_MS);
      const before = oracle.payments.length;
      for (const integration of settings.integrations) await syncOnce(host, integration, false);
      const [waiting] = store.rows(
        "select count(*) as count from contacts where state in ('due', 'submitted', 'ready')",
      );
      if (oracle.payments.length === before && waiting?.['count'] === 0) return;
    }
  }

  /** How a process came to its end; `taken` if another one was at work. */
  async function syncOnce(
    host: Host,
    integration: Integration,
    full: boolean,
  ): Promise<'over' | 'taken' | 'dead' | 'too long'> {
    const life = bear(host);
    say(`process ${life.name}`, `begins to sync ${integration.id}${full ? ' in full' : ''}`);
    const { promise: limit, resolve: giveUp } = Promise.withResolvers<'too long'>();
    const timer = timeline.after(LONGEST_RUN_MS, () => giveUp('too long'));
    const work = life.run(() => sync(life, integration, full));
    const how = await Promise.race([work, life.death.then((): 'dead' => 'dead'), limit]);
    timer.cancel();
    lives.delete(life.owner.processId);
    if (how === 'too long') violate('an end', `the run of process ${life.name} does not end`);
    return how;
  }

  async function sync(
    life: Life,
    integration: Integration,
    full: boolean,
  ): Promise<'over' | 'taken'> {
    let report: RunReport | null = null;
    let failure: unknown = null;
    try {
      const application = await openApplication({
        ...{ settings, secretKey: SECRET_KEY, clock: life.clock, owner: life.owner },
        log: logOf(life),
        neighbours: {
          openDatabase: async () => store.open(life),
          findConnectorDefinition: async () => simulatedConnector(crms, life),
          fetch: createWire(wire, life),
        },
      });
      const open = await application.open(integration, life.stopping.signal);
      try {
        const { deps, mappings, partnerKey, stages, calls } = open;
        const request = {
          ...{ integration, mappings, partnerKey, full, only: null, stages },
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
    judgeEnd(life, report, failure);
    return isDonorSyncError(failure) && failure.code === 'already_running' ? 'taken' : 'over';
  }

  function judgeEnd(life: Life, report: RunReport | null, error: unknown): void {
    const reason = report?.reason ? ` (${report.reason.code})` : '';
    const end = report ? `${report.status}${reason}` : `throws: ${messageOf(error)}`;
    say(`process ${life.name}`, `ends: ${end}`);
    if (report?.status === 'succeeded') oracle.onEndedWell(life.name);
    if (error !== null && !isDonorSyncError(error)) violate('no error', stackOf(error));
    if (report?.status === 'failed' && report.reason?.code === 'unexpected_error') {
      violate('no error', `a run fails: ${report.reason.message}`);
    }
    if (isCalm && report?.status === 'failed') {
      violate('no stuck state', `a quiet run fails: ${report.reason?.code}`);
    }
    if (isDonorSyncError(error) && error.code.startsWith('database_')) oracle.onTrouble();
  }

  function bear(host: Host): Life {
    host.lives += 1;
    const processId = 1_000 + lives.size + hosts.indexOf(host) * 100 + host.lives * 1_000;
    const life = beginLife({
      ...{ host: host.name, number: host.lives, processId, clock: host.clock, timeline, say },
      space: isServer ? `boot-${host.name}` : 'boot',
      fate: isCalm ? { kill: null, freeze: null, stop: null } : fateOf(),
      random: fates,
      passed(point) {
        trace.note(`${host.name}${host.lives} ${point}`);
        coverage.point(point);
      },
      onFreeze(ms) {
        // Another may take over, and what it has received and not written down is lost.
        if (ms > LEASE_MS) oracle.onTrouble();
      },
      onDeath(dead, point) {
        coverage.kill(point);
        oracle.onTrouble();
        store.drop(dead);
      },
    });
    lives.set(processId, life);
    births.set(life.name, timeline.now());
    return life;
  }

  function fateOf(): Fate {
    const { kill, freeze, stop } = swarm.faults;
    const isKilled = fates.chance(kill);
    const isFrozen = fates.chance(freeze);
    const isStopped = fates.chance(stop);
    const killed = blow(FAILPOINTS);
    const frozen = {
      ...blow(BEFORE_SPENDING),
      ms: fates.chance(0.5) ? fates.magnitude(500, 600_000) : fates.int(35_000, 200_000),
    };
    const stopped = { times: fates.magnitude(1, 800) };
    return {
      kill: isKilled ? killed : null,
      freeze: isFrozen ? frozen : null,
      stop: isStopped ? stopped : null,
    };
  }

  /** Somewhere, or shortly after one of these points. */
  function blow(points: readonly [string, ...string[]]): Blow {
    const point = fates.chance(0.6) ? fates.pick(points) : null;
    const anywhere = fates.chance(0.5) ? fates.magnitude(1, 800) : fates.int(1, 400);
    const times = point === null ? anywhere : fates.chance(0.6) ? 1 : fates.magnitude(1, 6);
    return { point, times, later: point === null || fates.chance(0.3) ? 0 : fates.int(1, 12) };
  }

  function clockOf(): HostClock {
    if (swarm.faults.clockSkew === 0) return { offsetMs: 0, rate: 1 };
    const sign = clocks.chance(0.5) ? 1 : -1;
    return {
      offsetMs: sign * clocks.magnitude(1, 900_000),
      rate: 1 + (clocks.next() - 0.5) * 0.002,
    };
  }

  /** What goes wrong by itself while a session lasts. */
  async function disturb(end: Promise<void>): Promise<void> {
    const { databaseAway, diskFull, clockJump } = swarm.faults;
    const chaos = random.split(`chaos ${timeline.now()}`);
    let isOver = false;
    void end.then(() => {
      isOver = true;
    });
    for (let minute = 0; !isOver && minute < 30; minute += 1) {
      if (chaos.chance(databaseAway)) {
        timeline.after(chaos.int(0, 59_000), () => {
          if (!isOver) store.goAway(chaos.magnitude(50, 40_000));
        });
      }
      if (chaos.chance(diskFull)) {
        timeline.after(chaos.int(0, 59_000), () => {
          if (!isOver) store.fillDisk(chaos.magnitude(1_000, 60_000));
        });
      }
      if (chaos.chance(clockJump)) timeline.after(chaos.int(0, 59_000), () => jump(chaos));
      await timeline.pass(chaos.int(20_000, 60_000));
    }
  }

  function jump(chaos: Random): void {
    const host = chaos.one(hosts);
    if (host === undefined || isCalm) return;
    const sign = chaos.chance(0.5) ? 1 : -1;
    host.clock.offsetMs += sign * chaos.magnitude(100, 86_400_000);
    const minutes = Math.round(host.clock.offsetMs / 60_000);
    say(`the clock of host ${host.name}`, `is set: ${minutes} minutes ahead of the true time`);
  }

  function logOf(life: Life): Log {
    const line = (_: object, message: string) => trace.note(`${life.name} ${message}`);
    return { ...silentLog, info: line, warn: line, error: line };
  }
}

/** Where a kill hurts most: between disk and wire. */
const FAILPOINTS = [
  'send POST /enhancements',
  'answer POST /enhancements',
  'no answer POST /enhancements',
  'begin',
  'commit',
  'committed',
  'insert into submissions',
  'insert into submissions done',
  'update submissions',
  'update submissions done',
  'update contacts',
  'update jobs',
  'insert into writes done',
  'crm write',
  'crm write answered',
  'send GET /credits',
  'answer GET /credits',
  'send POST /networks/ID/members/batch',
  'answer POST /networks/ID/members/batch',
  'send POST /networks/ID/members/remove',
] as const;

/** What comes before a request that spends: who stands still soon after may be overtaken. */
const BEFORE_SPENDING = [
  'insert into submissions done',
  'insert into submissions',
  'insert into network_adds done',
  'answer GET /credits',
  'crm read answered',
] as const;

const OPEN_TOGETHER = 'select slot, count(*) as count from submissions group by slot';

const LOST_TOGETHER = `
  select count(*) as count from submissions where state in ('charged', 'not_charged')
  group by partner_key, closed_at`;

function settingsOf(swarm: Swarm, names: readonly string[]): Settings {
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
        trial: { size: settings.trial ? 25 : 0, minKnown: 0.1 },
      },
      networks: swarm.networks ? [{ name: `Board ${name}`, group: { group: 'board' } }] : [],
      onLostAnswer: settings.onLostAnswer,
      settleAfterMs: settings.settleAfterMs,
    })),
  });
  return { ...parsed, path: '/simulated' };
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
