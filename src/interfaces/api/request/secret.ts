/** Secrets other than access tokens: in cookies, webhook addresses, signatures, and the link for the first visit. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../../core/clock.ts';
import { newSecret } from '../../../core/new-secret.ts';
import { hashToken } from '../../../people/access-token.ts';

/** Compares two texts in constant time. */
export function isSameText(left: string, right: string): boolean {
  const [a, b] = [left, right].map((text) => createHash('sha256').update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}

/** How long the link can be used. */
export const FIRST_VISIT_LIFE_MS = 15 * 60_000;

/** How long a session can last: a working day and the following night, like other sessions. */
const SESSION_LIFE_MS = 24 * 3_600_000;

/**
 * A secret that starts one session, which creates the first owner or gives an owner a new password. Link and session
 * exist only in this process's memory. So a restart ends them and creates a new link, and no table has to store a
 * session without a user.
 */
export interface FirstVisit {
  /** The link's path. */
  readonly path: string;
  /** The kind of visit. With `recovery`, the link is valid although there is an owner. */
  readonly kind: Visit;
  /**
   * Uses up the link. Returns the secret of the new session, or null if the link's secret is wrong, used or too old.
   */
  begin(secret: string): string | null;
  /** Returns true for the secret of the session that the link started. */
  isSession(secret: string): boolean;
  /**
   * Ends the session before the account is created. Returns a function that restores the session if creating the
   * account failed.
   */
  end(): () => void;
}

/** Why a browser visits: there is no owner yet, or no owner can sign in any longer. */
export type Visit = 'first' | 'recovery';

/**
 * Controls access while nobody can sign in. The browser that used the one-time link creates the first owner's account.
 * In the demo, where nothing can be lost, every caller that seems to be on this machine counts as the owner.
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
