/**
 * Repairs networks after a user has requested it on a page. Each continues after the response, under the lease of its
 * integration.
 */

import { messageOf } from '../../../core/errors.ts';
import { describeCount } from '../../../core/quantities.ts';
import type { Caller } from '../../../operations/kit/caller.ts';
import type { Question } from '../../../operations/kit/operation.ts';
import { perform } from '../../../operations/kit/perform.ts';
import { repairNetworks } from '../../../operations/networks.ts';
import { toOperationDeps } from '../../api/request/caller.ts';
import type { HttpDeps } from '../../api/request/context.ts';

/** The status of an integration's last repair, as far as this process knows it. */
export interface RepairState {
  isRunning: boolean;
  /** Its outcome, as a complete sentence. */
  text: string;
}

export interface Repairs {
  /**
   * Starts a repair, unless one is in progress. If more than `maxAdded` members would be added again, nothing
   * is repaired.
   */
  begin(caller: Caller, integrationId: string, maxAdded: number): void;
  getState(integrationId: string): RepairState | null;
}

export function createRepairs(deps: HttpDeps): Repairs {
  const { log, stopping } = deps;
  const states = new Map<string, RepairState>();
  // It continues after the response, so only the end of the process limits it.
  const world = { ...toOperationDeps(deps), signal: () => stopping };
  return {
    begin(caller, integration, maxAdded) {
      if (states.get(integration)?.isRunning) return;
      states.set(integration, { isRunning: true, text: 'A repair is in progress.' });
      void repair(caller, integration, maxAdded).then((text) =>
        states.set(integration, { isRunning: false, text }),
      );
    },
    getState: (id) => states.get(id) ?? null,
  };

  /** Resolves with a sentence that describes the result. */
  async function repair(caller: Caller, integration: string, maxAdded: number): Promise<string> {
    const input = { integration, spend: false };
    try {
      const { done, stopped } = await perform(
        world,
        caller,
        repairNetworks,
        input,
        agree(maxAdded),
      );
      const sum = (of: 'added' | 'removed' | 'failed') =>
        done.reduce((total, counts) => total + counts[of], 0);
      const text = `The repair added ${describeCount(sum('added'), 'member')}, removed ${sum('removed')}, and ${sum('failed')} failed.`;
      return stopped === null ? text : `${text} It was stopped: ${stopped.message}`;
    } catch (error) {
      log.warn({ integration, error: messageOf(error) }, 'a repair of networks failed');
      return `The repair did nothing: ${messageOf(error)}`;
    }
  }
}

/** Confirms the numbers that the page has shown. */
function agree(maxAdded: number) {
  return async ({ counts: { removed = 0 } }: Question): Promise<void> => {
    if (removed > maxAdded) throw new MoreThanShown(removed);
  };
}

class MoreThanShown extends Error {
  constructor(count: number) {
    super(
      `${describeCount(count, 'member')} would now be added again, which is more than was shown. Check again.`,
    );
  }
}
