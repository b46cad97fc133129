/** Checks the chain of the audit in the background, because a long chain takes longer than a response may. */

import { setImmediate } from 'node:timers/promises';
import { type Clock, isoTime } from '../../../core/clock.ts';
import { messageOf } from '../../../core/errors.ts';
import type { Log } from '../../../core/log.ts';
import type { AuditSource } from '../../../privacy/audit/read-audit.ts';
import { verifyAudit } from '../../../privacy/audit/verify-audit.ts';

/** The progress of a check, and its findings. */
export interface AuditCheckView {
  isRunning: boolean;
  /** Number of entries checked so far, and of all entries. */
  checked: number;
  of: number;
  /** ISO 8601. */
  finishedAt: string | null;
  /** Empty if nothing was changed. */
  problems: string[];
  /** The end of the chain, in the form that `donor-sync audit verify --known` accepts. */
  end: string | null;
  /** The last entry that a purge has removed; 0 if there was none. */
  purgedThrough: number;
}

export interface AuditChecker {
  /** Starts a check, or finds the one in progress. Waits a short time for its end. */
  check(): Promise<AuditCheckView>;
  /** The last check of this process; null if there was none. */
  last(): AuditCheckView | null;
}

/** How long a response waits for the end. */
const MAX_WAIT_MS = 3_000;

export interface CheckerDeps {
  application: { store: AuditSource };
  clock: Clock;
  log: Log;
  stopping: AbortSignal;
}

const NOTHING_YET: AuditCheckView = {
  isRunning: true,
  checked: 0,
  of: 0,
  finishedAt: null,
  end: null,
  purgedThrough: 0,
  problems: [],
};

export function createAuditChecker(deps: CheckerDeps): AuditChecker {
  const { application, clock, log, stopping } = deps;
  let view: AuditCheckView | null = null;
  let running: Promise<void> | null = null;

  return {
    async check() {
      running ??= run().finally(() => {
        running = null;
      });
      const over = new AbortController();
      await Promise.race([running, clock.sleep(MAX_WAIT_MS, over.signal)]);
      over.abort();
      return view ?? NOTHING_YET;
    },
    last: () => view,
  };

  async function run(): Promise<void> {
    view = NOTHING_YET;
    try {
      const found = await verifyAudit(application.store, null, async (checked, of) => {
        view = { ...NOTHING_YET, checked, of };
        // SQLite reads within this process, so other requests get their turn in between.
        await setImmediate();
        stopping.throwIfAborted();
      });
      const { entries, end, problems, purgedThrough } = found;
      const place = end === null ? null : `${end.seq}:${end.hash}`;
      finish({ checked: entries, of: entries, problems, end: place, purgedThrough });
    } catch (error) {
      log.error({ error: messageOf(error) }, 'the audit could not be checked');
      finish({ problems: ['The check could not be carried to its end: try again.'] });
    }
  }

  function finish(found: Partial<AuditCheckView>): void {
    const before = view ?? NOTHING_YET;
    view = { ...before, ...found, isRunning: false, finishedAt: isoTime(clock.now()) };
  }
}
