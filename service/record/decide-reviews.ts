/** Shows the list of pairs to review to operators, and carries out their decisions. */

import type { Database } from '../database.ts';
import { openGrowingIndex } from '../matcher/growing-index.ts';
import { Refusal } from '../operation/refusal.ts';
import { openApart } from './apart.ts';
import { createJoining } from './joining.ts';
import { openReviews, type ReviewedPair } from './reviews.ts';
import { openRecord } from './store.ts';
import { openRecordedWorld } from './world.ts';

/** A pair of donors that may be one person. Terminals and logs never show the names of the pair. */
export interface ReviewPair {
  /** The ID of the donor that was imported first, and the ID of the other donor. */
  id: string;
  other: string;
  /** The IDs that the two donors have in their sources. */
  keys: string[];
  otherKeys: string[];
  probability: number;
  reasons: string[];
}

/** Lists the pairs that an operator must review. The most likely pairs come first. */
export function listReviews(db: Database): ReviewPair[] {
  const record = openRecord(db);
  return openReviews(db)
    .list()
    .map(({ one, other, probability, reasons }) => ({
      id: record.donor(one)?.id ?? '',
      other: record.donor(other)?.id ?? '',
      keys: record.keysOf(one),
      otherKeys: record.keysOf(other),
      probability,
      reasons,
    }));
}

/**
 * The operator's decision about a pair: the service joins the two donors, or marks the pair so that it never joins the
 * two donors.
 */
export type Decision = 'one person' | 'two people';

/** Carries out the decision about a pair in the review list. Stop all services that use the database first. */
export function decideReview(
  db: Database,
  { ids, decision }: { ids: readonly [string, string]; decision: Decision },
  clock: () => number,
): void {
  const world = openRecordedWorld(db);
  const decide = db.transaction(() => {
    const record = openRecord(db);
    const reviews = openReviews(db);
    const { one, other, ...grounds } = findPair(db, ids);
    if (decision === 'two people') {
      openApart(db).add(one, other);
      reviews.remove(one, other);
      return;
    }
    const joining = createJoining(db, record, openGrowingIndex(db, world.donorCount));
    joining.join(one, other, grounds, clock());
  });
  decide.immediate();
  openRecordedWorld(db);
}

function findPair(db: Database, ids: readonly [string, string]): ReviewedPair {
  const record = openRecord(db);
  const numbers = ids.map((id) => record.numberOf(id));
  const pair = openReviews(db)
    .list()
    .find(({ one, other }) => numbers.includes(one) && numbers.includes(other));
  if (pair === undefined) {
    throw new Refusal(
      `${ids.join(' and ')} are not a pair on the review list. Nothing was changed.`,
    );
  }
  return pair;
}
