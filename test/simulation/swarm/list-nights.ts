/** Special nights about changes between two sessions: lists with new IDs, and replaced service keys. */
import type { Random } from '../random.ts';
import { makePlain } from './plain-night.ts';
import type { Swarm } from './swarm.ts';

type Places = readonly [string, ...string[]];

/** Makes a night about lists whose contacts get other IDs from one session to the next. */
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
    // Unless a row certainly continues another one, its values cannot be distinguished from values that users typed.
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
  // Small submissions can be sent while the list is still being read.
  if (!chance(0.5)) return;
  Object.assign(settings, { batch: int(1, 3), trial: false });
  Object.assign(swarm, { pageSize: int(1, 2) });
  people.slowMs = 2_000;
}

/** Makes a night about service keys that are replaced while jobs run, or after a response was lost. */
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
  // While jobs run, the key is replaced with another team's key. The former key returns while the service still has the
  // results.
  if (!chance(0.3)) return;
  Object.assign(swarm.between, { newKey: 1, sameTeam: 0, formerKey: 1 });
  Object.assign(faults, { kill: 0.8, restore: 0 });
  swarm.struckAt = ['send POST /enhancements/progress/batch'];
  swarm.sessions = [1, 1, 20].map((afterHours) => ({ afterHours, hosts: 1, full: false }));
}
