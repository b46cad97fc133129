import { ConfigurationError } from '../../src/core/errors.ts';
import { throwIfStopped } from '../requests/stopped.ts';

/** Throws a RetriableError when the run stops. */
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

/** Creates the error for a group in the settings that the CRM does not have. The message contains the right setting. */
export function unknownGroup(message: string, cause?: unknown): ConfigurationError {
  return new ConfigurationError(message, { code: 'crm_group_unknown', cause });
}
