/**
 * Keeps the replies to cards for one minute. After a lost response, the CRM repeats its call and gets the same reply.
 * Replies contain contacts' values, so they are only kept in memory.
 */
import type { Clock } from '../../../core/clock.ts';

/** The time for which a reply is kept. A CRM repeats a call within seconds. */
const KEPT_MS = 60_000;

/** The maximum number of replies. The oldest reply is removed first. */
const MAX_KEPT = 500;

interface Kept {
  reply: object;
  at: number;
}

export interface ShownReplies {
  /** Returns the reply to this call, or null if there was none in the last minute. */
  find(receipt: string): object | null;
  keep(receipt: string, reply: object): void;
}

export function createShownReplies(clock: Pick<Clock, 'now'>): ShownReplies {
  const kept = new Map<string, Kept>();

  function drop(): void {
    const now = clock.now();
    // A Map keeps the order of insertion, so the oldest replies come first.
    for (const [receipt, { at }] of kept) {
      if (now - at < KEPT_MS && kept.size <= MAX_KEPT) return;
      kept.delete(receipt);
    }
  }

  return {
    find(receipt) {
      drop();
      return kept.get(receipt)?.reply ?? null;
    },
    keep(receipt, reply) {
      kept.set(receipt, { reply, at: clock.now() });
      drop();
    },
  };
}
