import type { Application, OpenIntegration } from '../../application.ts';
import { isDonorSyncError, RetriableError } from '../../core/errors.ts';
import type { Integration } from '../../core/integration.ts';
import { describeFailure, EXIT_CODES, type ExitCode } from '../terminal/exit-codes.ts';
import type { Output } from '../terminal/output.ts';
import { withIntegration } from './product.ts';

/** How something went that was tried for one integration. */
export type Attempt<Value> = { integration: Integration } & (
  | { value: Value; error?: undefined }
  | { error: unknown; value?: undefined }
);

/**
 * Tries something for one integration after the other; what goes wrong with one does not keep the
 * next from its turn. Once the signal is aborted no other begins.
 */
export async function attemptEach<Value>(
  application: Application,
  integrations: readonly Integration[],
  signal: AbortSignal,
  work: (open: OpenIntegration) => Promise<Value>,
): Promise<Attempt<Value>[]> {
  const attempts: Attempt<Value>[] = [];
  for (const integration of integrations) {
    if (signal.aborted) break;
    try {
      const value = await withIntegration(application, integration, signal, work);
      attempts.push({ integration, value });
    } catch (error) {
      attempts.push({ integration, error: signal.aborted ? asStop(error) : error });
    }
  }
  return attempts;
}

/** What breaks off because of the stop is no error of its own. */
function asStop(error: unknown): unknown {
  if (isDonorSyncError(error)) return error;
  return new RetriableError('Stopped before the run began; nothing was changed.', {
    code: 'interrupted',
    cause: error,
  });
}

/**
 * Gives the answer made of the values, and tells on stderr what went wrong. If there is no value at
 * all, the first error is the answer. Resolves to the exit code of the errors alone.
 */
export function finishAttempts<Value, Document>(
  output: Output,
  attempts: readonly Attempt<Value>[],
  answer: {
    document: (values: Value[]) => Document;
    render: (document: Document) => void;
  },
): ExitCode {
  const values = attempts.flatMap(({ value }) => (value === undefined ? [] : [value]));
  const failed = attempts.filter((attempt) => attempt.error !== undefined);
  if (values.length > 0 || failed.length === 0) {
    output.finish(answer.document(values), answer.render);
  }
  for (const { error } of failed) output.fail(error);
  return worstOf(failed.map(({ error }) => describeFailure(error).exitCode));
}

/**
 * One code for several: an error first. `usage` promises that nothing was changed, so it stands
 * only where it is all there is.
 */
export function worstOf(codes: readonly ExitCode[]): ExitCode {
  const [first = EXIT_CODES.done] = codes;
  if (codes.every((code) => code === first)) return first;
  const isBad = codes.includes(EXIT_CODES.unexpected) || codes.includes(EXIT_CODES.usage);
  return isBad ? EXIT_CODES.unexpected : EXIT_CODES.stopped;
}
