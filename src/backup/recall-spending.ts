/** Reads payments from the spending journal, so that a restored database does not buy the same profiles again. */

import type { RecalledRequest } from '../credits/statements/journal/recall.ts';
import {
  findBalancesBefore,
  lastLineAt,
  listPayments,
  listRequests,
} from '../credits/statements/journal/recall.ts';
import { recordRecalled } from '../credits/statements/recalled-payments.ts';
import { findUnknownSubmissions } from '../credits/statements/submissions.ts';
import { findUnknownAdds, recordRecalledAdd } from '../networks/statements/recalled-adds.ts';
import {
  eraseClientsFromJournal,
  eraseFromJournal,
} from '../privacy/statements/erase-from-journal.ts';
import type { Store } from '../store.ts';

/** The spending since a backup, according to the spending journal. */
export interface RecalledSpending {
  /** The path of the journal, or null if spending is not recorded outside the database. */
  path: string | null;
  /** The time of the last line (epoch ms), or null if there are no lines. */
  reachesTo: number | null;
  /** True if the journal contains lines from after the backup and is not damaged. */
  isJournaled: boolean;
  /** The number of contacts that were paid for, or may have been paid for, since the backup. */
  contacts: number;
  /** The enhancement credits that these contacts have cost or may have cost. */
  credits: number;
}

/**
 * Adds the payments in the journal to a database that was restored from a backup. `madeAt` is the time of the backup
 * (epoch ms), or null if it is unknown. Call this function only after the erasures have been repeated, because erased
 * contacts and clients are left out.
 */
export async function recallSpending(
  store: Pick<Store, 'reader' | 'act' | 'spendingJournal'>,
  ageAt: number | null,
  erasedClients: readonly string[] = [],
): Promise<RecalledSpending> {
  // Reads the journal first, because the rewrite removes damaged lines.
  const { damaged } = await store.spendingJournal.read();
  await store.act(eraseFromJournal(store.spendingJournal));
  await store.act(eraseClientsFromJournal(store.spendingJournal, erasedClients));
  const { path } = store.spendingJournal;
  const { lines } = await store.spendingJournal.read();
  const requests = listRequests(lines);
  const balances = findBalancesBefore(lines);
  const last = lines.length === 0 ? null : lastLineAt(lines);
  const isJournaled = last !== null && damaged === 0 && last > (ageAt ?? Number.NEGATIVE_INFINITY);
  const found: RecalledSpending = { path, reachesTo: last, isJournaled, contacts: 0, credits: 0 };
  for (const request of await listUnknown(store, requests)) {
    const payments = listPayments(request);
    await store.act(async (trx) => {
      if (request.intended.subject.kind === 'networks') await recordRecalledAdd(trx, request);
      else {
        const balance = balances.get(request.intended.id) ?? null;
        await recordRecalled(trx, request, payments, balance);
      }
    });
    if (request.intended.subject.kind !== 'enhancements') continue;
    found.contacts += payments.length;
    found.credits += request.answered?.charged ?? request.intended.credits;
  }
  return found;
}

/** Returns the requests that are missing from the database. */
async function listUnknown(
  { reader }: Pick<Store, 'reader'>,
  requests: readonly RecalledRequest[],
): Promise<RecalledRequest[]> {
  const idsOf = (kind: string) =>
    requests.flatMap(({ intended }) => (intended.subject.kind === kind ? intended.id : []));
  const unknown = new Set([
    ...(await findUnknownSubmissions(reader, idsOf('enhancements'))),
    ...(await findUnknownAdds(reader, idsOf('networks'))),
  ]);
  return requests.filter(({ intended }) => unknown.has(intended.id));
}
