/**
 * Configures simulated nights that test people's changes in the CRM, their decisions and erasures, and the identity
 * of a record.
 */
import { createRandom, type Random } from '../random.ts';
import { makePlain } from './plain-night.ts';
import type { Swarm } from './swarm.ts';

/** Configures a simulated night in which the details of many contacts change between two sessions. */
export function changeMany(swarm: Swarm, { int }: Random): void {
  makePlain(swarm);
  swarm.contacts = int(5, 12);
  swarm.settings.massChangeAtLeast = int(2, 4);
  swarm.people.move = 1;
  swarm.sessions = [1, 24].map((afterHours) => ({ afterHours, hosts: 1, full: false }));
}

/** Configures a simulated night in which users decide, erase, merge and opt out contacts while slow jobs run. */
export function decideMeanwhile(swarm: Swarm, { chance, int, magnitude }: Random): void {
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
 * Configures a simulated night in which erased people are merged into other people, and users answer questions about
 * the merges. A merge can happen while a run reads. Many records describe the same person, and each session reads all
 * records.
 */
export function mergeErased(swarm: Swarm, { chance, int }: Random): void {
  makePlain(swarm);
  const { desk, people, settings } = swarm;
  Object.assign(swarm, { integrations: 1, contacts: int(3, 5), pageSize: int(1, 2) });
  Object.assign(swarm, { networks: chance(0.7), struckAt: null });
  Object.assign(desk, { decide: 1, undo: 0, only: 0, forget: 1 });
  Object.assign(people, { doubles: 1, optOut: 0.25, optIn: 0, remove: 0, move: 0.3, create: 0 });
  Object.assign(people, { merge: 0.05, mergeErased: 0.6, comeBack: 0, lagMs: 0 });
  // The slow reading leaves time to decide.
  people.slowMs = chance(0.8) ? 20_000 : 0;
  Object.assign(swarm.service, { invalid: 0, vanished: 0, wrongPerson: 0, deceased: 0, failed: 0 });
  settings.shareProfiles = chance(0.3);
  swarm.sessions = [1, 20, 24, 24, 24].map((afterHours) => ({
    ...{ afterHours, hosts: 1, full: chance(0.7) },
  }));
}

/**
 * Configures a simulated night with many questions and answers. Some answers are withdrawn, wait for a second user or
 * expire. In other cases, the contact changes before the second user confirms the answer.
 */
export function answerMuch(swarm: Swarm, { chance, int, pick }: Random): void {
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
  // Restores with the product's own command, which drops requests that wait for a second user.
  if (isPutBack && chance(0.7)) swarm.beside.agree = 1;
  const hours = isPutBack
    ? ([1, 1, 20, 24] as const)
    : ([1, 20, 24, 24 * 6, 24 * 8, 24 * 8] as const);
  swarm.sessions = Array.from({ length: isPutBack ? 4 : int(2, 4) }, (_, index) => ({
    afterHours: index === 0 ? 1 : pick(hours),
    ...{ hosts: int(1, swarm.hosts), full: chance(0.3) },
  }));
}

/**
 * Returns a copy of the simulated night in which records also come to describe other people. Rules also refuse
 * values, flows change values, and merges fill blanks.
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
  // A separate random generator is used, so the nights of earlier seeds do not change.
  const hasLateFlow = createRandom(`swarm ${swarm.seed} late flow`).chance(0.5);
  people.keepsAuthors = people.automation > 0 && hasLateFlow ? 1 : 0;
  const night = { ...swarm, people };
  return persons.chance(0.15) ? renameUnderRules(night) : night;
}

/**
 * The only fault is that users rename records with values to other people, while a rule refuses some of the values.
 */
function renameUnderRules(swarm: Swarm): Swarm {
  const night = structuredClone(swarm);
  makePlain(night);
  Object.assign(night.people, { become: 0.7, rule: 1 });
  night.settings.massChangeAtLeast = 25;
  night.contacts = Math.min(Math.max(night.contacts, 4), 12);
  night.sessions = [0, 24].map((afterHours) => ({ afterHours, hosts: 1, full: false }));
  return night;
}
