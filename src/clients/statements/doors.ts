import type { Reader, TimedConnection } from '../../database/reader.ts';

/** The time within which a repeated click gets the first response. */
const REPLY_KEPT_MS = 24 * 3_600_000;

export interface DoorReply {
  /** The fingerprint of the CRM user and of the click's key. */
  fingerprint: string;
  /** The fingerprint of the click. */
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
