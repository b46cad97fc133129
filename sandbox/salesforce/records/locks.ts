/** Records that another user is editing. A lock rejects a given number of writes. */

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

/** The schema of a lock. A lock applies to one record or to all records of one account. */
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
  /** Rejects the next writes to any records. 0 removes this lock. */
  lockNext(times: number): void;
  /**
   * Returns the error if a lock applies to a write. Each error reduces the number of writes that the lock still
   * rejects.
   */
  strike(id: string, accountId: StoredValue | undefined): RecordError | undefined;
  list(): Lock[];
}

/** Creates an empty set of locks. */
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

/** Represents the missing account of a record without an account. The value is not equal to the account of any lock. */
const NO_ACCOUNT = Symbol('no account');

function lockError(id: StoredValue): RecordError {
  const message = `unable to obtain exclusive access to this record or 1 records: ${id}`;
  return recordError('UNABLE_TO_LOCK_ROW', message);
}
