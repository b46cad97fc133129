/**
 * Repairs networks at a user's request on a page. A repair continues after the response, under the lease of its
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

/** The status of an integration's last repair in this process. */
export interface RepairState {
  isRunning: boolean;
  /** The outcome of the repair, as a complete sentence. */
  text: string;
}

export interface Repairs {
  /**
   * Starts a repair, unless a repair is already in progress. If the repair would add more than `maxAdded` members
   * again, it changes nothing.
   */
  begin(caller: Caller, integrationId: string, maxAdded: number): void;
  getState(integrationId: string): RepairState | null;
}

export function createRepairs(deps: HttpDeps): Repairs {
  const { log, stopping } = deps;
  const states = new Map<string, RepairState>();
  // A repair continues after the response. The repair ends early only if the process ends.
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

  /** Repairs the networks. Resolves with a sentence that describes the result. */
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

/** Returns a function that confirms the repair if its numbers are not higher than the numbers on the page. */
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
