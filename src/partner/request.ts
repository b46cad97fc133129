import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { PartnerUnavailable } from './errors.ts';
import { ask, type Call, type Line } from './exchange.ts';
import type { Pacer } from './key-pace.ts';
import {
  type FailureKind,
  judge,
  MAX_TRIES,
  retryDelayMs,
  type Success,
  type Verdict,
} from './verdict.ts';

/** One request that was sent. The callback counts these requests. */
export interface PartnerCall {
  /** The endpoint, such as `POST /enhancements`. */
  endpoint: string;
  /** Null if there was no response. */
  status: number | null;
  /** True if the response was a 429. */
  throttled: boolean;
  durationMs: number;
}

/**
 * Called right before each attempt is sent, even if the attempt has waited for a long time. Rejects if the request must
 * no longer be sent.
 */
export type MayLeave = () => Promise<void>;

export interface RequestDeps {
  line: Line;
  pacer: Pacer;
  clock: Clock;
  log: Log;
  onCall(call: PartnerCall): void;
}

/**
 * Sends a call when the key's pace allows it, and retries the call if a retry is allowed. Resolves with the result, or
 * rejects with an error from `errors.ts`. Rejects with the signal's reason if the call was stopped and certainly cost
 * nothing.
 */
export async function request(
  deps: RequestDeps,
  call: Call,
  signal?: AbortSignal,
  mayLeave?: MayLeave,
): Promise<Success> {
  const failures: Record<FailureKind, number> = {
    throttled: 0,
    serverError: 0,
    transient: 0,
    final: 0,
  };
  for (let attempt = 1; attempt <= MAX_TRIES; attempt++) {
    const arrive = await deps.pacer.take(call.lane, signal);
    const verdict = await sendOnce(deps, call, signal, mayLeave).finally(arrive);
    if (verdict.kind === 'reply') return verdict;
    const { failure, retryAfterMs, error } = verdict;
    failures[failure] += 1;
    const waitMs = retryDelayMs(failure, failures[failure], retryAfterMs);
    if (waitMs === null) throw error;
    deps.log.warn(
      { endpoint: call.endpoint, code: error.code, attempt, waitMs },
      'partner call is tried again',
    );
    await waitToRetry(deps, failure, waitMs, signal);
  }
  throw new PartnerUnavailable(call.endpoint, 'too many failures', null);
}

async function sendOnce(
  deps: RequestDeps,
  call: Call,
  signal?: AbortSignal,
  mayLeave?: MayLeave,
): Promise<Verdict> {
  await mayLeave?.();
  const startedMs = deps.clock.now();
  const result = await ask(deps.line, call, signal);
  const status = result.kind === 'answered' ? result.status : null;
  const durationMs = deps.clock.now() - startedMs;
  deps.onCall({ endpoint: call.endpoint, status, throttled: status === 429, durationMs });
  deps.log.debug({ endpoint: call.endpoint, status, durationMs }, 'partner call');
  return judge(call, result);
}

/**
 * Waits before a retry. After a 429, all requests with this key wait, because the limit is per key. After other
 * failures, only this call waits. If the call is stopped during the wait, it ends when the next attempt would be sent.
 */
async function waitToRetry(
  deps: RequestDeps,
  failure: FailureKind,
  waitMs: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (failure === 'throttled') deps.pacer.pause(waitMs);
  else await deps.clock.sleep(waitMs, signal);
}
