/** The exports of the package `donor-sync/partner-client`. */
export { type Clock, systemClock } from '../core/clock.ts';
export { type Log, silentLog } from '../core/log.ts';
export type { Person } from '../core/person.ts';
export type { Profile } from '../core/profile.ts';
export * from './client.ts';
export * from './errors.ts';
export {
  createPacer,
  createPacers,
  type PaceOptions,
  type Pacer,
  type Pacers,
} from './key-pace.ts';
