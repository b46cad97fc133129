import type { Selectable } from 'kysely';
import type { Database, SubmissionState, SubmissionsTable, Trx } from '../engine/tables.ts';

export type SubmissionRow = Selectable<SubmissionsTable>;

/** A submission in one of these waits for its answer or for its settlement. */
export const OPEN_STATES: SubmissionState[] = ['intended', 'lost'];

/** The submission of a key that is open, if there is one; there cannot be two. */
export function findOpenSubmission(
  db: Database | Trx,
  partnerKey: string,
): Promise<SubmissionRow | undefined> {
  return db
    .selectFrom('submissions')
    .selectAll()
    .where('partner_key', '=', partnerKey)
    .where('state', 'in', OPEN_STATES)
    .executeTakeFirst();
}
