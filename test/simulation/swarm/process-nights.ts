/**
 * Configures simulated nights that test processes and their shared database. Processes are stopped at chosen points
 * and do not know each other's state.
 */
import { createRandom, type Random } from '../random.ts';
import { makePlain } from './plain-night.ts';
import type { Swarm } from './swarm.ts';

type Places = readonly [string, ...string[]];

/**
 * Configures a simulated night in which processes freeze immediately before they send a request, while other
 * processes sync.
 */
export function overtake(swarm: Swarm, { chance, int }: Random): void {
  const { faults, settings, sessions } = swarm;
  // If there are no other faults and submissions are small, more processes reach the point at which they freeze.
  if (chance(0.7)) {
    makePlain(swarm);
    swarm.contacts = int(4, 10);
    settings.batch = int(1, 3);
  }
  swarm.hosts = int(2, 4);
  swarm.sessions = sessions.map((session) => ({ ...session, hosts: swarm.hosts }));
  Object.assign(faults, { freeze: 1, kill: 0, stop: 0, databaseAway: 0, diskFull: 0, restore: 0 });
  settings.settleAfterMs = 1_000;
  swarm.struckAt = ['insert into jobs done'];
}

/**
 * Configures a simulated night in which runs are cut off. The next runs read the changes or all contacts, and
 * continue the work.
 */
export function cutDeliveries(swarm: Swarm, { chance, int, pick }: Random): void {
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
  // The product reads a changed contact again, even if it had excluded the contact.
  Object.assign(swarm.people, isReading ? { move: 0, respell: 0.1 } : { move: 0.5, respell: 0.5 });
}

/** Configures a simulated night in which members leave networks while processes are killed. */
export function leaveNetworks(swarm: Swarm, { int }: Random): void {
  swarm.networks = true;
  swarm.contacts = int(3, 8);
  const [first = { afterHours: 0, hosts: 1, full: false }, ...others] = swarm.sessions;
  swarm.sessions = [first, ...others, { ...first, afterHours: 24 }];
  Object.assign(swarm.people, { optOut: 0.5, optIn: 0, remove: 0.2 });
  swarm.faults.kill = 1;
  const removal = 'POST /networks/ID/members/remove';
  swarm.struckAt = [`send ${removal}`, `answer ${removal}`, 'update network_members done'];
}

/**
 * Configures a simulated night in which clocks are set while processes die. The dead processes' data then has wrong
 * times.
 */
export function setClocks(swarm: Swarm, { chance, int }: Random): void {
  // If there are no other faults, more nights end with data that a process with a wrong clock has left.
  if (chance(0.7)) {
    makePlain(swarm);
    swarm.contacts = int(1, 4);
  }
  swarm.store = 'machine';
  swarm.sessions = [1, 24].map((afterHours) => ({ afterHours, hosts: swarm.hosts, full: false }));
  Object.assign(swarm.faults, { clockJump: 1, kill: 1, restore: 0 });
}

/**
 * Configures a simulated night with containers that have one name but different clocks. Responses take longer than a
 * container waits for late requests. A container that takes over too early therefore causes errors.
 */
export function knowNothingOfOthers(swarm: Swarm, { int }: Random): void {
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

/** Configures a simulated night whose database server becomes unavailable when a response arrives. */
export function loseConnections(swarm: Swarm, { int }: Random): void {
  makePlain(swarm);
  swarm.store = 'server';
  swarm.contacts = int(3, 12);
  swarm.faults.databaseAway = 1;
  swarm.settings.batch = int(1, 4);
}

/** Returns a copy of the simulated night that uses a real server, on which serving hosts share an engine. */
export function onServer(swarm: Swarm): Swarm {
  const night: Swarm = { ...swarm, store: 'server' };
  if (swarm.beside.serve > 0) shareTurns(night, createRandom(`swarm ${swarm.seed} turns`));
  return night;
}

/** Several hosts serve. Some are stopped when they create, keep, end or pass on a claim. */
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
