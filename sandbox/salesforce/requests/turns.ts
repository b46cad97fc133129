/**
 * Schedules requests. If a composite request is stored completely or not at all, it has exclusive
 * use of the database.
 */

import type { MiddlewareHandler } from 'hono';
import type { SalesforceEnv } from './context.ts';

/** The turns of an org's requests. */
export interface Turns {
  /** Requests run concurrently unless a request needs exclusive use. */
  share: MiddlewareHandler<SalesforceEnv>;
  /** Runs work that needs exclusive use. The work starts when no other request is running. */
  alone<Outcome>(work: () => Promise<Outcome>): Promise<Outcome>;
}

/** Starts without requests. */
export function createTurns(): Turns {
  let sharing = 0;
  let last: Promise<unknown> = Promise.resolve();
  let isTaken = false;
  let waiting: (() => void)[] = [];

  /** Lets waiting requests check their condition again. */
  function wake(): void {
    const present = waiting;
    waiting = [];
    for (const resolve of present) resolve();
  }

  async function until(holds: () => boolean): Promise<void> {
    while (!holds()) {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
      });
    }
  }

  async function runAlone<Outcome>(work: () => Promise<Outcome>): Promise<Outcome> {
    isTaken = true;
    await until(() => sharing === 0);
    try {
      return await work();
    } finally {
      isTaken = false;
      wake();
    }
  }

  return {
    async share(c, next) {
      // A part of a composite request belongs to the turn of the whole request.
      if (c.env?.isSubrequest === true) return next();
      await until(() => !isTaken);
      sharing += 1;
      try {
        return await next();
      } finally {
        sharing -= 1;
        wake();
      }
    },
    alone(work) {
      // The request ends its shared use. Otherwise, two such requests would wait for each other.
      sharing -= 1;
      wake();
      const outcome = last.then(() => runAlone(work));
      last = outcome.then(
        () => undefined,
        () => undefined,
      );
      return outcome.finally(() => {
        sharing += 1;
      });
    },
  };
}
