/**
 * Configures simulated nights that test an organization's settings and the marks in its CRM. Contacts object or want no
 * contact, matches are uncertain, queries cost credits, and schedules and months follow a time zone.
 */

import type { Random } from '../random.ts';
import { HOUR_MS } from '../timeline.ts';
import { makePlain } from './plain-night.ts';
import type { Swarm } from './swarm.ts';

/** Time zones, each with a number of hours. */
type Zones = readonly [Zone, ...Zone[]];
type Zone = readonly [timezone: string, hours: number];

/**
 * Returns a copy of the simulated night that tests one randomly chosen subject, such as marked contacts or clock
 * changes.
 */
export function runAnOrg(swarm: Swarm, random: Random): Swarm {
  const night = structuredClone(swarm);
  Object.assign(night.beside, { serve: 0, schedule: 0, agree: 0 });
  random.pick([markContacts, doubtMatches, chargeQueries, endMonths, changeClocks])(night, random);
  return night;
}

/** Some contacts object from the beginning. Others are marked as wanting no contact, and some marks are removed. */
function markContacts(swarm: Swarm, { chance, int }: Random): void {
  const { people, faults } = swarm;
  makePlain(swarm);
  // No network contains a contact whose mark changes.
  Object.assign(swarm, { contacts: int(3, 10), networks: false });
  Object.assign(people, { doNotContact: 0.4, become: 0, mergeErased: 0, optIn: 0 });
  swarm.settings.objectors = chance(0.7) ? int(1, 2) : 0;
  // Contacts are also marked while their jobs run.
  if (chance(0.6)) swarm.service.jobMs = 60_000;
  if (chance(0.4)) faults.kill = 0.5;
  swarm.sessions = sessionsAfter(1, 20, 24);
}

/** The service is not confident in some matches. With these settings, a user decides about a doubtful match. */
function doubtMatches(swarm: Swarm, { chance, int, next, pick }: Random): void {
  makePlain(swarm);
  Object.assign(swarm.people, { become: 0, mergeErased: 0 });
  swarm.contacts = int(3, 10);
  swarm.service.unsure = 0.2 + 0.6 * next();
  swarm.settings.minProbability = pick([0.5, 0.8]);
  swarm.desk.decide = chance(0.5) ? 1 : 0;
  if (chance(0.3)) swarm.faults.kill = 0.5;
  swarm.sessions = sessionsAfter(1, 24);
}

/** The service charges for queries about connections, and the settings limit them. */
function chargeQueries(swarm: Swarm, { chance, int }: Random): void {
  makePlain(swarm);
  Object.assign(swarm, { networks: true, contacts: int(4, 12), integrations: 1 });
  Object.assign(swarm.people, { become: 0, mergeErased: 0, create: 0.8 });
  swarm.service.queryPrice = int(1, 3);
  swarm.settings.queries = { perRun: int(0, 6), keep: chance(0.5) ? int(90, 99) : 0 };
  if (chance(0.4)) swarm.faults.lostAnswer = 0.1;
  if (chance(0.3)) swarm.faults.kill = 0.5;
  swarm.sessions = sessionsAfter(1, 24, 24);
}

/**
 * The times at which the first of April 2026 begins, counted from the beginning of the simulation (UTC 02:00, 9 March).
 */
const APRIL_MS = (22 * 24 + 22) * HOUR_MS;

/** The hours by which each time zone is ahead of UTC in that night. */
const ZONES: Zones = [
  ['Europe/Berlin', 2],
  ['America/Chicago', -5],
  ['Asia/Kolkata', 5.5],
  ['Pacific/Auckland', 13],
];

/** A month ends in the client's time zone, and at another time in UTC. The budget of a month is small. */
function endMonths(swarm: Swarm, { int, pick }: Random): void {
  makePlain(swarm);
  const [timezone, aheadHours] = pick(ZONES);
  Object.assign(swarm.people, { become: 0, mergeErased: 0, remove: 0 });
  Object.assign(swarm, { contacts: int(8, 14), hosts: 1 });
  Object.assign(swarm.settings, { timezone, perMonth: int(1, 3), massChangeAtLeast: 25 });
  const [utc, local] = [APRIL_MS / HOUR_MS, APRIL_MS / HOUR_MS - aheadHours];
  const [first, second] = [Math.min(utc, local), Math.max(utc, local)];
  const between = (second - first) / 2;
  swarm.sessions = sessionsAfter(first - 2, 2 + between, between + 1);
}

/** Clocks change in the client's time zone while hosts serve by a schedule. */
const CHANGES: Zones = [
  // In Berlin, the clocks go forward from 02:00 to 03:00 on 29 March, at 01:00 UTC.
  ['Europe/Berlin', 20 * 24 - 1],
  // In Berlin, the clocks go back from 03:00 to 02:00 on 25 October, at 01:00 UTC.
  ['Europe/Berlin', 230 * 24 - 1],
  // In Chicago, the clocks go back from 02:00 to 01:00 on 1 November, at 07:00 UTC.
  ['America/Chicago', 237 * 24 + 5],
];

function changeClocks(swarm: Swarm, { int, pick }: Random): void {
  makePlain(swarm);
  const [timezone, hours] = pick(CHANGES);
  Object.assign(swarm.beside, { serve: 1, schedule: 1 });
  Object.assign(swarm, { store: 'machine', hosts: int(1, 2) });
  Object.assign(swarm.people, { become: 0, mergeErased: 0 });
  swarm.settings.perRun = null;
  Object.assign(swarm.settings, {
    timezone,
    cron: pick(['*/3 * * * *', '30 1 * * *', '30 2 * * *', '0 * * * *', '5,35 1-3 * * *']),
  });
  // The hosts serve before the change, while it happens, and in each of the two hours after it.
  swarm.sessions = sessionsAfter(1, hours - 2, 1, 1 / 60, 29 / 60, 1 / 2, 1);
}

function sessionsAfter(...hours: readonly number[]): Swarm['sessions'] {
  return hours.map((afterHours) => ({ afterHours, hosts: 1, full: false }));
}
