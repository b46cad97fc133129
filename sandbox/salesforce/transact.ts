/** Work that is kept whole or not at all. */

import type { Database } from './database.ts';

/** Runs `work`, and takes it back if `keep` says no to its outcome or if it throws. */
export type Transact = <Outcome>(
  work: () => Outcome,
  keep: (outcome: Outcome) => boolean,
) => Outcome;

/** Nested calls are parts of the one around them; `onRollBack` hears of work taken back. */
export function createTransact(db: Database, onRollBack: () => void): Transact {
  const inTransaction = db.transaction((work: () => void) => work());
  return (work, keep) => {
    const outcomes: ReturnType<typeof work>[] = [];
    try {
      inTransaction(() => {
        const outcome = work();
        outcomes.push(outcome);
        if (!keep(outcome)) throw ROLL_BACK;
      });
    } catch (error) {
      onRollBack();
      if (error !== ROLL_BACK) throw error;
    }
    const [outcome] = outcomes;
    if (outcome === undefined) throw new Error('A transaction ended without an outcome.');
    return outcome;
  };
}

const ROLL_BACK = new Error('This transaction is taken back.');
