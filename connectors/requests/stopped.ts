import { RetriableError } from '../../src/core/errors.ts';

/** Throws if the run has been stopped. If a run stops, a partial result must not look complete. */
export function throwIfStopped(signal: AbortSignal): void {
  if (!signal.aborted) return;
  throw new RetriableError('The run was stopped; the next one continues from there.', {
    code: 'interrupted',
  });
}
