import type { Clock } from '../core/clock.ts';
import { answerQueries } from './answers.ts';
import { balanceQueries } from './balances.ts';
import { intentQueries } from './intents.ts';
import type { Checkpoint } from './leases.ts';
import { lostAnswerQueries } from './lost-answers.ts';
import { findOpenSubmission, type SubmissionRow } from './open-submissions.ts';
import type { Database } from './tables.ts';

export type { SubmissionRow };

/** The way of a submission: its intent, its answer or its loss, and the balance of its key. */
export function submissionQueries(db: Database, checkpoint: Checkpoint, clock: Clock) {
  return {
    ...balanceQueries(db, clock),
    ...intentQueries(checkpoint, clock),
    ...answerQueries(checkpoint, clock),
    ...lostAnswerQueries(checkpoint, clock),

    /** The submission of a key that is open, if there is one. */
    findOpen: (partnerKey: string) => findOpenSubmission(db, partnerKey),
  };
}
