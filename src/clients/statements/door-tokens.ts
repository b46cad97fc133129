/**
 * Stores the door tokens, with which a CRM's pages call donor-sync. Door tokens have no role, and only the door routes
 * accept them.
 */
import type { Selectable } from 'kysely';
import type { ActorTransaction } from '../../database/actor-transaction.ts';
import { type FromRow, fromRows, maybeFromRow } from '../../database/from-row.ts';
import type { Reader, TimedConnection } from '../../database/reader.ts';
import type { Tables } from '../../database/tables/tables.ts';
import { recordEntry } from '../../privacy/audit/record.ts';

export type DoorTokenRecord = FromRow<Selectable<Tables['door_tokens']>>;

/** The interval within which further uses of a token are not recorded, so that not every click causes a write. */
const USE_NOTED_EVERY_MS = 60_000;

/** Lists all door tokens. The database stores only the hash of each token. */
export function listDoorTokens(reader: Reader): Promise<DoorTokenRecord[]> {
  return reader
    .selectFrom('door_tokens')
    .selectAll()
    .orderBy('created_at')
    .orderBy('id')
    .execute()
    .then(fromRows);
}

/** Finds a door token by its hash. A token has 256 random bits, so the time of the query does not help attackers. */
export function findDoorToken(reader: Reader, hash: string): Promise<DoorTokenRecord | undefined> {
  return reader
    .selectFrom('door_tokens')
    .selectAll()
    .where('hash', '=', hash)
    .executeTakeFirst()
    .then(maybeFromRow);
}

export async function addDoorToken(
  trx: ActorTransaction,
  token: Pick<DoorTokenRecord, 'id' | 'name' | 'integrationId' | 'perDay' | 'hash'>,
): Promise<void> {
  const { id, name, integrationId, perDay, hash } = token;
  await trx
    .insertInto('door_tokens')
    .values({
      id,
      name,
      integration_id: integrationId,
      per_day: perDay,
      hash,
      created_at: trx.clock.now(),
      last_used_at: null,
    })
    .execute();
  const details = { token: id, name, perDay };
  await recordEntry(trx, { action: 'door.made', integrationId, details });
}

export async function revokeDoorToken(trx: ActorTransaction, id: string): Promise<string | null> {
  const revoked = await trx
    .deleteFrom('door_tokens')
    .where('id', '=', id)
    .returning(['name', 'integration_id'])
    .executeTakeFirst();
  if (revoked === undefined) return null;
  await trx.deleteFrom('door_marks').where('counter', '=', id).execute();
  const { name, integration_id: integrationId } = revoked;
  await recordEntry(trx, { action: 'door.revoked', integrationId, details: { token: id, name } });
  return name;
}

export async function recordDoorTokenUse(
  connection: TimedConnection,
  { id, lastUsedAt }: Pick<DoorTokenRecord, 'id' | 'lastUsedAt'>,
): Promise<void> {
  const now = connection.clock.now();
  if (lastUsedAt !== null && now - lastUsedAt < USE_NOTED_EVERY_MS) return;
  await connection
    .updateTable('door_tokens')
    .set({ last_used_at: now })
    .where('id', '=', id)
    .execute();
}
