/**
 * Records that a different user is editing. They stay locked for the requested number of writes.
 */

import { z } from 'zod';
import { type RecordError, recordError } from '../core/errors.ts';
import { readId } from '../core/ids.ts';
import type { StoredValue } from '../metadata/field.ts';

const idSchema = z.string().transform((text, context) => {
  const id = readId(text);
  if (id !== null) return id;
  context.addIssue({ code: 'custom', message: 'This is no id of a record.' });
  return z.NEVER;
});

/** A lock to set. It applies to one record or to all records of one account. */
export const lockSchema = z
  .strictObject({
    id: idSchema.optional(),
    accountId: idSchema.optional(),
    /** The number of writes to reject. */
    times: z.number().int().min(1).default(1),
  })
  .refine(({ id, accountId }) => (id === undefined) !== (accountId === undefined), {
    message: 'Give either id or accountId.',
  });

export type Lock = z.output<typeof lockSchema>;

/** The locks of an org. */
export interface Locks {
  add(lock: Lock): void;
  /** Rejects this number of future writes to any record. 0 turns this off. */
  lockNext(times: number): void;
  /**
   * Returns the error for a write if a lock applies. Each error reduces the lock's remaining
   * rejections by one.
   */
  strike(id: string, accountId: StoredValue | undefined): RecordError | undefined;
  list(): Lock[];
}

/** Starts without locks. */
export function createLocks(): Locks {
  const locks: Lock[] = [];
  let next = 0;

  function isLocked(id: string, accountId: StoredValue | undefined): boolean {
    if (next > 0) {
      next -= 1;
      return true;
    }
    const lock = locks.find(
      (one) =>
        one.times > 0 && (one.id === id || (one.accountId ?? null) === (accountId ?? NO_ACCOUNT)),
    );
    if (lock === undefined) return false;
    lock.times -= 1;
    return true;
  }

  return {
    add(lock) {
      locks.push({ ...lock });
    },
    lockNext(times) {
      next = times;
    },
    strike(id, accountId) {
      return isLocked(id, accountId) ? lockError(accountId ?? id) : undefined;
    },
    list: () => locks.filter(({ times }) => times > 0),
  };
}

/** Represents the account of a record that has no account. It does not equal any lock's account. */
const NO_ACCOUNT = Symbol('no account');

function lockError(id: StoredValue): RecordError {
  const message = `unable to obtain exclusive access to this record or 1 records: ${id}`;
  return recordError('UNABLE_TO_LOCK_ROW', message);
}
