/** What doors remember of calls: the responses to clicks, and the executions of workflow actions. */
import type { ActorTransaction } from '../../database/actor-transaction.ts';
import { waitForCheckpoint } from '../../database/leases.ts';
import type { Reader, TimedConnection } from '../../database/reader.ts';

/** How long a repeated click gets the first response. */
const REPLY_KEPT_MS = 24 * 3_600_000;

/** How long an execution is known. Later it costs nothing either, because an ordinary run finds the contact fresh. */
const EXECUTION_KEPT_MS = 400 * 86_400_000;

export interface DoorReply {
  /** Fingerprint of the CRM's user and the key of the click. */
  fingerprint: string;
  /** Fingerprint of what was clicked. */
  request: string;
  reply: string;
}

export async function findDoorReply(
  reader: Reader,
  fingerprint: string,
): Promise<DoorReply | undefined> {
  return reader
    .selectFrom('door_replies')
    .select(['fingerprint', 'request', 'reply'])
    .where('fingerprint', '=', fingerprint)
    .executeTakeFirst();
}

export async function saveDoorReply(connection: TimedConnection, reply: DoorReply): Promise<void> {
  const now = connection.clock.now();
  await connection
    .deleteFrom('door_replies')
    .where('replied_at', '<', now - REPLY_KEPT_MS)
    .execute();
  await connection
    .insertInto('door_replies')
    .values({ ...reply, replied_at: now })
    .onConflict((c) => c.column('fingerprint').doNothing())
    .execute();
}

/** `new`: it counts now. `known`: it counted before. `limit`: the day's limit was reached before. */
export type ExecutionState = 'new' | 'known' | 'limit';

/** Counts an execution, if the limit of the day (from `since`, epoch ms) allows it. */
export async function takeExecution(
  trx: ActorTransaction,
  { fingerprint, integrationId }: { fingerprint: string; integrationId: string },
  { since, limit }: { since: number; limit: number },
): Promise<ExecutionState> {
  const now = trx.clock.now();
  const known = await trx
    .selectFrom('door_executions')
    .select('fingerprint')
    .where('fingerprint', '=', fingerprint)
    .executeTakeFirst();
  if (known !== undefined) return 'known';
  // Two calls at the same time count one after the other.
  await waitForCheckpoint(trx, integrationId);
  const { count } = await trx
    .selectFrom('door_executions')
    .select((eb) => eb.fn.countAll().as('count'))
    .where('integration_id', '=', integrationId)
    .where('accepted_at', '>=', since)
    .executeTakeFirstOrThrow();
  if (Number(count) >= limit) return 'limit';
  await trx
    .deleteFrom('door_executions')
    .where('integration_id', '=', integrationId)
    .where('accepted_at', '<', now - EXECUTION_KEPT_MS)
    .execute();
  const added = await trx
    .insertInto('door_executions')
    .values({ fingerprint, integration_id: integrationId, accepted_at: now })
    .onConflict((c) => c.column('fingerprint').doNothing())
    .returning('fingerprint')
    .executeTakeFirst();
  return added === undefined ? 'known' : 'new';
}
