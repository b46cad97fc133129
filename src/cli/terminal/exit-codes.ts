import { CommanderError } from 'commander';
import {
  type DonorSyncError,
  isConfigurationError,
  isDonorSyncError,
  isRetriableError,
  messageOf,
} from '../../core/errors.ts';

/** Design, section 4.1: what a command's end tells scripts and cron. */
export const EXIT_CODES = {
  done: 0,
  unexpected: 1,
  /** Bad usage or settings: nothing was changed. */
  usage: 2,
  /** The run stopped before its end and the next run goes on from there. */
  stopped: 3,
} as const;

export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES];

/** An error as a command reports it. */
export interface Failure {
  exitCode: ExitCode;
  /** A stable word in snake_case. */
  code: string;
  /** For a person. */
  message: string;
  details: Readonly<Record<string, unknown>>;
}

/** The code of errors of no known kind. */
export const UNEXPECTED = 'unexpected_error';

/** The one place that makes an exit code and words of anything thrown. */
export function describeFailure(error: unknown): Failure {
  if (isDonorSyncError(error)) {
    const { code, message, details } = error;
    return { exitCode: exitCodeOf(error), code, message, details };
  }
  if (error instanceof CommanderError) return describeUsage(error);
  return {
    exitCode: EXIT_CODES.unexpected,
    code: UNEXPECTED,
    message: `Something unexpected happened: ${messageOf(error)} (DONOR_SYNC_LOG_LEVEL=debug shows where)`,
    details: {},
  };
}

/**
 * What passes with time is a stop, not a failure: the next try goes on from there. So is a lease that is
 * lost: the process that has it now goes on.
 */
function exitCodeOf(error: DonorSyncError): ExitCode {
  if (isConfigurationError(error)) return EXIT_CODES.usage;
  const isStop = isRetriableError(error) || error.code === 'lease_lost';
  return isStop ? EXIT_CODES.stopped : EXIT_CODES.unexpected;
}

/** Commander throws for `--help` and `--version` too, with the exit code 0. */
function describeUsage(error: CommanderError): Failure {
  const exitCode = error.exitCode === 0 ? EXIT_CODES.done : EXIT_CODES.usage;
  const message = error.message.replace(/^error: /, '');
  return { exitCode, code: 'usage', message, details: {} };
}
