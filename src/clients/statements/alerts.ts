/** Stores the alerts. An alert is not sent again until its state changes. */

import type { Selectable } from 'kysely';
import type { ActorTransaction } from '../../database/actor-transaction.ts';
import { type FromRow, fromRow } from '../../database/from-row.ts';
import type { Reader, TimedConnection } from '../../database/reader.ts';
import type { Tables } from '../../database/tables/tables.ts';

export type AlertRecord = FromRow<Omit<Selectable<Tables['alerts']>, 'told_at'>> & {
  /** The time at which the message was sent. Null until sending has succeeded. */
  sentAt: number | null;
};

/** The ID under which the audit's end is stored. No integration can have this ID. */
const AUDIT = '*audit';

/** The maximum number of an integration's problems that pages show. */
const KEPT_SHOWN = 50;

export function listAlerts(reader: Reader): Promise<AlertRecord[]> {
  return reader
    .selectFrom('alerts')
    .selectAll()
    .orderBy('integration_id')
    .orderBy('subject')
    .execute()
    .then((rows) => rows.map(toAlert));
}

/** Lists an integration's problems, newest first, with one row per subject. */
export async function listAlertsByClient(
  reader: Reader,
  integrationId: string,
): Promise<AlertRecord[]> {
  const rows = await reader
    .selectFrom('alerts')
    .selectAll()
    .where('integration_id', '=', integrationId)
    .orderBy('since', 'desc')
    .limit(KEPT_SHOWN)
    .execute();
  return rows.map(toAlert);
}

/** Records a problem that starts now, unless the problem is already recorded. */
export async function raiseAlert(
  connection: TimedConnection,
  integrationId: string,
  subject: string,
): Promise<void> {
  const fresh = { since: connection.clock.now(), told_at: null, over_at: null };
  await connection
    .insertInto('alerts')
    .values({ integration_id: integrationId, subject, ...fresh })
    .onConflict((c) =>
      c
        .columns(['integration_id', 'subject'])
        .doUpdateSet(fresh)
        .where('alerts.over_at', 'is not', null),
    )
    .execute();
}

/** Records that a problem has ended. Users are told about the end too. */
export async function endAlert(
  connection: TimedConnection,
  integrationId: string,
  subject: string,
): Promise<void> {
  await connection
    .updateTable('alerts')
    .set({ over_at: connection.clock.now(), told_at: null })
    .where('integration_id', '=', integrationId)
    .where('subject', '=', subject)
    .where('over_at', 'is', null)
    .execute();
}

export async function findSentAuditEnd(
  reader: Reader,
): Promise<{ at: number; seq: number; hash: string } | null> {
  const row = await reader
    .selectFrom('alerts')
    .select(['subject', 'since'])
    .where('integration_id', '=', AUDIT)
    .orderBy('since', 'desc')
    .limit(1)
    .executeTakeFirst();
  const [, seq, hash] = /^(\d+):(.+)$/.exec(row?.subject ?? '') ?? [];
  if (row === undefined || seq === undefined || hash === undefined) return null;
  return { at: row.since, seq: Number(seq), hash };
}

/** Records the audit's end that was sent. The new end replaces the end that was sent before. */
export async function recordSentAuditEnd(
  trx: ActorTransaction,
  { seq, hash }: { seq: number; hash: string },
): Promise<void> {
  const now = trx.clock.now();
  const row = { integration_id: AUDIT, subject: `${seq}:${hash}` };
  await trx.deleteFrom('alerts').where('integration_id', '=', AUDIT).execute();
  await trx
    .insertInto('alerts')
    .values({ ...row, since: now, told_at: now, over_at: now })
    .execute();
}

/** Records that users were told about this problem or about its end. */
export async function recordAlertSent(
  connection: TimedConnection,
  { integrationId, subject }: AlertRecord,
): Promise<void> {
  await connection
    .updateTable('alerts')
    .set({ told_at: connection.clock.now() })
    .where('integration_id', '=', integrationId)
    .where('subject', '=', subject)
    .execute();
}

function toAlert({ told_at: sentAt, ...row }: Selectable<Tables['alerts']>): AlertRecord {
  return { ...fromRow(row), sentAt };
}
