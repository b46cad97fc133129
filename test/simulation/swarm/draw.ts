/**
 * Chooses the settings of a simulated night from its seed, each feature and each fault separately. Some nights test a
 * single subject.
 */
import { createRandom, type Random } from '../random.ts';
import {
  buyCredits,
  hideCharges,
  loseAnswers,
  shareKey,
  slowSubmissions,
  watchCredits,
} from './credit-nights.ts';
import { changeIds, eraseInList, replaceKeys, tellApartInList } from './list-nights.ts';
import { runAnOrg } from './org-nights.ts';
import {
  answerMuch,
  changeMany,
  decideMeanwhile,
  mergeErased,
  withPersons,
} from './people-nights.ts';
import { makePlain } from './plain-night.ts';
import {
  cutDeliveries,
  knowNothingOfOthers,
  leaveNetworks,
  loseConnections,
  overtake,
  setClocks,
} from './process-nights.ts';
import { restoreBackups } from './restore-nights.ts';
import { NO_CHANGES, type Swarm } from './swarm.ts';

/**
 * The share of simulated nights that test the identity of records and the CRM's refusals. Other nights are not
 * affected.
 */
const PERSONS = 0.25;

/** The shares of simulated nights with changed IDs in lists and with replaced service keys. Some nights test both. */
const LISTS = 0.08;
const KEYS = 0.06;

/** The share of simulated nights that test the settings of an organization and the marks in its CRM. */
const ORGS = 0.08;

/** The share of simulated nights that test restored backups. */
const RESTORES = 0.02;

/** The spending journals that nights find after a restore. */
const JOURNALS = ['absent', 'cut', 'there'] as const;

/** The share of simulated nights that test erasures in lists. */
const ERASED_IN_LISTS = 0.03;

/** The share of simulated nights in which users tell contacts of a list apart from erased people. */
const SUSPECTS_IN_LISTS = 0.02;

/** Returns the simulated night for a seed. If `serve` is true, the hosts of the night run `serve`. */
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
  // Later additions have a separate stream, so earlier seeds keep the rest of their nights.
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
      keepsAuthors: 0,
      fillsBlanks: 0,
      doNotContact: 0,
    },
    service: {
      failed: some(0.3, 0.5),
      vanished: some(0.12, 0.5),
      wrongPerson: some(0.3, 0.4),
      deceased: some(0.15, 0.3),
      unsure: 0,
      queryPrice: 0,
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
      // A long quiet time finds no more failures than a short quiet time, but takes longer to simulate.
      settleAfterMs: pick([1_000, 3_000, 3_000, 10_000, 10_000, 90_000]),
      trial: chance(0.4),
      trialSize: 25,
      massChangeAtLeast: chance(0.2) ? int(2, 6) : 25,
      batch: 100,
      timezone: 'UTC',
      cron: '*/3 * * * *',
      objectors: 0,
      minProbability: null,
      queries: null,
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
    isList: false,
    between: { ...NO_CHANGES },
    // Without a journal, a user decides about every contact that is new or has changed since the backup.
    restored: { journal: JOURNALS[seed % 3] ?? 'there', since: 'nothing', agreed: null },
  };
  // The page size is chosen last, so that earlier seeds still produce the same other settings.
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
  else if (theme < 0.36) setClocks(swarm, random);
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
  // The clock, which a theme may have set, determines whether the service still denies having a new job.
  if (swarm.faults.clockSkew + swarm.faults.clockJump > 0) swarm.service.denied = 0;
  const persons = createRandom(`swarm ${seed} with persons`);
  const night = persons.chance(PERSONS) ? withPersons(swarm) : swarm;
  const restores = createRandom(`swarm ${seed} restores`);
  if (restores.chance(RESTORES) && !serve) {
    restoreBackups(night, restores);
    return night;
  }
  const orgs = createRandom(`swarm ${seed} orgs`);
  if (orgs.chance(ORGS)) return runAnOrg(night, orgs);
  if (night.beside.serve > 0) return night;
  const lists = createRandom(`swarm ${seed} lists`);
  if (lists.chance(LISTS)) changeIds(night, lists);
  const keys = createRandom(`swarm ${seed} keys`);
  if (keys.chance(KEYS)) replaceKeys(night, keys);
  const erasures = createRandom(`swarm ${seed} erasures in lists`);
  if (erasures.chance(ERASED_IN_LISTS)) eraseInList(night, erasures);
  const suspects = createRandom(`swarm ${seed} suspects in lists`);
  if (suspects.chance(SUSPECTS_IN_LISTS)) tellApartInList(night, suspects);
  return night;
}

/**
 * Adds work that runs next to the syncs. A separate random generator chooses the work, so three of five nights do not
 * change.
 */
function workBeside(swarm: Swarm, { chance }: Random, serve: boolean): void {
  const { beside, desk, faults, people, settings, sessions } = swarm;
  beside.purge = chance(0.2) ? 1 : 0;
  // Contacts leave, and return after their data has been deleted.
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
    // A request gets a future time, and its process dies before it handles the request.
    if (chance(0.3)) Object.assign(faults, { clockJump: 1, kill: 0.9 });
  }
}
