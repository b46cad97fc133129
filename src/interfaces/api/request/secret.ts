/**
 * Handles secrets other than access tokens: cookies, webhook addresses, signatures, and the one-time link of the first
 * visit.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../../core/clock.ts';
import { newSecret } from '../../../core/new-secret.ts';
import { hashToken } from '../../../people/access-token.ts';

/** Compares two strings in constant time. */
export function isSameText(left: string, right: string): boolean {
  const [a, b] = [left, right].map((text) => createHash('sha256').update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}

/** The lifetime of the one-time link. */
export const FIRST_VISIT_LIFE_MS = 15 * 60_000;

/** The lifetime of a session: a working day and the following night. */
const SESSION_LIFE_MS = 24 * 3_600_000;

/**
 * The first visit, whose link and session exist only in memory. A restart ends both and creates a new link. Therefore,
 * no table contains a session without a user.
 */
export interface FirstVisit {
  /** The link's path. */
  readonly path: string;
  /** The kind of visit. A `recovery` link works even if an owner exists. */
  readonly kind: Visit;
  /** Uses the link, which works only once. Returns the session's secret, or null for a wrong, used or expired link. */
  begin(secret: string): string | null;
  /** True if this is the secret of the session that the link started. */
  isSession(secret: string): boolean;
  /** Ends the visit. Returns a function that restores the session after a failure. */
  end(): () => void;
}

export type Visit = 'first' | 'recovery';

/**
 * The access without a token. The browser with the one-time link creates the first owner. In the demo, every local
 * caller has an owner's rights.
 */
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
