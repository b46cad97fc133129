/** Stores notices about new recovery links until they are sent. */
import { newId } from '../../core/new-id.ts';
import type { ActorTransaction } from '../../database/actor-transaction.ts';
import type { Reader, TimedConnection } from '../../database/reader.ts';

/** The ID under which notices are stored. No integration can have this ID. */
const RECOVERY = '*recovery';

export interface RecoveryNotice {
  subject: string;
  since: number;
}

/** Stores a new notice. Deletes notices that were sent. */
export async function storeNotice(trx: ActorTransaction): Promise<void> {
  const now = trx.clock.now();
  await trx
    .deleteFrom('alerts')
    .where('integration_id', '=', RECOVERY)
    .where('told_at', 'is not', null)
    .execute();
  const row = { integration_id: RECOVERY, subject: newId(now) };
  // A notice does not describe a state, so its row has an end immediately.
  await trx
    .insertInto('alerts')
    .values({ ...row, since: now, told_at: null, over_at: now })
    .execute();
}

/** Lists the notices that no channel has sent yet, oldest first. */
export function listUnsentNotices(reader: Reader): Promise<RecoveryNotice[]> {
  return reader
    .selectFrom('alerts')
    .select(['subject', 'since'])
    .where('integration_id', '=', RECOVERY)
    .where('told_at', 'is', null)
    .orderBy('since')
    .execute();
}

export async function recordNoticesSent(
  connection: TimedConnection,
  notices: readonly RecoveryNotice[],
): Promise<void> {
  await connection
    .updateTable('alerts')
    .set({ told_at: connection.clock.now() })
    .where('integration_id', '=', RECOVERY)
    .where(
      'subject',
      'in',
      notices.map(({ subject }) => subject),
    )
    .execute();
}
