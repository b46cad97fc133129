/** A night without faults. Nights with a special topic start from it, so that no other fault disturbs the topic. */
import { NO_FAULTS, type Swarm } from './swarm.ts';

export function makePlain({ faults, people, service, settings }: Swarm): void {
  Object.assign(faults, NO_FAULTS);
  Object.assign(people, { merge: 0, doubles: 0, revoke: 0, optOut: 0 });
  Object.assign(service, { otherSpender: 0, partly: 0, invalid: 0, credits: 20_000 });
  Object.assign(settings, { keep: 0, perRun: null, perMonth: null, onLostAnswer: 'hold' });
  Object.assign(settings, { trial: false, refreshDays: 365, whenIdentityChanges: true });
}
