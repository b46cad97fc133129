import { ConfigurationError } from '../../src/core/errors.ts';
import { throwIfStopped } from '../requests/stopped.ts';

/** Yields each member of a group once. Throws a RetriableError when the run stops. */
export async function* eachOnce(
  portions: AsyncIterable<readonly string[]>,
  signal: AbortSignal,
): AsyncGenerator<readonly string[]> {
  throwIfStopped(signal);
  const seen = new Set<string>();
  for await (const ids of portions) {
    throwIfStopped(signal);
    const fresh = [...new Set(ids)].filter((id) => !seen.has(id));
    for (const id of fresh) seen.add(id);
    if (fresh.length > 0) yield fresh;
  }
}

/**
 * Creates the error for a group that is in the settings but not in the CRM. The message tells the user how to correct
 * the setting.
 */
export function unknownGroup(message: string, cause?: unknown): ConfigurationError {
  return new ConfigurationError(message, { code: 'crm_group_unknown', cause });
}
