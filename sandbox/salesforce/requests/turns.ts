/** Decides when requests run. A composite request that must be stored completely or not at all runs alone. */

import type { MiddlewareHandler } from 'hono';
import type { SalesforceEnv } from './context.ts';

/** The turns of an org's requests. */
export interface Turns {
  /** Middleware for requests that can run at the same time as other requests. */
  share: MiddlewareHandler<SalesforceEnv>;
  /** Runs work while no other request is running. The work waits until all other requests have ended. */
  alone<Outcome>(work: () => Promise<Outcome>): Promise<Outcome>;
}

/** Creates the schedule without requests. */
export function createTurns(): Turns {
  let sharing = 0;
  let last: Promise<unknown> = Promise.resolve();
  let isTaken = false;
  let waiting: (() => void)[] = [];

  /** Makes waiting requests check again whether they can run. */
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
      // A part of a composite request belongs to the whole request, so it does not wait.
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
      // The request no longer counts as running. Without this step, two such requests would wait for each other
      // forever.
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
