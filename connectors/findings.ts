/** The findings of `check()` that are the same for every CRM behind HTTP. */
import type { Clock } from '../src/core/clock.ts';
import { messageOf } from '../src/core/errors.ts';
import type { Finding } from './contract.ts';

/** A clock that is further away than this makes tokens and overlaps go wrong. */
const MAX_CLOCK_DIFFERENCE_MS = 2 * 60_000;

/** A prerequisite that is met. */
export function met(subject: string, message: string): Finding {
  return { subject, ok: true, message, mend: null };
}

/** A check that throws is a finding itself. */
export async function checked(
  subject: string,
  mend: string,
  work: () => Promise<Finding[]>,
): Promise<Finding[]> {
  try {
    return await work();
  } catch (error) {
    return [{ subject, ok: false, message: messageOf(error), mend }];
  }
}

/** Tokens and overlaps are reckoned by the clock; nothing is said while the CRM has not told its time. */
export function checkClock(
  crm: string,
  { api, clock }: { api: { serverTimeMs(): number | null }; clock: Pick<Clock, 'now'> },
): Finding[] {
  const serverTimeMs = api.serverTimeMs();
  if (serverTimeMs === null) return [];
  const differenceMs = Math.abs(clock.now() - serverTimeMs);
  if (differenceMs <= MAX_CLOCK_DIFFERENCE_MS) return [met('clock', `It agrees with ${crm}'s.`)];
  const seconds = Math.round(differenceMs / 1000);
  const message = `The clock of this machine is ${seconds} seconds away from ${crm}'s.`;
  return [{ subject: 'clock', ok: false, message, mend: 'Let the machine set its clock by NTP.' }];
}
