/** Checks the audit chain in the background. Checking a long chain takes longer than an HTTP response may take. */

import { setImmediate } from 'node:timers/promises';
import { type Clock, isoTime } from '../../core/clock.ts';
import { messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { AuditPlace, AuditSource } from './read-audit.ts';
import { type AuditCheck, verifyAudit } from './verify-audit.ts';

/** The progress of an audit check, and the problems that it found. */
export interface AuditCheckView {
  isRunning: boolean;
  /**
   * The verdict. Null while the check is in progress, or if the check could not finish. `cannot_tell` means that no
   * existing entry was changed, but entries may be missing at the end. To detect missing entries, a user must save the
   * end of the chain and later pass it to the check.
   */
  verdict: 'intact' | 'cannot_tell' | 'changed' | null;
  /** The number of checked entries, and (`of`) the total number of entries. */
  checked: number;
  of: number;
  /** The time at which the check finished (ISO 8601). */
  finishedAt: string | null;
  /** The problems that the check found. Empty if nothing was changed. */
  problems: string[];
  /** The end of the chain, in the form that `donor-sync audit verify --known` accepts. */
  end: string | null;
  /** The number of the last entry that a purge has removed, or 0 if no entry was purged. */
  purgedThrough: number;
}

export interface AuditChecker {
  /**
   * Starts a check, or joins an identical check that is in progress. Can also compare the chain with an end that a user
   * saved earlier. Waits only briefly for the result. Only one check of the audit runs at a time, so a different check
   * starts after the current check has ended.
   */
  check(known: AuditPlace | null): Promise<AuditCheckView>;
  /** Returns the last check of this process, or null if this process has not checked the chain. */
  last(): AuditCheckView | null;
}

/** The time for which a response waits for the result. */
const MAX_WAIT_MS = 3_000;

export interface CheckerDeps {
  application: { store: AuditSource };
  clock: Clock;
  log: Log;
  stopping: AbortSignal;
}

const NOTHING_YET: AuditCheckView = {
  isRunning: true,
  verdict: null,
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
  let running: { known: string; ended: Promise<void> } | null = null;

  return {
    async check(known) {
      const over = new AbortController();
      const tooLong = clock.sleep(MAX_WAIT_MS, over.signal);
      const wanted = placeText(known);
      if (running !== null && running.known !== wanted) {
        await Promise.race([running.ended, tooLong]);
      }
      running ??= { known: wanted, ended: run(known).finally(() => (running = null)) };
      const { known: of, ended } = running;
      await Promise.race([ended, tooLong]);
      over.abort();
      return of === wanted ? (view ?? NOTHING_YET) : NOTHING_YET;
    },
    last: () => view,
  };

  async function run(known: AuditPlace | null): Promise<void> {
    view = NOTHING_YET;
    try {
      const found = await verifyAudit(application.store, known, async (checked, of) => {
        view = { ...NOTHING_YET, checked, of };
        // SQLite reads within this process, so the check pauses to let the process handle other requests.
        await setImmediate();
        stopping.throwIfAborted();
      });
      view = describeCheck(found, known, clock);
    } catch (error) {
      log.error({ error: messageOf(error) }, 'the audit could not be checked');
      const problems = ['The check could not be finished. Try again.'];
      const before = view ?? NOTHING_YET;
      view = { ...before, problems, isRunning: false, finishedAt: isoTime(clock.now()) };
    }
  }
}

/** Checks the whole chain, for a caller that waits for the result. */
export async function checkAudit(
  { clock }: { clock: Pick<Clock, 'now'> },
  { store }: { store: AuditSource },
  known: AuditPlace | null,
): Promise<AuditCheckView> {
  return describeCheck(await verifyAudit(store, known), known, clock);
}

function describeCheck(
  { entries, end, problems, purgedThrough }: AuditCheck,
  known: AuditPlace | null,
  clock: Pick<Clock, 'now'>,
): AuditCheckView {
  const verdict = problems.length > 0 ? 'changed' : known === null ? 'cannot_tell' : 'intact';
  return {
    isRunning: false,
    verdict,
    checked: entries,
    of: entries,
    finishedAt: isoTime(clock.now()),
    problems,
    end: end === null ? null : placeText(end),
    purgedThrough,
  };
}

/** Returns a position as text that users can save, such as `1204:Jb3…`. Returns an empty string for null. */
function placeText(place: AuditPlace | null): string {
  return place === null ? '' : `${place.seq}:${place.hash}`;
}
