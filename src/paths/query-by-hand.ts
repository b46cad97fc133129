/**
 * Sends a user's queries about connections. The price of a query is not documented, so donor-sync measures the first
 * query of each kind. Unless a query is certainly free, the spending journal records it before it is sent, and the bill
 * contains its cost.
 */
import { messageOf } from '../core/errors.ts';
import { requireAgreed } from '../credits/confirm.ts';
import { JournalUnwritable } from '../credits/note-spending.ts';
import { addQueryCost } from '../credits/statements/credit-spans.ts';
import type { PartnerClient } from '../partner/client.ts';
import type { QueryKind } from '../partner/connections/query-cost.ts';
import { chargedBy } from '../partner/errors.ts';
import type { Store } from '../store.ts';
import type { RunDeps } from '../sync/control/context.ts';

export interface ByHandDeps extends Pick<RunDeps, 'clock' | 'log' | 'newId'> {
  store: Pick<Store, 'reader' | 'act' | 'spendingJournal'>;
  partner: Pick<PartnerClient, 'connections'>;
}

/** The client that pays for the query. */
export interface ByHand {
  integrationId: string;
  /** The fingerprint of the service key. */
  partnerKey: string;
  kind: QueryKind;
}

/** The run ID in the spending journal. The run ID is empty, because a user's query belongs to no run. */
const NO_RUN = '';

/** The assumed cost of a query until donor-sync has measured the first query of its kind. */
const ASSUMED_CREDITS = 1;

/** Sends a query, and records its cost. */
export async function queryByHand<Answer>(
  deps: ByHandDeps,
  { integrationId, partnerKey, kind }: ByHand,
  query: () => Promise<Answer>,
): Promise<Answer> {
  const { store, clock, partner, newId } = deps;
  const known = partner.connections.queryCost(kind);
  if (known === null) return query();
  await requireAgreed(store.reader, integrationId);
  const { credits } = known ?? { credits: ASSUMED_CREDITS };
  const id = newId();
  await append({
    what: 'intended',
    at: clock.now(),
    id,
    integration: integrationId,
    run: NO_RUN,
    key: partnerKey,
    credits,
    subject: { kind: 'queries' },
  });
  let answer: Answer;
  try {
    answer = await query();
  } catch (error) {
    // If the response was lost, the full cost is recorded, because no later run finds out the actual cost.
    await record(chargedBy(error) === 'unknown' ? credits : 0);
    throw error;
  }
  const cost = partner.connections.queryCost(kind);
  await record(cost === undefined ? credits : (cost?.credits ?? 0));
  return answer;

  async function record(charged: number): Promise<void> {
    const at = clock.now();
    try {
      await store.spendingJournal.append({ what: 'answered', at, id, charged, jobs: {} });
    } catch (error) {
      // If this journal line is missing, donor-sync charges the full cost of the query after a restore.
      deps.log.warn({ request: id, error: messageOf(error) }, 'the end of a query is not recorded');
    }
    try {
      await store.act((trx) => addQueryCost(trx, integrationId, { credits: charged, at }));
    } catch (error) {
      // The response is paid for, so it must be returned even if the database is busy.
      deps.log.warn({ credits: charged, error: messageOf(error) }, 'a query is not in the bill');
    }
  }

  async function append(line: Parameters<Store['spendingJournal']['append']>[0]): Promise<void> {
    try {
      await store.spendingJournal.append(line);
    } catch (error) {
      throw new JournalUnwritable(store.spendingJournal.path, error);
    }
  }
}
