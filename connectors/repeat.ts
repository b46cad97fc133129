import { RetriableError } from '../src/core/errors.ts';
import { isReplyTooLarge } from './bounded-body.ts';
import { stayedBusy } from './request-errors.ts';
import { throwIfStopped } from './stopped.ts';

/** One request to a CRM, and how often and how slowly it is tried. */
export interface Tries<Reply> {
  /** At least 1. */
  max: number;
  /** A RetriableError means that no answer came, or one that is too large to be read. */
  send(): Promise<Reply>;
  /** True of an answer that a later try may not get again. */
  isPassing(reply: Reply): boolean;
  /** Waits after the try of this number, from 1 on; without an answer `reply` is null. */
  wait(reply: Reply | null, attempt: number): Promise<void>;
}

/**
 * The first answer that stays. Throws a RetriableError if the last try brings none either, or when
 * the run stops.
 */
export async function repeatWhilePassing<Reply extends { status: number }>(
  crm: string,
  signal: AbortSignal,
  { max, send, isPassing, wait }: Tries<Reply>,
): Promise<Reply> {
  for (let attempt = 1; ; attempt += 1) {
    throwIfStopped(signal);
    const reply = await send().catch((error: unknown) => {
      const isWorthAnotherTry = error instanceof RetriableError && !isReplyTooLarge(error);
      if (attempt < max && isWorthAnotherTry) return null;
      throw error;
    });
    if (reply !== null && !isPassing(reply)) return reply;
    if (attempt === max) throw stayedBusy(crm, reply?.status ?? null);
    await wait(reply, attempt);
  }
}

/**
 * The wait in milliseconds after the try of this number, from 1 on: `firstMs`, then doubling, give
 * or take a half. `random` gives numbers from 0 up to 1.
 */
export function backoffMs(firstMs: number, attempt: number, random: () => number): number {
  return firstMs * 2 ** (attempt - 1) * (0.5 + random());
}
