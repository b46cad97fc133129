/**
 * Records refused sign-ins in the audit. The first refusal is recorded immediately. Further refusals are recorded
 * together.
 */

import type { Context } from 'hono';
import type { Clock } from '../../../core/clock.ts';
import { noteEntries } from '../../../privacy/audit/record.ts';
import type { Store } from '../../../store.ts';
import type { HttpEnv } from '../request/context.ts';
import type { ClientAddress } from '../request/peer.ts';

/** The interval within which refusals share one audit entry. */
const GATHERED_MS = 15 * 60_000;

/** The key for unknown addresses. Callers can invent addresses, so all unknown addresses are counted together. */
const NO_PERSON = 'no person';

export interface Refusals {
  note(c: Context<HttpEnv>, personId: string | null): Promise<void>;
  /** Called after the user has signed in. */
  close(c: Context<HttpEnv>, personId: string): Promise<void>;
}

export interface RefusalsDeps {
  store: Pick<Store, 'actingAs'>;
  clock: Pick<Clock, 'now'>;
  getAddress: ClientAddress;
}

/** Creates the recorder. `by` is the sign-in method, and is omitted for a password. */
export function createRefusals(
  { store, clock, getAddress }: RefusalsDeps,
  by: { by?: string } = {},
): Refusals {
  const gathered = new Map<string, { count: number; since: number }>();

  async function record(c: Context<HttpEnv>, personId: string | null, attempts: number) {
    const { act } = store.actingAs({ kind: 'session', name: null, from: getAddress(c) });
    const details = { ...by, person: personId, attempts };
    await noteEntries(act, [{ action: 'session.refused', details }]);
  }

  return {
    async note(c, personId) {
      const key = personId ?? NO_PERSON;
      const found = gathered.get(key);
      const isOld = found === undefined || clock.now() - found.since >= GATHERED_MS;
      if (!isOld) {
        found.count += 1;
        return;
      }
      gathered.set(key, { count: 0, since: clock.now() });
      await record(c, personId, (found?.count ?? 0) + 1);
    },
    async close(c, personId) {
      const before = gathered.get(personId)?.count ?? 0;
      gathered.delete(personId);
      if (before > 0) await record(c, personId, before);
    },
  };
}
