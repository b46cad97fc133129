/**
 * What a night is made of. Each seed switches features and faults on and off: a night with all of them
 * would hide what shows only where some are missing. Everything here is plain data, so that a failing
 * night can be printed, and made smaller piece by piece.
 */
import { createRandom, type Random } from '../random.ts';

export interface Swarm {
  seed: number;
  /** One machine with an SQLite file, or several with a database server whose clock all share. */
  store: 'machine' | 'server';
  hosts: number;
  /** True if processes can tell which of their machine live, as on Linux. */
  areProcessesKnown: boolean;
  integrations: number;
  /** True if all integrations have one partner key; otherwise each has its own. */
  sharedKey: boolean;
  /** Contacts in the CRM of each integration when it begins. */
  contacts: number;
  /** How many of them a CRM sends at once. */
  pageSize: number;
  sessions: readonly Session[];
  faults: Faults;
  people: People;
  service: ServiceHabits;
  settings: NightSettings;
  /** True if groups become networks. */
  networks: boolean;
  desk: Desk;
  /** True if all hosts have one name, as containers may. */
  sameHostName: boolean;
  /** True if every other host begins with the last integration. */
  isCrossed: boolean;
  /** Where processes are killed or stand still, or shortly afterwards; null for wherever it hurts. */
  struckAt: readonly [string, ...string[]] | null;
  beside: Beside;
}

/** What the product does besides syncing; 0 or 1 each. */
export interface Beside {
  /** What was kept for long enough goes. */
  purge: number;
  /** A backup is put back by the product's own means: nothing is spent before a person agrees. */
  agree: number;
  /** An integration leaves at the end, and all that is known of it is erased. */
  leave: number;
  /** Hosts answer requests of schedules, people and webhooks, in the place of syncing once. */
  serve: number;
  /** Schedules have times of their own, which processes that serve look at. */
  schedule: number;
}

/** Some hours in which hosts sync and people work. */
export interface Session {
  /** Since the end of the one before. */
  afterHours: number;
  /** How many hosts sync; all of them begin within a minute. */
  hosts: number;
  full: boolean;
}

/** How likely each fault is, mostly per request, statement or life of a process; 0 switches it off. */
export interface Faults {
  /** A process is killed within its life. */
  kill: number;
  /** A process is asked to stop (SIGTERM). */
  stop: number;
  /** A process stands still for a while (SIGSTOP, a sleeping laptop). */
  freeze: number;
  /** A clock is wrong by seconds, or minutes. */
  clockSkew: number;
  /** A clock is set while a process runs. */
  clockJump: number;
  /** A request does not arrive at the service. */
  lostRequest: number;
  lostAnswer: number;
  cutAnswer: number;
  /** A gateway answers 502 in place of the service, before or after it has done the work. */
  badGateway: number;
  /** The service answers 500, and refunds. */
  serverError: number;
  /** Something else with the same key uses up the rate. */
  throttle: number;
  /** An operation of the CRM fails, before or after it took effect. */
  crm: number;
  /** The database is away for seconds, per minute of the night. */
  databaseAway: number;
  /** The disk is full for a while, likewise. */
  diskFull: number;
  /** The file of the database is replaced by a copy while processes have it open, per minute. */
  replaced: number;
  /** A newer version brings the schema further while processes of this one are at work, per minute. */
  newer: number;
  /** Yesterday's backup is put back. */
  restore: number;
}

/** What people do in the CRM while hosts sync, in edits per contact and session. */
export interface People {
  move: number;
  moveBack: number;
  newJob: number;
  respell: number;
  type: number;
  merge: number;
  remove: number;
  create: number;
  optOut: number;
  /** The integration's user loses a field of the identity, or gets it back; per session. */
  revoke: number;
  /** A deleted contact is put back, one that opted out opts in again. */
  comeBack: number;
  optIn: number;
  /** Of the contacts: a second record of the same human being. */
  doubles: number;
  /** How long the CRM's search lags behind its records (ms). */
  lagMs: number;
  /** It takes so long for each way of a request at most (ms), if that is longer than usual. */
  slowMs: number;
  /** Who was erased is merged, and so is who has taken in such a contact; per session. */
  mergeErased: number;
  /** A record becomes another human being: somebody types another name and other details over it. */
  become: number;
  /** Of the sessions: a rule refuses some values of a field, until the session ends or longer. */
  rule: number;
  /** Of the sessions: the integration's user may not write a field; a field is too short. */
  lock: number;
  narrow: number;
  /** The integration's user does not see a record for a while, and nothing tells of it. */
  vanish: number;
  /** 1 if a flow of the CRM changes a value after each write. */
  automation: number;
  /** 1 if a merge fills blank fields of the record that stays from the other one. */
  fillsBlanks: number;
}

/** What people do at the product itself; per integration and session. */
export interface Desk {
  /** Decide holds, one by one or in batches. */
  decide: number;
  /** Take a run back. */
  undo: number;
  /** Sync a single contact. */
  only: number;
  /** Erase a contact. */
  forget: number;
  /** 1 if users answer on pages, where they can withdraw it, and with a second person. */
  answers: number;
}

export interface ServiceHabits {
  /** Of the jobs: end as failed, are forgotten after a while, are of another person. */
  failed: number;
  vanished: number;
  wrongPerson: number;
  deceased: number;
  /** It may deny a job that it has, while that is young: not all of its machines know it. */
  denied: number;
  /** Of the submissions: it takes up a part of them alone. */
  partly: number;
  /** Persons that are refused by a 422. */
  invalid: number;
  /** Credits at the start, for each key. */
  credits: number;
  /** Another user spends from the same bucket, per minute. */
  otherSpender: number;
  /** Credits are bought right after an answer was lost. */
  buyer: number;
  /** As many credits are bought as a lost answer has cost, once its process knows that it is lost. */
  hidingBuyer: number;
  /** Jobs take at most so long (ms). */
  jobMs: number;
  /** The answer to a submission takes so long (ms), so that several are under way at one time. */
  submitMs: number;
}

export interface NightSettings {
  onLostAnswer: 'hold' | 'resubmit';
  keep: number;
  perRun: number | null;
  perMonth: number | null;
  refreshDays: number | null;
  whenIdentityChanges: boolean;
  shareProfiles: boolean;
  settleAfterMs: number;
  trial: boolean;
  trialSize: number;
  massChangeAtLeast: number;
  /** Persons in a submission at most: small ones, so that few contacts make many. */
  batch: number;
}

/** Of the nights: so many are about who a record is, and about what a CRM refuses; the others are as they would be without. */
const PERSONS = 0.25;

/**
 * The same night in which records become other human beings, rules refuse values, flows change them and merges
 * fill blanks.
 */
export function withPersons(swarm: Swarm): Swarm {
  const persons = createRandom(`swarm ${swarm.seed} persons`);
  const people = {
    ...swarm.people,
    become: persons.chance(0.8) ? 0.5 * persons.next() : 0,
    rule: persons.chance(0.5) ? persons.next() : 0,
    automation: persons.chance(0.4) ? 1 : 0,
    fillsBlanks: persons.chance(0.5) ? 1 : 0,
    lock: persons.chance(0.3) ? persons.next() : 0,
    narrow: persons.chance(0.3) ? persons.next() : 0,
    vanish: persons.chance(0.2) ? 0.3 * persons.next() : 0,
  };
  const night = { ...swarm, people };
  return persons.chance(0.15) ? renameUnderRules(night) : night;
}

/** Nothing goes wrong but that records which hold values become other human beings while a rule refuses some of theirs. */
function renameUnderRules(swarm: Swarm): Swarm {
  const night = structuredClone(swarm);
  makePlain(night);
  Object.assign(night.people, { become: 0.7, rule: 1 });
  night.settings.massChangeAtLeast = 25;
  night.contacts = Math.min(Math.max(night.contacts, 4), 12);
  night.sessions = [0, 24].map((afterHours) => ({ afterHours, hosts: 1, full: false }));
  return night;
}

/** The night of a seed; `serve` makes it one of those in which hosts serve. */
export function swarmOf(seed: number, serve = false): Swarm {
  const random = createRandom(`swarm ${seed}`);
  const { chance, int, magnitude, pick } = random;
  const some = (probability: number, most: number) =>
    chance(probability) ? most * random.next() ** 2 : 0;
  const store = pick(['machine', 'server']);
  const hosts = pick([1, 1, 1, 1, 2, 2, 3, 4]);
  const integrations = pick([1, 1, 1, 1, 1, 2]);
  const sessions = Array.from({ length: pick([1, 1, 1, 2, 2, 3]) }, () => ({
    afterHours: pick([0, 1, 20, 24, 24, 48, 24 * 8, 24 * 400]),
    hosts: int(1, hosts),
    full: chance(0.15),
  }));
  const isMoneyScarce = chance(0.15);
  // What came along later has a stream of its own, so that older seeds keep the rest of their nights.
  const later = createRandom(`swarm ${seed} later`);
  const someLater = (probability: number, most: number) =>
    later.chance(probability) ? most * later.next() ** 2 : 0;
  const contacts = chance(0.8) ? magnitude(1, 6) : magnitude(1, 30);
  const swarm: Swarm = {
    seed,
    ...{ store, hosts, integrations, contacts, sessions },
    pageSize: 8,
    areProcessesKnown: true,
    sharedKey: chance(0.7),
    faults: {
      kill: chance(0.5) ? random.next() : 0,
      stop: chance(0.3) ? random.next() : 0,
      freeze: chance(0.3) ? random.next() : 0,
      clockSkew: chance(0.3) ? 1 : 0,
      clockJump: chance(0.2) ? random.next() : 0,
      lostRequest: some(0.3, 0.2),
      lostAnswer: some(0.4, 0.3),
      cutAnswer: some(0.3, 0.2),
      badGateway: some(0.3, 0.2),
      serverError: some(0.3, 0.3),
      throttle: some(0.2, 0.3),
      crm: some(0.3, 0.15),
      databaseAway: some(0.25, 1),
      diskFull: some(0.1, 0.5),
      replaced: 0,
      newer: 0,
      restore: chance(0.05) ? 1 : 0,
    },
    people: {
      move: some(0.5, 0.5),
      moveBack: some(0.3, 0.3),
      newJob: some(0.3, 0.3),
      respell: some(0.5, 1),
      type: some(0.5, 0.6),
      merge: some(0.4, 0.5),
      remove: some(0.3, 0.2),
      create: some(0.4, 0.4),
      optOut: some(0.3, 0.3),
      revoke: some(0.25, 1),
      lagMs: chance(0.3) ? magnitude(100, 30_000) : 0,
      comeBack: later.chance(0.4) ? later.next() : 0,
      optIn: later.chance(0.4) ? later.next() : 0,
      doubles: someLater(0.25, 0.7),
      slowMs: 0,
      mergeErased: 0,
      become: 0,
      rule: 0,
      lock: 0,
      narrow: 0,
      vanish: 0,
      automation: 0,
      fillsBlanks: 0,
    },
    service: {
      failed: some(0.3, 0.5),
      vanished: some(0.12, 0.5),
      wrongPerson: some(0.3, 0.4),
      deceased: some(0.15, 0.3),
      invalid: some(0.2, 0.3),
      credits: isMoneyScarce ? int(0, contacts * 2) : 20_000,
      otherSpender: some(0.2, 1),
      buyer: 0,
      hidingBuyer: 0,
      jobMs: chance(0.05) ? magnitude(10_000, 120_000) : magnitude(200, 3_000),
      denied: 0,
      partly: 0,
      submitMs: 0,
    },
    settings: {
      onLostAnswer: chance(0.75) ? 'hold' : 'resubmit',
      keep: chance(0.15) ? int(1, 20) : 0,
      perRun: chance(0.15) ? int(1, contacts + 2) : null,
      perMonth: chance(0.15) ? int(1, contacts + 5) : null,
      refreshDays: pick([365, 365, 7, null]),
      whenIdentityChanges: chance(0.85),
      shareProfiles: chance(0.6),
      // A long quiet time shows no more than a short one, and takes long to simulate.
      settleAfterMs: pick([1_000, 3_000, 3_000, 10_000, 10_000, 90_000]),
      trial: chance(0.4),
      trialSize: 25,
      massChangeAtLeast: chance(0.2) ? int(2, 6) : 25,
      batch: 100,
    },
    networks: chance(0.3),
    desk: {
      decide: some(0.35, 1),
      undo: some(0.2, 0.7),
      only: some(0.25, 0.8),
      forget: some(0.3, 0.8),
      answers: 0,
    },
    sameHostName: later.chance(0.2),
    isCrossed: false,
    struckAt: null,
    beside: { purge: 0, agree: 0, leave: 0, serve: 0, schedule: 0 },
  };
  // Drawn last, so that older seeds keep the rest of their nights.
  if (chance(0.3)) swarm.pageSize = 2;
  swarm.areProcessesKnown = chance(0.75);
  const areClocksRight = swarm.faults.clockSkew + swarm.faults.clockJump === 0;
  swarm.service.denied = areClocksRight ? some(0.2, 0.3) : 0;
  swarm.service.partly = some(0.15, 0.4);
  swarm.faults.replaced = store === 'machine' && chance(0.1) ? random.next() : 0;
  const newer = createRandom(`swarm ${seed} newer`);
  swarm.faults.newer = newer.chance(0.08) ? newer.next() : 0;
  const theme = random.next();
  if (theme < 0.04) watchCredits(swarm, random);
  else if (theme < 0.08) loseAnswers(swarm);
  else if (theme < 0.11) shareKey(swarm);
  else if (theme < 0.14) overtake(swarm, random);
  else if (theme < 0.16) leaveNetworks(swarm, random);
  else if (theme < 0.18) buyCredits(swarm);
  else if (theme < 0.22) knowNothingOfOthers(swarm, random);
  else if (theme < 0.25) loseConnections(swarm, random);
  else if (theme < 0.28) changeMany(swarm, random);
  else if (theme < 0.32) cutDeliveries(swarm, random);
  else if (theme < 0.34) setClocks(swarm);
  const slow = createRandom(`swarm ${seed} slow submissions`);
  if (slow.chance(0.3)) slowSubmissions(swarm, slow);
  workBeside(swarm, createRandom(`swarm ${seed} beside`), serve);
  const schedules = createRandom(`swarm ${seed} schedules`);
  swarm.beside.schedule = swarm.beside.serve > 0 && schedules.chance(0.6) ? 1 : 0;
  const hidden = createRandom(`swarm ${seed} hidden`);
  if (hidden.chance(0.03) && !serve) hideCharges(swarm, hidden);
  const meanwhile = createRandom(`swarm ${seed} meanwhile`);
  if (meanwhile.chance(0.03) && swarm.beside.serve === 0) decideMeanwhile(swarm, meanwhile);
  const erased = createRandom(`swarm ${seed} erased`);
  if (erased.chance(0.06) && swarm.beside.serve === 0) mergeErased(swarm, erased);
  const answers = createRandom(`swarm ${seed} answers`);
  if (answers.chance(0.12) && !serve) answerMuch(swarm, answers);
  // How young a job is, which may be denied for that, is told by the clock: a theme may have set it.
  if (swarm.faults.clockSkew + swarm.faults.clockJump > 0) swarm.service.denied = 0;
  const persons = createRandom(`swarm ${seed} with persons`);
  return persons.chance(PERSONS) ? withPersons(swarm) : swarm;
}

/** The same night on a real server, where those that serve have an engine that many hosts share. */
export function onServer(swarm: Swarm): Swarm {
  const night: Swarm = { ...swarm, store: 'server' };
  if (swarm.beside.serve > 0) shareTurns(night, createRandom(`swarm ${swarm.seed} turns`));
  return night;
}

/** Several hosts that serve; some are struck where they take a turn, keep it, end it or give it to another. */
function shareTurns(swarm: Swarm, { chance, int, pick }: Random): void {
  if (chance(0.6)) {
    swarm.hosts = int(2, 4);
    swarm.sessions = swarm.sessions.map((session) => ({ ...session, hosts: int(1, swarm.hosts) }));
  }
  if (chance(0.2)) swarm.faults = { ...swarm.faults, databaseAway: 0.9 };
  if (!chance(0.4)) return;
  swarm.struckAt = pick<Places>([
    ['update job_common state done'],
    ['update job_common heartbeat_on', 'update job_common heartbeat_on done'],
    ['update job_common completed_on', 'update job_common completed_on done'],
    ['insert into job_common', 'insert into job_common done'],
    ['delete from job_common', 'delete from job_common done', 'update queue monitor_claim_on done'],
  ]);
  const blow = pick(['kill', 'freeze'] as const);
  swarm.faults = { ...swarm.faults, [blow]: 0.9 };
}

/** Drawn from a stream of its own; three nights of five are as they would be without. */
function workBeside(swarm: Swarm, { chance }: Random, serve: boolean): void {
  const { beside, desk, faults, people, settings, sessions } = swarm;
  beside.purge = chance(0.2) ? 1 : 0;
  // Those who left come back when what is known of them was purged.
  if (beside.purge > 0 && chance(0.25)) {
    makePlain(swarm);
    Object.assign(people, { remove: 0.6, comeBack: 1 });
    swarm.sessions = [1, 72, 72].map((afterHours) => ({ afterHours, hosts: 1, full: false }));
  }
  beside.leave = chance(0.08) ? 1 : 0;
  if (chance(0.06) && !serve) {
    beside.agree = 1;
    faults.restore = 1;
    desk.forget = Math.max(desk.forget, 0.5);
    const [first = { afterHours: 0, hosts: 1, full: false }] = sessions;
    swarm.sessions = [first, { ...first, afterHours: 20 }, { ...first, afterHours: 24 }];
  } else if (chance(0.1) || serve) {
    beside.serve = 1;
    swarm.store = 'machine';
    Object.assign(faults, { restore: 0, replaced: 0, newer: 0 });
    settings.perRun = null;
    // What is asked for is noted with a time that is still to come, and its process does not answer it.
    if (chance(0.3)) Object.assign(faults, { clockJump: 1, kill: 0.9 });
  }
}

/** Several submissions under way: many small ones, whose answers take their time. */
function slowSubmissions(swarm: Swarm, { chance, int, magnitude }: Random): void {
  const { faults, service, settings } = swarm;
  service.submitMs = magnitude(700, 8_000);
  settings.batch = int(2, 7);
  swarm.contacts = Math.max(swarm.contacts, int(4, 20));
  settings.trial &&= chance(0.3);
  // Several that are lost at once, while others spend and buy.
  if (chance(0.4)) faults.lostAnswer = Math.max(faults.lostAnswer, 0.15);
  if (chance(0.2)) service.otherSpender = 1;
}

/** A night about answers that are lost while clocks are set. */
function loseAnswers({ faults, settings }: Swarm): void {
  Object.assign(faults, { clockJump: 1, lostAnswer: 0.3 });
  settings.settleAfterMs = 10_000;
}

/** A night about two integrations that spend from one bucket at the same time, in more than one submission each. */
function shareKey(swarm: Swarm): void {
  const { faults, service, settings } = swarm;
  Object.assign(swarm, { integrations: 2, sharedKey: true, hosts: 2, isCrossed: true });
  swarm.sessions = Array.from({ length: 2 }, () => ({ afterHours: 192, hosts: 2, full: false }));
  Object.assign(faults, { lostRequest: 0.15, lostAnswer: 0.1, restore: 0, freeze: 0, throttle: 0 });
  Object.assign(service, { otherSpender: 0, partly: 0, invalid: 0, credits: 20_000, jobMs: 500 });
  service.submitMs = 4_000;
  Object.assign(settings, { keep: 0, perRun: null, perMonth: null, onLostAnswer: 'hold' });
  Object.assign(settings, { trial: true, trialSize: 1, settleAfterMs: 3_000, refreshDays: 7 });
}

/** A night in which processes stand still right before they send, while others sync. */
function overtake(swarm: Swarm, { int }: Random): void {
  const { faults, settings, sessions } = swarm;
  swarm.hosts = int(2, 4);
  swarm.sessions = sessions.map((session) => ({ ...session, hosts: swarm.hosts }));
  Object.assign(faults, { freeze: 1, kill: 0, stop: 0, databaseAway: 0, diskFull: 0, restore: 0 });
  settings.settleAfterMs = 1_000;
  swarm.struckAt = ['insert into jobs done'];
}

/** A night about members who leave networks, while processes are killed. */
function leaveNetworks(swarm: Swarm, { int }: Random): void {
  swarm.networks = true;
  swarm.contacts = int(3, 8);
  const [first = { afterHours: 0, hosts: 1, full: false }, ...others] = swarm.sessions;
  swarm.sessions = [first, ...others, { ...first, afterHours: 24 }];
  Object.assign(swarm.people, { optOut: 0.5, optIn: 0, remove: 0.2 });
  swarm.faults.kill = 1;
  const removal = 'POST /networks/ID/members/remove';
  swarm.struckAt = [`send ${removal}`, `answer ${removal}`, 'update network_members done'];
}

/** A night about credits that are bought while lost answers wait to be settled. */
function buyCredits({ faults, service, settings }: Swarm): void {
  Object.assign(faults, { lostAnswer: 0.2, freeze: 0, restore: 0 });
  Object.assign(service, { buyer: 0.7, credits: 20_000 });
  Object.assign(settings, { keep: 0, perRun: null, perMonth: null, onLostAnswer: 'hold' });
}

/** Nothing fails, and nothing stands in the way of what can be proved of lost answers. */
const NOTHING_ELSE: Partial<Faults> = {
  ...{ kill: 0, stop: 0, freeze: 0, clockSkew: 0, clockJump: 0, lostRequest: 0, lostAnswer: 0 },
  ...{ cutAnswer: 0, badGateway: 0, serverError: 0, throttle: 0, crm: 0, databaseAway: 0 },
  ...{ diskFull: 0, replaced: 0, newer: 0, restore: 0 },
};

function makePlain({ faults, people, service, settings }: Swarm): void {
  Object.assign(faults, NOTHING_ELSE);
  Object.assign(people, { merge: 0, doubles: 0, revoke: 0, optOut: 0 });
  Object.assign(service, { otherSpender: 0, partly: 0, invalid: 0, credits: 20_000 });
  Object.assign(settings, { keep: 0, perRun: null, perMonth: null, onLostAnswer: 'hold' });
  Object.assign(settings, { trial: false, refreshDays: 365, whenIdentityChanges: true });
}

/**
 * A night of containers of one name whose clocks are apart, and whose answers take longer than another one waits
 * for late requests: who takes over too early has something to lose.
 */
function knowNothingOfOthers(swarm: Swarm, { int }: Random): void {
  makePlain(swarm);
  swarm.store = 'server';
  swarm.hosts = int(2, 3);
  Object.assign(swarm, { sameHostName: true, areProcessesKnown: true });
  swarm.sessions = [1, 24].map((afterHours) => ({ afterHours, hosts: swarm.hosts, full: false }));
  swarm.faults.clockSkew = 1;
  swarm.people.create = 1;
  swarm.service.submitMs = 8_000;
  swarm.settings.settleAfterMs = 1_000;
}

/** A night whose database server goes away just when an answer comes. */
function loseConnections(swarm: Swarm, { int }: Random): void {
  makePlain(swarm);
  swarm.store = 'server';
  swarm.contacts = int(3, 12);
  swarm.faults.databaseAway = 1;
  swarm.settings.batch = int(1, 4);
}

/** A night about details of many that change from one session to the next. */
function changeMany(swarm: Swarm, { int }: Random): void {
  makePlain(swarm);
  swarm.contacts = int(5, 12);
  swarm.settings.massChangeAtLeast = int(2, 4);
  swarm.people.move = 1;
  swarm.sessions = [1, 24].map((afterHours) => ({ afterHours, hosts: 1, full: false }));
}

type Places = readonly [string, ...string[]];

/** A night in which runs are cut off, and the next ones read what has changed, or all, and go on. */
function cutDeliveries(swarm: Swarm, { chance, int, pick }: Random): void {
  makePlain(swarm);
  const pages: Places = ['crm page answered'];
  const progress = 'send POST /enhancements/progress/batch';
  const jobs: Places = [progress, 'send POST /enhancements/results/batch'];
  const writes: Places = ['crm write', 'crm write answered'];
  swarm.contacts = int(4, 10);
  swarm.pageSize = int(1, 2);
  swarm.struckAt = pick([pages, jobs, writes]);
  const isReading = swarm.struckAt === pages;
  const session = { afterHours: 1, hosts: 1, full: chance(0.5) && !isReading };
  swarm.sessions = [session, session];
  swarm.faults.kill = 0.8;
  // Who is touched is read again, also if it was left out.
  Object.assign(swarm.people, isReading ? { move: 0, respell: 0.1 } : { move: 0.5, respell: 0.5 });
}

/** A night in which as many credits are bought as a lost answer has cost, while others are under way. */
function hideCharges(swarm: Swarm, { int }: Random): void {
  makePlain(swarm);
  Object.assign(swarm.beside, { purge: 0, agree: 0, leave: 0, serve: 0, schedule: 0 });
  Object.assign(swarm.desk, { decide: 0, undo: 0, only: 0, forget: 0, answers: 0 });
  Object.assign(swarm, { integrations: 1, contacts: int(12, 30), struckAt: null });
  swarm.faults.lostAnswer = 0.1;
  Object.assign(swarm.service, { submitMs: 8_000, buyer: 0, hidingBuyer: 1 });
  Object.assign(swarm.settings, { batch: int(3, 7), settleAfterMs: 10_000 });
}

/** A night about people who decide, erase, merge and opt out while runs go on, whose jobs take their time. */
function decideMeanwhile(swarm: Swarm, { chance, int, magnitude }: Random): void {
  const { desk, faults, people, service } = swarm;
  swarm.contacts = int(2, 8);
  Object.assign(desk, { decide: 1, forget: 0.8 });
  Object.assign(people, { merge: 0.5, doubles: 0.4, optOut: 0.3, optIn: 0.5, move: 0.3 });
  Object.assign(service, { jobMs: magnitude(2_000, 60_000), wrongPerson: 0.2, vanished: 0.15 });
  faults.lostAnswer = chance(0.5) ? 0.15 : 0;
  swarm.networks = chance(0.6);
  swarm.sessions = [1, 20, 24].map((afterHours) => ({
    ...{ afterHours, hosts: int(1, swarm.hosts) },
    full: chance(0.4),
  }));
}

/**
 * A night about erased persons who become a part of others, in chains, and about what people say of those, also while
 * a run reads: many records of one human being, each of which is read in each session.
 */
function mergeErased(swarm: Swarm, { chance, int }: Random): void {
  makePlain(swarm);
  const { desk, people, settings } = swarm;
  Object.assign(swarm, { integrations: 1, contacts: int(3, 5), pageSize: int(1, 2) });
  Object.assign(swarm, { networks: chance(0.7), struckAt: null });
  Object.assign(desk, { decide: 1, undo: 0, only: 0, forget: 1 });
  Object.assign(people, { doubles: 1, optOut: 0.25, optIn: 0, remove: 0, move: 0.3, create: 0 });
  Object.assign(people, { merge: 0.05, mergeErased: 0.6, comeBack: 0, lagMs: 0 });
  // While it reads, there is time to decide in.
  people.slowMs = chance(0.8) ? 20_000 : 0;
  Object.assign(swarm.service, { invalid: 0, vanished: 0, wrongPerson: 0, deceased: 0, failed: 0 });
  settings.shareProfiles = chance(0.3);
  swarm.sessions = [1, 20, 24, 24, 24].map((afterHours) => ({
    ...{ afterHours, hosts: 1, full: chance(0.7) },
  }));
}

/**
 * A night about questions that many contacts bring up, and about answers that are withdrawn, wait for a second person,
 * run out, or are about something else by the time when that person confirms.
 */
function answerMuch(swarm: Swarm, { chance, int, pick }: Random): void {
  const { desk, faults, people, service, settings } = swarm;
  if (chance(0.6)) makePlain(swarm);
  Object.assign(swarm.beside, { serve: 0, schedule: 0 });
  desk.answers = 1;
  desk.decide *= 0.5;
  swarm.contacts = Math.max(swarm.contacts, int(3, 12));
  Object.assign(service, { wrongPerson: 0.2 + 0.5 * Number(chance(0.5)), deceased: 0.1 });
  if (chance(0.4)) {
    settings.massChangeAtLeast = int(2, 4);
    people.move = 0.5;
  }
  const isPutBack = chance(0.35);
  if (isPutBack) faults.restore = 1;
  // By the product's own command, which drops what waits for a second person.
  if (isPutBack && chance(0.7)) swarm.beside.agree = 1;
  const hours = isPutBack
    ? ([1, 1, 20, 24] as const)
    : ([1, 20, 24, 24 * 6, 24 * 8, 24 * 8] as const);
  swarm.sessions = Array.from({ length: isPutBack ? 4 : int(2, 4) }, (_, index) => ({
    afterHours: index === 0 ? 1 : pick(hours),
    ...{ hosts: int(1, swarm.hosts), full: chance(0.3) },
  }));
}

/** A night in which clocks are set while processes die: what they leave is of another time. */
function setClocks(swarm: Swarm): void {
  swarm.store = 'machine';
  swarm.sessions = [1, 24].map((afterHours) => ({ afterHours, hosts: swarm.hosts, full: false }));
  Object.assign(swarm.faults, { clockJump: 1, kill: 1, restore: 0 });
}

/** A night about credits to keep: others spend them while the first jobs run. */
function watchCredits({ contacts, faults, service, settings }: Swarm, { int }: Random): void {
  Object.assign(faults, { freeze: 0, lostAnswer: 0, throttle: 0, serverError: 0 });
  Object.assign(faults, { databaseAway: 0, diskFull: 0 });
  settings.keep = int(1, 10);
  Object.assign(settings, { trial: true, trialSize: 2, perRun: null, perMonth: null });
  service.credits = settings.keep + contacts + int(0, 5);
  Object.assign(service, { otherSpender: 1, jobMs: 40_000 });
}
