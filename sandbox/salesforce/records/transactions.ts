/** Runs work that is stored either completely or not at all. */

import type { Database } from '../core/database.ts';

/** Runs `work`. If `work` throws or `keep` returns false for its result, rolls the changes back. */
export type Transact = <Outcome>(
  work: () => Outcome,
  keep: (outcome: Outcome) => boolean,
) => Outcome;

/** The two ways to run work. Nested work belongs to the surrounding work. */
export interface Transactions {
  transact: Transact;
  /**
   * Runs work without its own savepoint. If the work runs inside other work, it cannot be rolled back separately.
   * Therefore, an error must also end the surrounding work. A savepoint would take as long as a write.
   */
  join<Outcome>(work: () => Outcome): Outcome;
}

/** Creates the functions for transactions. `onRollBack` is called when work is rolled back. */
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
