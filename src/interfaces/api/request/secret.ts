/** Secrets other than access tokens: cookies, webhook addresses, signatures, and the first visit's link. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../../core/clock.ts';
import { newSecret } from '../../../core/new-secret.ts';
import { hashToken } from '../../../people/access-token.ts';

/** Compares two strings in constant time. */
export function isSameText(left: string, right: string): boolean {
  const [a, b] = [left, right].map((text) => createHash('sha256').update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}

/** The time for which the link can be used. */
export const FIRST_VISIT_LIFE_MS = 15 * 60_000;

/** A working day and the following night. */
const SESSION_LIFE_MS = 24 * 3_600_000;

/**
 * The link and the session exist only in memory. A restart ends both and creates a new link. So no table stores a
 * session without a user.
 */
export interface FirstVisit {
  /** The link's path. */
  readonly path: string;
  /** A `recovery` link works although an owner exists. */
  readonly kind: Visit;
  /** Works once. Returns the session's secret, or null for a wrong, used or expired link. */
  begin(secret: string): string | null;
  /** Returns true for the secret of the session that the link started. */
  isSession(secret: string): boolean;
  /** Returns a function that restores the session after a failure. */
  end(): () => void;
}

export type Visit = 'first' | 'recovery';

/** The browser with the one-time link creates the first owner. In the demo, every local caller is the owner. */
export type WithoutToken = FirstVisit | 'thisMachine' | null;

export function createFirstVisit(
  { monotonicMs }: Pick<Clock, 'monotonicMs'>,
  kind: Visit = 'first',
): FirstVisit {
  const secret = newSecret();
  const madeAt = monotonicMs();
  let isUsed = false;
  let session: { hash: string; beganAt: number } | null = null;
  return {
    path: `/first-visit/${secret}`,
    kind,
    begin(typed) {
      const isTooOld = monotonicMs() - madeAt > FIRST_VISIT_LIFE_MS;
      if (!isSameText(typed, secret) || isUsed || isTooOld) return null;
      isUsed = true;
      const cookie = newSecret();
      session = { hash: hashToken(cookie), beganAt: monotonicMs() };
      return cookie;
    },
    isSession(cookie) {
      if (session === null || monotonicMs() - session.beganAt > SESSION_LIFE_MS) return false;
      return isSameText(hashToken(cookie), session.hash);
    },
    end() {
      const ended = session;
      session = null;
      return () => {
        session = ended;
      };
    },
  };
}
