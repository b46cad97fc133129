/**
 * Configures simulated nights that restore a backup with the product's own command. The nights differ in the remaining
 * part of the spending journal, in the use of the credits since the backup, and in the time when a user agrees to
 * spend.
 */
import type { Random } from '../random.ts';
import { makePlain } from './plain-night.ts';
import type { Swarm } from './swarm.ts';

/** Configures a simulated night that spends after a backup, and then restores the backup. */
export function restoreBackups(swarm: Swarm, { chance, int, pick }: Random): void {
  const { beside, desk, faults, people, service } = swarm;
  makePlain(swarm);
  Object.assign(beside, { serve: 0, schedule: 0, leave: 0, agree: 1 });
  swarm.isList = false;
  swarm.restored = {
    journal: pick(['there', 'absent', 'old', 'cut']),
    since: pick(['nothing', 'top-up', 'spending']),
    agreed: pick(['at once', 'later']),
  };
  Object.assign(swarm, { store: pick(['machine', 'server']), hosts: pick([1, 2, 3]) });
  Object.assign(swarm, { contacts: int(3, 10), integrations: 1 });
  faults.restore = 1;
  if (chance(0.3)) faults.kill = 0.5;
  Object.assign(people, { create: 0.9, move: 0.4, moveBack: 0, become: 0, mergeErased: 0 });
  Object.assign(people, { automation: 0, keepsAuthors: 0, rule: 0, lock: 0, narrow: 0, vanish: 0 });
  Object.assign(desk, { undo: 0, only: 0, forget: 0, answers: 0, decide: pick([0, 1]) });
  service.credits = 20_000;
  // The backup is made after the first session, and a later session restores it.
  swarm.sessions = [1, 20, 24, 24].map((afterHours) => ({
    ...{ afterHours, hosts: swarm.hosts, full: chance(0.3) },
  }));
}
