/** Applies a user's answers after the time in which the user can withdraw them. */

import type { Clock } from '../core/clock.ts';
import { messageOf } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { type AnswerStore, applyDueAnswers } from './statements/withdrawable-answers.ts';

export interface CountDeps {
  store: AnswerStore;
  clock: Pick<Clock, 'now' | 'sleep'>;
  log: Log;
  /**
   * The signal that is aborted when the service stops. The next start or run applies the answers that are still
   * waiting.
   */
  stopping: AbortSignal;
}

/** Returns a function to call after each decision. The function applies each decision when it is due. */
export function createDecisionWatch({ store, clock, log, stopping }: CountDeps): () => void {
  let isWatching = false;
  return () => {
    if (!isWatching) void watch();
  };

  async function watch(): Promise<void> {
    isWatching = true;
    try {
      while (!stopping.aborted) {
        const nextAt = await applyDueAnswers(store);
        if (nextAt === null) return;
        await clock.sleep(Math.max(0, nextAt - clock.now()), stopping);
      }
    } catch (error) {
      if (!stopping.aborted)
        log.warn({ error: messageOf(error) }, 'decisions could not be counted');
    } finally {
      isWatching = false;
    }
  }
}
