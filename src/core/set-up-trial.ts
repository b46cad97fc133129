/** The trial of a set-up: the first runs of a client send only a few contacts. */

import type { Integration } from './integration-settings.ts';

/** The number of contacts that the trial sends. */
export const TRIAL_SIZE = 25;

/** True if the integration has the limits of a trial. The limits are removed when the set-up ends. */
export function hasTrialLimits({
  schedule,
  budget,
}: Pick<Integration, 'schedule' | 'budget'>): boolean {
  return schedule === null && budget.perRun !== null && budget.perRun <= TRIAL_SIZE;
}
