import type { Application, OpenIntegration } from '../../../application.ts';
import { isDonorSyncError, RetriableError } from '../../../core/errors.ts';
import type { Integration } from '../../../core/integration-settings.ts';
import {
  describeFailure,
  EXIT_CODES,
  type ExitCode,
  type Output,
  usageError,
} from '../terminal/output.ts';
import { neverAborted, withIntegration } from './product.ts';

type Known = Pick<Application, 'integrations' | 'select'>;

/**
 * Returns the named integrations, all integrations with `--all`, or the only integration. If no integration is chosen,
 * throws a ConfigurationError that tells the user what to type.
 */
export function chooseIntegrations(
  application: Known,
  ids: readonly string[],
  all: boolean,
): Integration[] {
  if (all && ids.length > 0) {
    throw usageError('Enter clients or use --all, not both.');
  }
  if (ids.length > 0) return application.select(ids);
  const known = allIntegrations(application);
  if (all || known.length === 1) return known;
  const names = known.map(({ id }) => id).join(', ');
  throw usageError(`Which client? Enter one or more of ${names}, or use --all.`);
}

/** Returns the named integration. `how` is the form in which the user names it: an argument or an option. */
export function chooseOne(
  application: Known,
  id: string | undefined,
  how: 'after the command' | 'with --integration',
): Integration {
  const found = id === undefined ? allIntegrations(application) : application.select([id]);
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return only;
  const names = found.map((integration) => integration.id).join(', ');
  throw usageError(`Which client? Name one of ${names} ${how}.`);
}

export function namedOrAll(application: Known, ids: readonly string[]): Integration[] {
  return ids.length > 0 ? application.select(ids) : allIntegrations(application);
}

/** Throws a ConfigurationError if `--contact` is used for several integrations. */
export function requireOne(chosen: readonly Integration[]): void {
  if (chosen.length <= 1) return;
  throw usageError('--contact is an ID in one CRM, so name only the client that it belongs to.');
}

/**
 * Throws a ConfigurationError for several clients. The user must have checked the columns of each client, so the option
 * is allowed for only one client.
 */
export function requireOneToAccept(chosen: readonly Integration[], option: string): void {
  if (chosen.length <= 1) return;
  throw usageError(`${option} is about the columns of one client. Name that client.`);
}

function allIntegrations({ integrations }: Known): Integration[] {
  if (integrations.size > 0) return [...integrations.values()];
  throw usageError(
    'The settings do not contain a client. Run `donor-sync init` to create settings with a client.',
  );
}

/** The outcome of an attempt for one integration. */
export type Attempt<Value> = { integration: Integration } & (
  | { value: Value; error?: undefined }
  | { error: unknown; value?: undefined }
);

/**
 * Carries out an action for the integrations, one integration after the other. A failure does not prevent further
 * attempts. Stops after an abort.
 */
export async function attemptEach<Value>(
  application: Application,
  integrations: readonly Integration[],
  work: (open: OpenIntegration) => Promise<Value>,
  signal: AbortSignal = neverAborted(),
): Promise<Attempt<Value>[]> {
  const attempts: Attempt<Value>[] = [];
  for (const integration of integrations) {
    if (signal.aborted) break;
    try {
      const value = await withIntegration(application, integration, work, signal);
      attempts.push({ integration, value });
    } catch (error) {
      attempts.push({ integration, error: signal.aborted ? asStop(error) : error });
    }
  }
  return attempts;
}

/** Converts an abort into an error that states the reason for the stop. */
export function asStop(error: unknown): unknown {
  if (isDonorSyncError(error)) return error;
  return new RetriableError('Stopped before the run started. Nothing was changed.', {
    code: 'interrupted',
    cause: error,
  });
}

/**
 * Prints the results. Errors go to stderr. If several integrations share a value, the value is printed once. If there
 * are no values, the first error is the result. Returns the exit code.
 */
export function finishAttempts<Value>(
  output: Output,
  attempts: readonly Attempt<Value>[],
  name: string,
  print: (value: Value) => void,
): ExitCode {
  const values = new Set(attempts.flatMap(({ value }) => (value === undefined ? [] : [value])));
  const failed = attempts.filter((attempt) => attempt.error !== undefined);
  if (values.size > 0 || failed.length === 0) {
    output.finish({ [name]: [...values] }, () => {
      for (const value of values) print(value);
    });
  }
  for (const { error } of failed) output.fail(error);
  return getWorstCode(failed.map(({ error }) => describeFailure(error).exitCode));
}

/**
 * Combines the exit codes of several results. Errors have precedence. `usage` promises that nothing was changed, so it
 * is used only if all results have this code.
 */
export function getWorstCode(codes: readonly ExitCode[]): ExitCode {
  const [first = EXIT_CODES.done] = codes;
  if (codes.every((code) => code === first)) return first;
  const isBad = codes.includes(EXIT_CODES.unexpected) || codes.includes(EXIT_CODES.usage);
  return isBad ? EXIT_CODES.unexpected : EXIT_CODES.stopped;
}
