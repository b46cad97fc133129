import type { NetworkQuestionKind } from '../../core/question-kinds.ts';
import type { RunTransaction } from '../../database/leases.ts';
import { prepared, type Slots } from '../../database/prepared.ts';
import type { Reader } from '../../database/reader.ts';
import type { QuestionDecision } from './questions.ts';

/** What a user may decide about a network. */
export type NetworkDecision = Exclude<QuestionDecision, 'resubmitted'>;

/** What is asked of a user. */
export interface NewNetworkQuestion {
  /** The id of the question if it is a new one. */
  id: string;
  network: string;
  kind: NetworkQuestionKind;
  /** What exactly is asked, as an id or a fingerprint: another one is another question. */
  matter: string;
  /** More for a person, without personal data. */
  detail: string | null;
}

/** Asks a person, unless the same was asked before; resolves with where the question stands. */
export async function askAboutNetwork(
  trx: RunTransaction,
  { id, network, kind, matter, detail }: NewNetworkQuestion,
): Promise<'open' | NetworkDecision> {
  const asked = await findNetworkDecision(trx, network, kind, matter);
  if (asked !== null) return asked;
  await settleNetworkQuestion(trx, network, kind);
  await trx
    .insertInto('questions')
    .values({
      id,
      network,
      kind,
      matter,
      detail,
      integration_id: trx.lease.integrationId,
      opened_at: trx.clock.now(),
    })
    .execute();
  return 'open';
}

/** The matter is over: no person has to decide it, and no earlier decision counts any more. */
export async function settleNetworkQuestion(
  trx: RunTransaction,
  network: string,
  kind: NetworkQuestionKind,
): Promise<void> {
  await dropQuestion(trx, { network, kind, now: trx.clock.now() });
}

const dropQuestion = prepared(
  (
    db,
    { network, kind, now }: Slots<{ network: string; kind: NetworkQuestionKind; now: number }>,
  ) =>
    db
      .updateTable('questions')
      .set((eb) => ({
        matter: null,
        decision: eb.fn.coalesce('decision', eb.val('superseded' as const)),
        decided_at: eb.fn.coalesce('decided_at', now),
      }))
      .where('network', '=', network)
      .where('kind', '=', kind)
      .where('matter', 'is not', null)
      .compile(),
);

/** Where a question stands; null if it was not asked. */
export async function findNetworkDecision(
  reader: Reader,
  network: string,
  kind: NetworkQuestionKind,
  matter: string,
): Promise<'open' | NetworkDecision | null> {
  const asked = await reader
    .selectFrom('questions')
    .select('decision')
    .where('network', '=', network)
    .where('kind', '=', kind)
    .where('matter', '=', matter)
    .executeTakeFirst();
  if (!asked) return null;
  const { decision } = asked;
  return decision === 'approved' || decision === 'rejected' ? decision : 'open';
}
