/** Work that is kept whole or not at all. */

import type { Database } from '../core/database.ts';

/** Runs `work`, and takes it back if `keep` says no to its outcome or if it throws. */
export type Transact = <Outcome>(
  work: () => Outcome,
  keep: (outcome: Outcome) => boolean,
) => Outcome;

/** The two ways to run work; nested work is a part of that around it. */
export interface Transactions {
  transact: Transact;
  /**
   * Runs work of which every outcome is kept. Within other work it is not taken back by itself: what
   * it throws must go on to the work around it. It saves the savepoint, which is as dear as a write.
   */
  join<Outcome>(work: () => Outcome): Outcome;
}

/** Begins with no work under way; `onRollBack` hears of work taken back. */
export function createTransactions(db: Database, onRollBack: () => void): Transactions {
  const inTransaction = db.transaction((work: () => void) => work());
  let depth = 0;

  function transact<Outcome>(work: () => Outcome, keep: (outcome: Outcome) => boolean): Outcome {
    const outcomes: Outcome[] = [];
    depth += 1;
    try {
      inTransaction(() => {
        const outcome = work();
        outcomes.push(outcome);
        if (!keep(outcome)) throw ROLL_BACK;
      });
    } catch (error) {
      onRollBack();
      if (error !== ROLL_BACK) throw error;
    } finally {
      depth -= 1;
    }
    const [outcome] = outcomes;
    if (outcome === undefined) throw new Error('A transaction ended without an outcome.');
    return outcome;
  }

  return { transact, join: (work) => (depth > 0 ? work() : transact(work, () => true)) };
}

const ROLL_BACK = new Error('This transaction is taken back.');
