import type { BatchDecision } from '../../core/questions/decisions.ts';
import type { NetworkQuestionKind } from '../../core/questions/question-kinds.ts';
import type { RunTransaction } from '../../database/leases.ts';
import { prepared, type Slots } from '../../database/prepared.ts';
import type { Reader } from '../../database/reader.ts';

/** The decisions that a user can make about a network. */
export type NetworkDecision = BatchDecision;

/** A question about a network. */
export interface NewNetworkQuestion {
  id: string;
  network: string;
  kind: NetworkQuestionKind;
  /** The ID or fingerprint of the question's exact subject. A question about another subject is a new question. */
  matter: string;
  /** Details for users, without personal data. */
  detail: string | null;
}

/** Opens a question about a network, unless the question was opened before. Returns the question's state. */
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

/**
 * Closes a question about a network that needs no answer any more. Earlier decisions about the network no longer apply.
 */
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

/** Returns the decision about a network, or null if the question was never opened. */
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
