/**
 * Checks whether this machine's clock is right. Outside of runs, donor-sync deletes data because of its age only if the
 * clock is right.
 */
import type { Clock } from '../core/clock.ts';
import { messageOf } from '../core/errors.ts';
import type { Integration } from '../core/integration-settings.ts';
import type { Log } from '../core/log.ts';
import { MAX_CLOCK_GAP_MS, mayDeleteByAge } from '../credits/confirm.ts';
import { getDatabaseTime, isPostgres } from '../database/database-time.ts';
import type { TimedReader } from '../database/reader.ts';
import type { PartnerClient } from '../partner/client.ts';

export interface HouseClockDeps {
  reader: TimedReader;
  integrations: ReadonlyMap<string, Integration>;
  open(
    integration: Integration,
    signal: AbortSignal,
  ): Promise<{
    partner: Pick<PartnerClient, 'readCredits' | 'clockAheadMs'>;
    close(): Promise<void>;
  }>;
  clock: Pick<Clock, 'now'>;
  log: Log;
}

/**
 * The maximum number of clients whose services are contacted. In nearly all installations, all clients have the same
 * service.
 */
const MAX_ASKED = 3;

/** The time limit for each service. */
const ASK_MS = 20_000;

/**
 * Compares the clock with the Postgres server's clock, or with the time in the service's responses (free). Returns
 * false if the clocks differ or if no clock has responded. A clock that is years ahead therefore cannot delete paid
 * data. An installation without clients has no service to compare with and nothing to deliver, so the clock counts as
 * right.
 */
export async function isClockRight(
  { reader, integrations, open, clock, log }: HouseClockDeps,
  stopping: AbortSignal,
): Promise<boolean> {
  if (isPostgres(reader)) {
    return Math.abs(clock.now() - (await getDatabaseTime(reader))) <= MAX_CLOCK_GAP_MS;
  }
  if (integrations.size === 0) return true;
  for (const integration of [...integrations.values()].slice(0, MAX_ASKED)) {
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(ASK_MS)]);
    const answer = await ask(integration, signal);
    if (answer !== null) return answer;
  }
  log.warn({}, 'no profiles were deleted because of their age: the clock could not be compared');
  return false;

  async function ask(integration: Integration, signal: AbortSignal): Promise<boolean | null> {
    try {
      const { partner, close } = await open(integration, signal);
      try {
        const hasAnswered = await partner.readCredits(signal).then(
          () => true,
          () => false,
        );
        const aheadMs = partner.clockAheadMs();
        return aheadMs === null && !hasAnswered ? null : mayDeleteByAge(aheadMs, hasAnswered);
      } finally {
        await close();
      }
    } catch (error) {
      const facts = { integration: integration.id, error: messageOf(error) };
      log.debug(facts, 'the clock could not be compared with the service of this client');
      return null;
    }
  }
}
