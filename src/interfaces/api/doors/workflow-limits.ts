/**
 * Counts marks above the daily limit, because a workflow can enrol all contacts at once. The marks above the limit
 * share one decision. The marks are counted in memory and written together.
 */
import type { WorkflowState } from '../../../../connectors/doors.ts';
import { messageOf } from '../../../core/errors.ts';
import type { Integration } from '../../../core/integration-settings.ts';
import { isLimitLifted } from '../../../decisions/statements/workflow-limit.ts';
import { askAboutMore } from '../../../operations/doors/enrol.ts';
import { DAY_MS, startOfDay } from '../../../operations/doors/mark-within-day.ts';
import type { Caller } from '../../../operations/kit/caller.ts';
import { perform } from '../../../operations/kit/perform.ts';
import { toOperationDeps } from '../request/caller.ts';
import type { HttpDeps } from '../request/context.ts';

/** The interval at which the number in the decision is written and the decision's answer is read. */
const WRITE_EVERY_MS = 2_000;

interface Beyond {
  day: number;
  contact: string;
  caller: Caller;
  count: number;
  lookedAt: number;
  timer: NodeJS.Timeout | null;
}

export interface WorkflowLimits {
  /**
   * Checks a mark against the limit. If the limit was reached a moment ago, counts the mark without a further check. If
   * the contact may belong to another client (`isOwn` is false), always checks.
   */
  within(
    client: Integration,
    caller: Caller,
    asked: { contact: string; isOwn: boolean },
    act: () => Promise<WorkflowState>,
  ): Promise<WorkflowState>;
  /** Writes the number of counted marks. */
  flush(): Promise<void>;
}

export function createWorkflowLimits(deps: HttpDeps): WorkflowLimits {
  const { clock, log, application } = deps;
  const world = toOperationDeps(deps);
  const reached = new Map<string, Beyond>();

  return {
    async within(client, caller, { contact, isOwn }, act) {
      const { id } = client;
      const now = clock.now();
      const day = startOfDay(now);
      const before = reached.get(id);
      if (isOwn && before?.day === day && !(await isOpenAgain(id, before, now))) {
        before.count += 1;
        schedule(id, before);
        return 'limit';
      }
      const state = await act();
      if (state !== 'limit') return state;
      const known = reached.get(id);
      const beyond =
        known?.day === day ? known : { day, contact, caller, count: 0, lookedAt: now, timer: null };
      beyond.count += 1;
      reached.set(id, beyond);
      if (known?.day === day) schedule(id, beyond);
      // The decision is opened before the caller gets the response.
      else await write(id, beyond);
      return 'limit';
    },
    async flush() {
      for (const [id, beyond] of reached) await write(id, beyond);
    },
  };

  /** True while the limit applies. A user may have allowed further marks. */
  async function isOpenAgain(id: string, beyond: Beyond, now: number): Promise<boolean> {
    if (now - beyond.lookedAt < WRITE_EVERY_MS) return false;
    beyond.lookedAt = now;
    if (!(await isLimitLifted(application.store.reader, id, beyond.day))) return false;
    reached.delete(id);
    return true;
  }

  function schedule(id: string, beyond: Beyond): void {
    if (beyond.timer !== null) return;
    beyond.timer = setTimeout(() => void write(id, beyond), WRITE_EVERY_MS);
    beyond.timer.unref();
  }

  /**
   * Writes the number. This function never rejects, because marks above the limit are refused even if counting fails.
   */
  async function write(id: string, beyond: Beyond): Promise<void> {
    if (beyond.timer !== null) clearTimeout(beyond.timer);
    beyond.timer = null;
    const { contact, caller, count, day } = beyond;
    if (count === 0 || clock.now() >= day + DAY_MS) return;
    beyond.count = 0;
    try {
      await perform(world, caller, askAboutMore, { integration: id, contact, count });
    } catch (error) {
      beyond.count += count;
      log.warn(
        { integration: id, error: messageOf(error) },
        'a question about the limit of workflows could not be stored',
      );
    }
  }
}
