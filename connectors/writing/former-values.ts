/** Restores a contact's former values if a CRM has stored only some of another person's values. */
import { isRetriableError } from '../../src/core/errors.ts';
import type { ConnectorDeps, Refusal } from '../contract.ts';
import { throwIfStopped } from '../requests/stopped.ts';

const TRIES = 3;

/** The wait (ms) after which a lock or a short failure has usually ended. */
const WAIT_MS = 1_000;

/**
 * Calls `restore` with the fields that still contain the other person's values. Calls it at most three times, until no
 * field is left. `restore` writes the former values, reads the fields again, and returns the fields that still contain
 * the other person's values. Returns the fields that could not be restored. If the CRM fails, returns all fields.
 * Throws an error if a user has to fix the problem or if the run has been stopped.
 */
export async function restoreFormer(
  { clock, signal }: Pick<ConnectorDeps, 'clock' | 'signal'>,
  fields: readonly string[],
  restore: (fields: readonly string[]) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  let left = fields;
  for (let tries = 0; left.length > 0 && tries < TRIES; tries += 1) {
    if (tries > 0) await clock.sleep(WAIT_MS, signal);
    throwIfStopped(signal);
    try {
      left = await restore(left);
    } catch (error) {
      throwIfStopped(signal);
      if (!isRetriableError(error)) throw error;
    }
  }
  return left;
}

/**
 * Returns the refusal for a `together` change if the former values could not be restored. The next run writes the
 * change again.
 */
export function notRestored(crm: string, fields: readonly string[]): Refusal {
  const message = `${crm} stored only some values of another person, and the former values could not be restored in all fields. The contact has values of two people until the next run writes it again.`;
  return {
    retriable: true,
    code: 'FORMER_VALUES_NOT_RESTORED',
    message,
    fields,
    isPartlyStored: true,
  };
}
