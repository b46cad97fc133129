import type { Clock } from '../../core/clock.ts';
import { findOpenSubmission, type SubmissionRow } from '../contacts/open-submissions.ts';
import { type FromRow, maybeFromRow } from '../engine/from-row.ts';
import type { Checkpoint } from '../engine/leases.ts';
import type { Database } from '../engine/tables.ts';
import { answerQueries } from './answers.ts';
import { balanceQueries } from './balances.ts';
import { intentQueries } from './intents.ts';
import { lostAnswerQueries } from './lost-answers.ts';

export type SubmissionRecord = FromRow<SubmissionRow>;

/** The way of a submission: its intent, its answer or its loss, and the balance of its key. */
export function submissionQueries(db: Database, checkpoint: Checkpoint, clock: Clock) {
  return {
    ...balanceQueries(db, clock),
    ...intentQueries(checkpoint, clock),
    ...answerQueries(checkpoint, clock),
    ...lostAnswerQueries(checkpoint, clock),

    /** The submission of a key that is open, if there is one. */
    findOpen: (partnerKey: string): Promise<SubmissionRecord | undefined> =>
      findOpenSubmission(db, partnerKey).then(maybeFromRow),
  };
}
