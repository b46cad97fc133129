/**
 * Configures simulated nights that test changes between two sessions. Lists get new IDs, and service keys are
 * replaced.
 */
import type { Random } from '../random.ts';
import { makePlain } from './plain-night.ts';
import type { Swarm } from './swarm.ts';

type Places = readonly [string, ...string[]];

/** Configures a simulated night in which the contacts of a list get different IDs between two sessions. */
export function changeIds(swarm: Swarm, { chance, int, next, pick }: Random): void {
  const { people, settings, desk } = swarm;
  if (chance(0.4)) makePlain(swarm);
  swarm.isList = true;
  // A list is read as a whole and reports no merges, and no flow changes it.
  Object.assign(people, { lagMs: 0, fillsBlanks: 0, automation: 0, mergeErased: 0 });
  swarm.contacts = Math.max(swarm.contacts, int(2, 10));
  Object.assign(swarm.between, {
    newIds: 0.8,
    inPart: chance(0.5) ? next() : 0,
    // The product cannot distinguish its values from values that users typed, unless the row clearly continues an
    // earlier row.
    keepsValues: people.become + people.revoke > 0 ? 0 : pick([0, 0.5, 1]),
    moves: chance(0.4) ? 0.3 : 0,
    backIds: chance(0.3) ? 0.4 : 0,
  });
  swarm.sessions = Array.from({ length: int(2, 4) }, (_, index) => ({
    afterHours: index === 0 ? 1 : pick([1, 24, 24 * 8, 24 * 30]),
    hosts: int(1, swarm.hosts),
    full: chance(0.3),
  }));
  if (chance(0.4)) desk.forget = 0.7;
  // With small submissions, some submissions are sent while the product is still reading the list.
  if (!chance(0.5)) return;
  Object.assign(settings, { batch: int(1, 3), trial: false });
  Object.assign(swarm, { pageSize: int(1, 2) });
  people.slowMs = 2_000;
}

/**
 * Configures a simulated night that tests erasures in a list. Rows with our values can be erased under a different ID
 * before a run has read the rows. Erased people can also return to the list, and users then confirm who they are.
 */
export function eraseInList(swarm: Swarm, { chance, int, pick }: Random): void {
  makePlain(swarm);
  const { between, desk, faults, people, service } = swarm;
  Object.assign(swarm, { isList: true, integrations: 1, networks: false, hosts: 1 });
  Object.assign(swarm, { contacts: int(2, 4), pageSize: int(1, 2), struckAt: null });
  Object.assign(swarm.beside, { serve: 0, schedule: 0 });
  Object.assign(people, { lagMs: 0, fillsBlanks: 0, automation: 0, mergeErased: 0, become: 0 });
  Object.assign(people, { remove: 0, vanish: 0, type: 0, rule: 0, lock: 0, narrow: 0 });
  Object.assign(service, { failed: 0, vanished: 0, wrongPerson: 0, deceased: 0 });
  Object.assign(desk, { undo: 0, only: 0, answers: 0, forget: 1 });
  Object.assign(between, { backIds: 0, moves: 0, newKey: 0, inPart: chance(0.5) ? 1 : 0 });
  swarm.settings.massChangeAtLeast = 25;
  const isBeforeReading = chance(0.5);
  if (isBeforeReading) {
    // The runs are killed while they read the list, and a user erases a contact between two runs.
    Object.assign(between, { newIds: 1, keepsValues: 1, moves: chance(0.5) ? 0.5 : 0 });
    faults.kill = 0.9;
    swarm.struckAt = pick<Places>([['crm search'], ['crm page'], ['crm page answered']]);
    Object.assign(people, { move: 0, moveBack: 0, newJob: 0 });
    desk.decide = 0;
  } else {
    // A record of an erased person can contain donor-sync's values. The record remains in the list after a user has
    // confirmed it as an erased person.
    Object.assign(between, { newIds: pick([0, 0.5]), keepsValues: pick([0, 1]) });
    Object.assign(people, { doubles: 0.7, move: 0, moveBack: 0, newJob: 0, create: 0 });
    desk.decide = 1;
  }
  swarm.sessions = Array.from({ length: isBeforeReading ? 3 : 4 }, (_, index) => ({
    ...{ afterHours: index === 0 ? 1 : 24, hosts: 1, full: chance(0.3) },
  }));
}

/**
 * Configures a simulated night in which users tell contacts of a list apart from erased people, before and after the
 * contacts get new IDs. The profiles are then too old for two contacts to share.
 */
export function tellApartInList(swarm: Swarm, { chance, int }: Random): void {
  makePlain(swarm);
  const { between, desk, people, service, settings } = swarm;
  Object.assign(swarm, { isList: true, integrations: 1, networks: false, hosts: 3 });
  Object.assign(swarm, { contacts: int(1, 3), pageSize: int(1, 2), struckAt: null });
  Object.assign(swarm.beside, { purge: 0, leave: 0, serve: 0, schedule: 0 });
  Object.assign(people, { lagMs: 0, fillsBlanks: 0, automation: 0, mergeErased: 0, become: 0 });
  Object.assign(people, { remove: 0, vanish: 0, type: 0, rule: 0, lock: 0, narrow: 0 });
  Object.assign(people, { move: 0, moveBack: 0, newJob: 0, create: 0 });
  Object.assign(service, { failed: 0, vanished: 0, wrongPerson: 0, deceased: 0 });
  Object.assign(desk, { decide: 0.5, undo: 0, only: 0, answers: 0, forget: 0.5 });
  Object.assign(between, { newIds: 1, inPart: 0, keepsValues: 0, moves: 0, newKey: 0 });
  between.backIds = chance(0.3) ? 0.3 : 0;
  settings.massChangeAtLeast = 25;
  swarm.sessions = [1, 1, 24 * 8, 24 * 8].map((afterHours) => ({
    afterHours,
    hosts: 3,
    full: false,
  }));
}

/** Configures a simulated night in which service keys are replaced while jobs run or after a response was lost. */
export function replaceKeys(swarm: Swarm, { chance, int, pick }: Random): void {
  const { faults, service } = swarm;
  if (chance(0.4)) makePlain(swarm);
  Object.assign(swarm.between, { newKey: 0.8, sameTeam: 0.35, formerKey: 0.4 });
  if (chance(0.5)) Object.assign(swarm, { integrations: 2, sharedKey: true });
  if (!swarm.isList) {
    swarm.sessions = Array.from({ length: int(2, 4) }, (_, index) => ({
      afterHours: index === 0 ? 1 : pick([1, 20, 24, 24 * 8]),
      hosts: int(1, swarm.hosts),
      full: chance(0.3),
    }));
  }
  const how = pick(['killed', 'lost', 'both', 'neither']);
  if (how === 'killed' || how === 'both') {
    faults.kill = 0.9;
    swarm.struckAt = pick<Places>([
      ['send POST /enhancements/progress/batch'],
      ['send POST /enhancements/results/batch'],
      ['send POST /enhancements', 'answer POST /enhancements'],
      ['crm write'],
    ]);
  }
  if (how === 'lost' || how === 'both') faults.lostAnswer = 0.3;
  if (chance(0.5)) service.jobMs = int(5_000, 60_000);
  // While jobs run, a different team's key replaces the client's key. The client's former key returns while the service
  // still has the results.
  if (!chance(0.3)) return;
  Object.assign(swarm.between, { newKey: 1, sameTeam: 0, formerKey: 1 });
  Object.assign(faults, { kill: 0.8, restore: 0 });
  swarm.struckAt = ['send POST /enhancements/progress/batch'];
  swarm.sessions = [1, 1, 20].map((afterHours) => ({ afterHours, hosts: 1, full: false }));
}
