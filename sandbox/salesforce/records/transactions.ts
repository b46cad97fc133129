/** Work that is stored completely or not at all. */

import type { Database } from '../core/database.ts';

/** Runs `work`. Rolls it back if it throws or if `keep` returns false for its outcome. */
export type Transact = <Outcome>(
  work: () => Outcome,
  keep: (outcome: Outcome) => boolean,
) => Outcome;

/** The two ways to run work. Nested work is part of the surrounding work. */
export interface Transactions {
  transact: Transact;
  /**
   * Runs work and keeps every outcome. Inside other work it is not rolled back separately. An error
   * that it throws must reach the surrounding work. This avoids the savepoint, which costs as much
   * as a write.
   */
  join<Outcome>(work: () => Outcome): Outcome;
}

/** Starts with no work in progress. `onRollBack` is called when work is rolled back. */
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
