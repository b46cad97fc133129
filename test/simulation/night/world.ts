/** Creates the simulated world from the seed: the CRMs, the service, the hosts, the users and the shared state. */
import type { Integration } from '../../../src/core/integration-settings.ts';
import type { RunReport } from '../../../src/core/run.ts';
import type { Settings } from '../../../src/settings/settings.ts';
import { createSimulatedCrm, type SimulatedCrm } from '../crm/crm.ts';
import type { Record_ } from '../crm/record.ts';
import type { SharedStore } from '../database/store.ts';
import { clockOf } from '../faults/fates.ts';
import { type Answers, createAnswers } from '../judges/answers.ts';
import { createOracle, type Oracle } from '../judges/credits/oracle.ts';
import { createJudgeQueries } from '../judges/credits/queries.ts';
import { createLooks, type Looks } from '../judges/subjects.ts';
import { createHumans, type Humans } from '../people/humans.ts';
import { type Coverage, createPeople, type People } from '../people/people.ts';
import type { HostClock } from '../processes/process.ts';
import type { Random } from '../random.ts';
import { createServiceModel, type ServiceModel } from '../service/service.ts';
import { settingsOf } from '../settings.ts';
import { type Faults, NO_FAULTS, type Swarm } from '../swarm/swarm.ts';
import type { Timeline } from '../timeline.ts';
import type { Trace } from '../trace.ts';
import { createRoster, type Roster } from './roster.ts';

export interface Violation {
  invariant: string;
  what: string;
}

export interface NightParts {
  store: SharedStore;
  swarm: Swarm;
  coverage: Coverage;
  random: Random;
  timeline: Timeline;
  trace: Trace;
  violations: Violation[];
}

/** The end of a run, as the process observed it before it died. */
export interface EndedRun {
  integration: string;
  life: string;
  report: RunReport | null;
  error: unknown;
}

export interface Host {
  name: string;
  clock: HostClock;
  lives: number;
}

/** The part of the night that judges can see. */
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
  /** Returns true if the process was killed, stopped or frozen. */
  wasHurt(name: string): boolean;
  /** Records that a judge compares something that the subject is about. */
  look(judge: string, subject: string): void;
  /** Special events of this simulated night. */
  reached: Set<string>;
}

/** The state that the parts of a simulated night share. */
export interface Night extends World {
  coverage: Coverage;
  random: Random;
  /** The random numbers for processes' faults, clock settings and users' requests. Several parts use them. */
  fates: Random;
  clocks: Random;
  desk: Random;
  answering: Random;
  ended: EndedRun[];
  violations: readonly Violation[];
  roster: Roster;
  hosts: readonly Host[];
  settings: Settings;
  answers: Answers;
  looks: Looks;
  people: People;
  isServer: boolean;
  /** True in the part of the night that has no faults. */
  isCalm: boolean;
  /** The time since which a user has to approve spending. Null if no approval is needed. */
  heldSince: number | null;
  faults(): Faults;
  say(who: string, what: string): void;
}

const TAKEN_FOR_CHARGED = "select id from submissions where state = 'charged' and persons = ?";

const TAKEN_FOR_FREE =
  'select id from submissions where lost_at is not null and charged = 0 and persons = ?';

/**
 * Finds a contact that is missing in its list but does not count as gone, for example because a user has to decide.
 */
const EXPECTED =
  "select crm_id from contacts where crm_id = ? and missing_since is not null and state <> 'removed'";

export function createWorld(parts: NightParts): Night {
  const { store, swarm, random, timeline, trace, violations } = parts;
  const { say } = trace;
  const isServer = swarm.store === 'server';
  const fates = random.split('fates');
  const clocks = random.split('clocks');
  const ended: EndedRun[] = [];
  const roster = createRoster();
  const { births, forOne } = roster;
  const violate = (invariant: string, what: string) => {
    say('VIOLATION', `of "${invariant}": ${what}`);
    violations.push({ invariant, what });
  };
  const faults = () => (night.isCalm ? NO_FAULTS : swarm.faults);

  const humans = createHumans(random.split('humans'));
  const crms = new Map<string, SimulatedCrm>();
  for (let index = 0; index < swarm.integrations; index += 1) {
    const name = ['north', 'south'][index] ?? `crm${index}`;
    const crm = createSimulatedCrm({
      ...{ name, timeline, random: random.split(`crm ${name}`), say, violate },
      faultRate: () => faults().crm,
      lagMs: swarm.people.lagMs,
      slowMs: swarm.people.slowMs,
      isList: swarm.isList,
      pageSize: swarm.pageSize,
      isUndisturbed: isUndisturbed(swarm.faults),
      objectors: swarm.settings.objectors,
      hasAutomation: swarm.people.automation > 0,
      keepsAuthors: swarm.people.keepsAuthors > 0,
      // Values that an erased record passed on in a merge cannot be distinguished from a user's values.
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
  const looks = createLooks();
  const { look } = looks;
  const oracle = createOracle({
    ...{ swarm, crms: [...crms.values()], now: timeline.now, violate, look },
    events: () => night.reached,
    isForOne: (name: string) => forOne.has(name),
    outages: () => [...store.outages, ...roster.stills],
    isTakenForCharged: (persons: number) => store.rows(TAKEN_FOR_CHARGED, persons).length > 0,
    isStillExpected: ({ id }: Record_) => store.rows(EXPECTED, id).length > 0,
    isTakenForFree: (persons: number) => store.rows(TAKEN_FOR_FREE, persons).length > 0,
    charges: () => service.charges,
    bornAt: (name: string) => births.get(name) ?? 0,
  });
  const { isUnknown } = oracle;
  const answers = createAnswers({ swarm, store, now: timeline.now, isUnknown, violate, look });
  const service = createServiceModel({
    ...{ timeline, random: random.split('service'), humans, habits: swarm.service, say },
    onPaid(jobs, balance) {
      const since = night.heldSince ?? Number.POSITIVE_INFINITY;
      if (jobs.some(({ sender }) => (births.get(sender) ?? 0) >= since)) {
        violate('a person agrees', 'a database that was put back spends before a person agrees');
      }
      oracle.onPaid(jobs, balance);
    },
    isWell: () => night.isCalm,
    onQuery: createJudgeQueries({
      swarm,
      violate,
      look,
      reach: (event) => night.reached.add(event),
    }),
    onBalance: oracle.onBalance,
    onPaidTwice(members, { unreachable }) {
      if (swarm.faults.restore > 0) return;
      // An erased member remains in the network of an unused key. After the erasure, no data shows this.
      const isForgotten = (id: string) => unreachable.has(id) && hasBegunErasure(crms, id);
      const { length } = members.filter((id) => !isForgotten(id));
      if (length > 0) violate('paid once', `${length} members of a network are paid for twice`);
    },
  });
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
  const night: Night = {
    ...{
      swarm,
      timeline,
      trace,
      store,
      service,
      oracle,
      humans,
      crms,
      violate,
      ended,
      looks,
      look,
    },
    ...{ coverage: parts.coverage, random, fates, clocks, violations, roster, hosts, settings },
    ...{ answers, people, isServer, isCalm: false, heldSince: null, faults, say },
    desk: random.split('desk'),
    answering: random.split('answers'),
    reached: new Set(),
    wasHurt: (name) => roster.named.get(name)?.wasHurt ?? false,
    integrations: settings.integrations,
  };
  return night;
}

/** Returns true if the erasure of a contact has started that now or formerly belonged to this donor. */
function hasBegunErasure(crms: ReadonlyMap<string, SimulatedCrm>, donorId: string): boolean {
  const records = [...crms.values()].flatMap((crm) => [...crm.records.values()]);
  return records.some(
    ({ human, former, erasureBegunAt }) =>
      erasureBegunAt !== null &&
      [human, ...former.map((each) => each.human)].some((each) => each.donorId === donorId),
  );
}

/** Returns true if no process freezes and the database is always available. */
function isUndisturbed({ freeze, databaseAway, diskFull }: Faults): boolean {
  return freeze + databaseAway + diskFull === 0;
}
