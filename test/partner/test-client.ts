import type { Clock } from '../../src/core/clock.ts';
import { type Log, silentLog } from '../../src/core/log.ts';
import type { Person } from '../../src/core/person.ts';
import {
  createPartnerClient,
  type PartnerClient,
  type PartnerClientOptions,
} from '../../src/partner/client.ts';
import { createPacer } from '../../src/partner/key-pace.ts';

export const TEST_KEY = 'test-key-7f3a';

/** A clock on which waiting takes no time. It records each delay and moves forward by the delay. */
export interface HastyClock extends Clock {
  slept: number[];
}

export function createHastyClock(): HastyClock {
  let skippedMs = 0;
  const slept: number[] = [];
  return {
    slept,
    now: () => Date.now() + skippedMs,
    monotonicMs: () => performance.now() + skippedMs,
    async sleep(ms) {
      skippedMs += ms;
      slept.push(Math.round(ms));
    },
  };
}

/** Creates a client without a rate limit, whose waits take no time. */
export function aClient(
  baseUrl: string,
  options: Partial<PartnerClientOptions> = {},
): PartnerClient {
  const clock = options.clock ?? createHastyClock();
  const pacer = createPacer({ clock, ratePerSecond: null });
  return createPartnerClient({
    baseUrl,
    apiKey: TEST_KEY,
    clock,
    log: silentLog,
    pacer,
    ...options,
  });
}

export function aPerson(person: Partial<Person> = {}): Person {
  return {
    trackingId: 'tracking-1',
    firstName: 'Ada',
    lastName: 'Marlowe',
    addresses: ['12 Elm Street, Springfield, IL 62701'],
    employers: ['Riverside Works'],
    ...person,
  };
}

/** Creates a log that records all entries. */
export function createNotedLog(): Log & { notes: string[] } {
  const notes: string[] = [];
  const note = (facts: Readonly<Record<string, unknown>>, message: string) => {
    notes.push(`${message} ${JSON.stringify(facts)}`);
  };
  return { notes, debug: note, info: note, warn: note, error: note };
}

/** Returns the error that rejected a promise. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => {
      throw new Error('it was expected to reject');
    },
    (error: unknown) => error,
  );
}
