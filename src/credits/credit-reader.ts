/** Reads each service key's balance from the service. Costs no credits. */
import { type Clock, isoTime } from '../core/clock.ts';
import { isDonorSyncError, messageOf } from '../core/errors.ts';
import type { Integration } from '../core/integration-settings.ts';
import type { Log } from '../core/log.ts';
import type { PartnerClient } from '../partner/client.ts';
import type { CreditBalances } from '../partner/credits.ts';
import { getKey, groupByKey } from './key-balances.ts';

export interface KeyCredits {
  /** The names of the integrations that use this key. */
  integrations: string[];
  balances: CreditBalances | null;
  readAt: string | null;
  /** The reason why the last request failed, or null if it succeeded. */
  trouble: CreditTrouble | null;
}

/**
 * The reason for a failure. The prefix `key_` means that the service rejects the key and a user must act. `unanswered`
 * means that the service did not respond.
 */
export type CreditTrouble = 'key_rejected' | 'key_expired' | 'unanswered';

export interface CreditReader {
  /** Returns the balances of these integrations' keys. If a balance arrives too late, it is returned the next time. */
  read(integrations: readonly Integration[]): Promise<KeyCredits[]>;
}

/** The time for which a balance is shown before it is read again. */
const MAX_AGE_MS = 30_000;

/** The longest wait for balances, counted from the start of the request. */
const MAX_WAIT_MS = 1_500;

/** The wait if earlier pages have already waited without a result. */
const LATER_WAIT_MS = 50;

interface Known {
  balances: CreditBalances | null;
  readAt: number | null;
  askedAt: number;
  trouble: CreditTrouble | null;
  /** The request in flight, or null. */
  asking: Asking | null;
}

interface Asking {
  /** Resolves when the request has ended. This promise never rejects. */
  answered: Promise<void>;
  sinceMs: number;
}

/** The reader's dependencies. */
export interface CreditDeps {
  open(
    integration: Integration,
    signal: AbortSignal,
  ): Promise<{ partner: Pick<PartnerClient, 'readCredits'>; close(): Promise<void> }>;
  clock: Clock;
  log: Log;
  /** The signal that cancels requests in flight. */
  stopping: AbortSignal;
}

/**
 * Creates the reader. The reader sends at most two requests per minute for each key, whatever the number of users is.
 */
export function createCreditReader({ open, clock, log, stopping }: CreditDeps): CreditReader {
  const known = new Map<string, Known>();

  return {
    async read(integrations) {
      const keys = groupByKey(integrations);
      const asking = keys.flatMap(([one]) => (one && refresh(getKey(one), one)) ?? []);
      const latestMs = Math.max(...asking.map(({ sinceMs }) => sinceMs));
      const leftMs = latestMs + MAX_WAIT_MS - clock.monotonicMs();
      const answers = Promise.all(asking.map(({ answered }) => answered));
      await within(Math.max(LATER_WAIT_MS, leftMs), answers);
      return keys.map((members) => toView(members, members[0] && known.get(getKey(members[0]))));
    },
  };

  /** Returns the request in flight, or null if the balance is recent enough. */
  function refresh(key: string, integration: Integration): Asking | null {
    const now = clock.now();
    const before = known.get(key) ?? {
      balances: null,
      readAt: null,
      trouble: null,
      asking: null,
      askedAt: Number.NEGATIVE_INFINITY,
    };
    if (before.asking !== null) return before.asking;
    // If the clock was changed, the balance counts as outdated.
    if (before.askedAt <= now && now - before.askedAt < MAX_AGE_MS) return null;
    const answered = ask(integration).then((answer) => {
      const latest =
        typeof answer === 'string'
          ? { balances: before.balances, readAt: before.readAt, trouble: answer }
          : { balances: answer, readAt: clock.now(), trouble: null };
      known.set(key, { ...latest, askedAt: now, asking: null });
    });
    const asking = { answered, sinceMs: clock.monotonicMs() };
    known.set(key, { ...before, asking });
    return asking;
  }

  async function ask(integration: Integration): Promise<CreditBalances | CreditTrouble> {
    try {
      const { partner, close } = await open(integration, stopping);
      try {
        return await partner.readCredits(stopping);
      } finally {
        await close();
      }
    } catch (error) {
      const facts = { integration: integration.id, error: messageOf(error) };
      log.warn(facts, 'the credits could not be read for the status page');
      return toTrouble(error);
    }
  }

  async function within(ms: number, work: Promise<unknown>): Promise<void> {
    const over = new AbortController();
    await Promise.race([work, clock.sleep(ms, over.signal)]);
    over.abort();
  }
}

function toTrouble(error: unknown): CreditTrouble {
  const code = isDonorSyncError(error) ? error.code : null;
  if (code === 'partner_key_rejected') return 'key_rejected';
  return code === 'partner_key_expired' ? 'key_expired' : 'unanswered';
}

function toView(integrations: readonly Integration[], known: Known | undefined): KeyCredits {
  const readAt = known?.readAt ?? null;
  return {
    integrations: integrations.map(({ id, name = id }) => name),
    balances: known?.balances ?? null,
    readAt: readAt === null ? null : isoTime(readAt),
    trouble: known?.trouble ?? null,
  };
}
