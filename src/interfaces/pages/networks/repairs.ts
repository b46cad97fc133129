/** Repairs of networks that were asked for in a page: each goes on after the answer, under the lease of its integration. */

import { messageOf } from '../../../core/errors.ts';
import type { Integration } from '../../../core/integration-settings.ts';
import { describeCount } from '../../../core/quantities.ts';
import { repairOpen } from '../../../networks/networks-by-hand.ts';
import type { HttpDeps } from '../../api/request/context.ts';

/** How the last repair of an integration stands, as far as this process knows. */
export interface RepairState {
  isRunning: boolean;
  /** What became of it; a whole sentence. */
  text: string;
}

export interface Repairs {
  /** Begins one, unless one goes on. What takes more than so many members to be added again is left alone. */
  begin(integration: Integration, maxAdded: number): void;
  getState(integrationId: string): RepairState | null;
}

export function createRepairs({
  application,
  log,
  stopping,
}: Pick<HttpDeps, 'application' | 'log' | 'stopping'>): Repairs {
  const states = new Map<string, RepairState>();
  return {
    begin(integration, maxAdded) {
      if (states.get(integration.id)?.isRunning) return;
      states.set(integration.id, { isRunning: true, text: 'A repair goes on.' });
      void repair(integration, maxAdded).then((text) =>
        states.set(integration.id, { isRunning: false, text }),
      );
    },
    getState: (id) => states.get(id) ?? null,
  };

  /** Resolves with what became of it. */
  async function repair(integration: Integration, maxAdded: number): Promise<string> {
    try {
      const open = await application.open(integration, stopping);
      try {
        const { done, stopped } = await repairOpen(open, {
          maySpend: false,
          signal: stopping,
          async confirm(drifts) {
            const count = drifts.reduce((sum, { removedByHand }) => sum + removedByHand.length, 0);
            if (count > maxAdded) throw new MoreThanShown(count);
          },
        });
        const sum = (of: 'added' | 'removed' | 'failed') =>
          done.reduce((total, counts) => total + counts[of], 0);
        const text = `The repair added ${describeCount(sum('added'), 'member')}, removed ${sum('removed')}, and ${sum('failed')} failed.`;
        return stopped === null ? text : `${text} It was stopped: ${stopped.message}`;
      } finally {
        await open.close();
      }
    } catch (error) {
      log.warn(
        { integration: integration.id, error: messageOf(error) },
        'a repair of networks failed',
      );
      return `The repair did nothing: ${messageOf(error)}`;
    }
  }
}

class MoreThanShown extends Error {
  constructor(count: number) {
    super(
      `${describeCount(count, 'member')} would be added again by now, which is more than was shown. Check again.`,
    );
  }
}
