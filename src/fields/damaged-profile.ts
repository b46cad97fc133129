import { FatalError } from '../core/errors.ts';

/**
 * Creates the error for a stored profile that someone has changed or that belongs to another contact. Also used for the
 * part of a profile that rankings use.
 */
export function damagedProfile(cause?: unknown): FatalError {
  return new FatalError(
    'A kept profile in the database cannot be opened: it was changed, or its key belongs to another profile. Find out which other program writes into the database.',
    { code: 'kept_profile_damaged', cause },
  );
}
