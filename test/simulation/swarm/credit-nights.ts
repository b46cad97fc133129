/** Configures simulated nights that test spending, buying and lost responses. */
import type { Random } from '../random.ts';
import { makePlain } from './plain-night.ts';
import type { Swarm } from './swarm.ts';

/** Configures a simulated night with a credit reserve. Others spend credits while the first jobs run. */
export function watchCredits(
  { contacts, faults, service, settings }: Swarm,
  { int }: Random,
): void {
  Object.assign(faults, { freeze: 0, lostAnswer: 0, throttle: 0, serverError: 0 });
  Object.assign(faults, { databaseAway: 0, diskFull: 0 });
  settings.keep = int(1, 10);
  Object.assign(settings, { trial: true, trialSize: 2, perRun: null, perMonth: null });
  service.credits = settings.keep + contacts + int(0, 5);
  Object.assign(service, { otherSpender: 1, jobMs: 40_000 });
}

/** Configures a simulated night in which responses are lost while clocks are set. */
export function loseAnswers({ faults, settings }: Swarm): void {
  Object.assign(faults, { clockJump: 1, lostAnswer: 0.3 });
  settings.settleAfterMs = 10_000;
}

/** Configures a simulated night in which users buy credits while lost responses wait for a decision. */
export function buyCredits({ faults, service, settings }: Swarm): void {
  Object.assign(faults, { lostAnswer: 0.2, freeze: 0, restore: 0 });
  Object.assign(service, { buyer: 0.7, credits: 20_000 });
  Object.assign(settings, { keep: 0, perRun: null, perMonth: null, onLostAnswer: 'hold' });
}

/**
 * Configures a simulated night in which users buy as many credits as a lost response cost, while other requests are
 * in flight.
 */
export function hideCharges(swarm: Swarm, { int }: Random): void {
  makePlain(swarm);
  Object.assign(swarm.beside, { purge: 0, agree: 0, leave: 0, serve: 0, schedule: 0 });
  Object.assign(swarm.desk, { decide: 0, undo: 0, only: 0, forget: 0, answers: 0 });
  Object.assign(swarm, { integrations: 1, contacts: int(12, 30), struckAt: null });
  swarm.faults.lostAnswer = 0.1;
  Object.assign(swarm.service, { submitMs: 8_000, buyer: 0, hidingBuyer: 1 });
  Object.assign(swarm.settings, { batch: int(3, 7), settleAfterMs: 10_000 });
}

/**
 * Configures a simulated night in which two clients spend credits from one bucket at the same time. Each client sends
 * several submissions.
 */
export function shareKey(swarm: Swarm): void {
  const { faults, service, settings } = swarm;
  Object.assign(swarm, { integrations: 2, sharedKey: true, hosts: 2, isCrossed: true });
  swarm.sessions = Array.from({ length: 2 }, () => ({ afterHours: 192, hosts: 2, full: false }));
  Object.assign(faults, { lostRequest: 0.15, lostAnswer: 0.1, restore: 0, freeze: 0, throttle: 0 });
  Object.assign(service, { otherSpender: 0, partly: 0, invalid: 0, credits: 20_000, jobMs: 500 });
  service.submitMs = 4_000;
  Object.assign(settings, { keep: 0, perRun: null, perMonth: null, onLostAnswer: 'hold' });
  Object.assign(settings, { trial: true, trialSize: 1, settleAfterMs: 3_000, refreshDays: 7 });
}

/** Configures a simulated night with many small submissions in flight. Their responses are slow. */
export function slowSubmissions(swarm: Swarm, { chance, int, magnitude }: Random): void {
  const { faults, service, settings } = swarm;
  service.submitMs = magnitude(700, 8_000);
  settings.batch = int(2, 7);
  swarm.contacts = Math.max(swarm.contacts, int(4, 20));
  settings.trial &&= chance(0.3);
  // Several responses get lost at the same time, while other programs spend and buy credits.
  if (chance(0.4)) faults.lostAnswer = Math.max(faults.lostAnswer, 0.15);
  if (chance(0.2)) service.otherSpender = 1;
}
