/** Records webhook calls. Calls with the same response share a row, so that many calls cause few writes. */

import {
  findHookByClient,
  type HookCallRecord,
  recordHookCalls,
} from '../../../clients/statements/hooks.ts';
import type { Clock } from '../../../core/clock.ts';
import { messageOf } from '../../../core/errors.ts';
import type { Log } from '../../../core/log.ts';
import { newId } from '../../../core/new-id.ts';
import type { Store } from '../../../store.ts';

export interface NotedCall {
  integrationId: string;
  /** The result of the call: `accepted`, `repeated`, `other_account`, or the code of a refusal. */
  answer: string;
  contacts: number;
  runId: string | null;
}

export interface HookCalls {
  /** Records a call. This function never rejects, because the call is answered in any case. */
  note(call: NotedCall): Promise<void>;
  /** Stores the recorded calls. This function never rejects, because the call is answered in any case. */
  store(integrationId: string): Promise<void>;
}

/** The shortest interval between writes. Calls within the interval are counted and stored with the next call. */
const WRITE_EVERY_MS = 5_000;

/** The maximum number of integrations in memory. */
const MOST_AT_HAND = 10_000;

interface AtHand {
  record: HookCallRecord;
  writtenAt: number;
  isWritten: boolean;
}

export function createHookCalls(deps: {
  application: { store: Pick<Store, 'connection'> };
  clock: Pick<Clock, 'now'>;
  log: Log;
}): HookCalls {
  const { application, clock, log } = deps;
  const latest = new Map<string, AtHand>();

  return {
    async note(call) {
      const now = clock.now();
      const before = latest.get(call.integrationId);
      const isAlike = before?.record.answer === call.answer && before.record.runId === call.runId;
      if (before && isAlike) {
        const { record } = before;
        const { contacts } = call;
        before.record = { ...record, lastAt: now, times: record.times + 1, contacts };
        before.isWritten = false;
        if (now - before.writtenAt >= WRITE_EVERY_MS) await write(before);
        return;
      }
      if (before) await write(before);
      if (latest.size >= MOST_AT_HAND) latest.clear();
      const record = { id: newId(now), at: now, lastAt: now, times: 1, ...call };
      const fresh = { record, writtenAt: 0, isWritten: false };
      latest.set(call.integrationId, fresh);
      await write(fresh);
    },
    async store(integrationId) {
      const one = latest.get(integrationId);
      if (one) await write(one);
    },
  };

  async function write(one: AtHand): Promise<void> {
    if (one.isWritten) return;
    one.isWritten = true;
    one.writtenAt = clock.now();
    const { connection } = application.store;
    try {
      // Revoking an address deletes the record of its calls. Calls that were only counted must not create this record
      // again.
      if (await findHookByClient(connection, one.record.integrationId)) {
        await recordHookCalls(connection, one.record);
      } else {
        latest.delete(one.record.integrationId);
      }
    } catch (error) {
      const { integrationId: integration } = one.record;
      log.warn({ integration, error: messageOf(error) }, 'a webhook call could not be recorded');
    }
  }
}
