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

/** A request that the client has sent. `onCall` receives it, for example to count requests. */
export interface PartnerCall {
  /** The endpoint, such as `POST /enhancements`. */
  endpoint: string;
  /** The status of the response, or null if there was no response. */
  status: number | null;
  /** True if the service responded with status 429. */
  throttled: boolean;
  durationMs: number;
}

/**
 * Called immediately before each attempt is sent, even if the attempt has waited for a long time. Rejects if the client
 * must no longer send the request.
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
 * rejects with an error from `errors.ts`. If the call was stopped and certainly cost nothing, rejects with the signal's
 * reason.
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
 * Waits before a retry. After status 429, all requests with this key wait, because the limit applies to the key. After
 * other failures, only this call waits. If the call is stopped during the wait, it ends when the next attempt would be
 * sent.
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
