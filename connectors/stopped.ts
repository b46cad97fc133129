import { RetriableError } from '../src/core/errors.ts';

/** Ends what is under way when the run stops: half an answer must not look like a whole one. */
export function throwIfStopped(signal: AbortSignal): void {
  if (!signal.aborted) return;
  throw new RetriableError('The run was stopped; the next one goes on from there.', {
    code: 'interrupted',
  });
}
