import { findOpenSubmissions, type SubmissionRow } from '../../contacts/open-submissions.ts';
import type { Clock } from '../../core/clock.ts';
import { type FromRow, fromRows, maybeFromRow } from '../../database/from-row.ts';
import type { LeaseQueries } from '../../database/leases.ts';
import type { Database } from '../../database/tables/tables.ts';
import { answerQueries } from './answers.ts';
import { balanceQueries } from './balances.ts';
import { intentQueries } from './intents.ts';
import { lostAnswerQueries } from './lost-answers.ts';

export type SubmissionRecord = FromRow<SubmissionRow>;

/** The way of a submission: its intent, its answer or its loss, and the balance of its key. */
export function submissionQueries(db: Database, leases: LeaseQueries, clock: Clock) {
  const { checkpoint } = leases;
  return {
    ...balanceQueries(db, clock),
    ...intentQueries(leases, clock),
    ...answerQueries(checkpoint, clock),
    ...lostAnswerQueries(leases, clock),

    /** The submissions of a key that are open. */
    listOpen: (partnerKey: string): Promise<SubmissionRecord[]> =>
      findOpenSubmissions(db, partnerKey).then(fromRows),

    /** The first of them. */
    findOpen: (partnerKey: string): Promise<SubmissionRecord | undefined> =>
      findOpenSubmissions(db, partnerKey).then(([first]) => maybeFromRow(first)),
  };
}
