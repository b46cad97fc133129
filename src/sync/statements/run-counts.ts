import type { LeasedTransaction } from '../../database/leases.ts';
import { prepared, type Slots } from '../../database/prepared.ts';

/** The numbers of a run's contacts by outcome, and the credits that the run has spent. */
export type RunCounts = {
  read: number;
  chosen: number;
  submitted: number;
  enhanced: number;
  /** The number of contacts that needed no credit because they share a job with the same person's other contact. */
  shared: number;
  spent: number;
};

const NOTHING: RunCounts = { read: 0, chosen: 0, submitted: 0, enhanced: 0, shared: 0, spent: 0 };

/** Increases a run's numbers in the same transaction as the change. */
export async function countInRun(
  trx: LeasedTransaction,
  runId: string,
  more: Partial<RunCounts>,
): Promise<void> {
  await addCounts(trx, { ...NOTHING, ...more, runId });
}

const addCounts = prepared((db, more: Slots<RunCounts & { runId: string }>) =>
  db
    .updateTable('runs')
    .set((eb) => ({
      read_count: eb('read_count', '+', more.read),
      chosen_count: eb('chosen_count', '+', more.chosen),
      submitted_count: eb('submitted_count', '+', more.submitted),
      enhanced_count: eb('enhanced_count', '+', more.enhanced),
      shared_count: eb('shared_count', '+', more.shared),
      spent_enhancements: eb('spent_enhancements', '+', more.spent),
    }))
    .where('id', '=', more.runId)
    .compile(),
);
