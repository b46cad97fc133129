/**
 * Stores pairs of donors that agree without a contradiction but are not certain enough for a join, so that an operator
 * must review each pair.
 */

import { z } from 'zod';
import type { Database } from '../database.ts';

/** A pair of donors. The donor that was imported first comes first. */
export interface ReviewedPair {
  one: number;
  other: number;
  /** The probability that the two donors of the pair are one person. */
  probability: number;
  /** The evidence for it. */
  reasons: string[];
  atMs: number;
}

/** The pairs to review. Call the functions inside a transaction. */
export interface Reviews {
  /** Stores a pair. If the pair is already stored, updates its evidence. */
  add(pair: ReviewedPair): void;
  /**
   * Lists the pairs. The most likely pair comes first. Leaves out pairs with a joined donor. After the join is undone,
   * the list contains these pairs again.
   */
  list(): ReviewedPair[];
  /** Removes a pair. Returns false if the list does not contain the pair. */
  remove(one: number, other: number): boolean;
  /** Removes the pairs of a donor that was joined or erased. */
  forget(number: number): void;
}

const reasonsSchema = z.array(z.string());

export function openReviews(db: Database): Reviews {
  const insert = db.prepare<[Omit<ReviewedPair, 'reasons'> & { reasons: string }]>(
    'insert or replace into record_reviews values (@one, @other, @probability, @reasons, @atMs)',
  );
  const select = db.prepare<[], Omit<ReviewedPair, 'reasons'> & { reasons: string }>(
    `select one, other, probability, reasons, at_ms atMs from record_reviews
     where one not in (select number from record_vacancies) and other not in (select number from record_vacancies)
     order by probability desc, one, other`,
  );
  const remove = db.prepare<[number, number]>(
    'delete from record_reviews where one = ? or other = ?',
  );
  const removePair = db.prepare<[number, number]>(
    'delete from record_reviews where one = ? and other = ?',
  );
  return {
    remove: (one, other) => removePair.run(Math.min(one, other), Math.max(one, other)).changes > 0,
    add(pair) {
      insert.run({ ...pair, reasons: JSON.stringify(pair.reasons) });
    },
    list: () =>
      select
        .all()
        .map((row) => ({ ...row, reasons: reasonsSchema.parse(JSON.parse(row.reasons)) })),
    forget(number) {
      remove.run(number, number);
    },
  };
}
