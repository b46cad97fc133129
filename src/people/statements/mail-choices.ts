/** The monthly emails that users have chosen, and the proof that emails reach these users. */
import type { Selectable } from 'kysely';
import type { MailKind } from '../../core/mail-kinds.ts';
import type { ActorTransaction } from '../../database/actor-transaction.ts';
import { type FromRow, fromRows } from '../../database/from-row.ts';
import type { Reader } from '../../database/reader.ts';
import type { Tables } from '../../database/tables/tables.ts';
import { recordEntry } from '../../privacy/audit/record.ts';

export type MailChoice = FromRow<Selectable<Tables['mail_choices']>>;

export type MailPlace = Pick<MailChoice, 'personId' | 'kind'>;

/** Lists the kinds of emails that a user has chosen. */
export async function listChosenMails(reader: Reader, personId: string): Promise<MailKind[]> {
  const rows = await reader
    .selectFrom('mail_choices')
    .select('kind')
    .where('person_id', '=', personId)
    .orderBy('kind')
    .execute();
  return rows.map(({ kind }) => kind);
}

/**
 * Lists the chosen emails that have not been sent for this month (such as 2026-11). Excludes emails that were chosen
 * this month.
 */
export async function listDueMails(
  reader: Reader,
  kinds: readonly MailKind[],
  month: string,
): Promise<MailChoice[]> {
  if (kinds.length === 0) return [];
  const rows = await reader
    .selectFrom('mail_choices')
    .selectAll()
    .where('kind', 'in', kinds)
    .where('month', '<', month)
    .orderBy('chosen_at')
    .orderBy('person_id')
    .execute();
  return fromRows(rows);
}

/**
 * Records that a user wants this email, starting with the next month. Does nothing if the user already receives the
 * email.
 */
export async function chooseMail(
  trx: ActorTransaction,
  { personId, kind }: MailPlace,
  month: string,
): Promise<void> {
  const added = await trx
    .insertInto('mail_choices')
    .values({ person_id: personId, kind, chosen_at: trx.clock.now(), month })
    .onConflict((c) => c.doNothing())
    .returning('kind')
    .executeTakeFirst();
  if (added === undefined) return;
  await recordEntry(trx, { action: 'mail.chosen', details: { person: personId, kind } });
}

/** Records that a user no longer wants this email. Returns false if the user did not receive the email. */
export async function stopMail(
  trx: ActorTransaction,
  { personId, kind }: MailPlace,
): Promise<boolean> {
  const removed = await trx
    .deleteFrom('mail_choices')
    .where('person_id', '=', personId)
    .where('kind', '=', kind)
    .returning('kind')
    .executeTakeFirst();
  if (removed === undefined) return false;
  await recordEntry(trx, { action: 'mail.stopped', details: { person: personId, kind } });
  return true;
}

/**
 * Records that this process sends the email for a month. Returns false if the user no longer wants the email, or if a
 * different process is sending it.
 */
export async function claimMail(
  trx: ActorTransaction,
  { personId, kind }: MailPlace,
  month: string,
): Promise<boolean> {
  const claimed = await trx
    .updateTable('mail_choices')
    .set({ month })
    .where('person_id', '=', personId)
    .where('kind', '=', kind)
    .where('month', '<', month)
    .returning('kind')
    .executeTakeFirst();
  return claimed !== undefined;
}

/** Releases a claim, because the email was not sent. */
export async function releaseMail(
  trx: ActorTransaction,
  { personId, kind, month: before }: MailChoice,
  claimed: string,
): Promise<void> {
  await trx
    .updateTable('mail_choices')
    .set({ month: before })
    .where('person_id', '=', personId)
    .where('kind', '=', kind)
    .where('month', '=', claimed)
    .execute();
}

/**
 * Stores the hash of a one-time value that verifies a user's address. The new value replaces an earlier value. Returns
 * false if the stored value expires after `unlessUntil` (epoch ms).
 */
export async function storeEmailProof(
  trx: ActorTransaction,
  personId: string,
  { hash, until, unlessUntil }: { hash: string; until: number; unlessUntil: number },
): Promise<boolean> {
  const stored = await trx
    .updateTable('people')
    .set({ email_proof: hash, email_proof_until: until })
    .where('id', '=', personId)
    .where((eb) =>
      eb.or([eb('email_proof_until', 'is', null), eb('email_proof_until', '<=', unlessUntil)]),
    )
    .returning('id')
    .executeTakeFirst();
  return stored !== undefined;
}

/** Deletes a one-time value, because its email was not sent. */
export async function dropEmailProof(
  trx: ActorTransaction,
  personId: string,
  hash: string,
): Promise<void> {
  await trx
    .updateTable('people')
    .set({ email_proof: null, email_proof_until: null })
    .where('id', '=', personId)
    .where('email_proof', '=', hash)
    .execute();
}

/** Uses up the one-time value. Returns false if the value is wrong, has expired, or belongs to a different user. */
export async function verifyEmail(
  trx: ActorTransaction,
  personId: string,
  hash: string,
): Promise<boolean> {
  const now = trx.clock.now();
  const verified = await trx
    .updateTable('people')
    .set({ email_proof: null, email_proof_until: null, email_verified_at: now })
    .where('id', '=', personId)
    .where('email_proof', '=', hash)
    .where('email_proof_until', '>', now)
    .returning('id')
    .executeTakeFirst();
  if (verified === undefined) return false;
  await recordEntry(trx, { action: 'email.verified', details: { person: personId } });
  return true;
}
