/** The meaning of a run's end for the user who typed the command. */
import type { RunReport, RunStatus } from '../../../../core/run.ts';
import { EXIT_CODES, type ExitCode, type Output } from '../../terminal/output.ts';

/** The exit code for each status of a run. */
export const EXIT_CODE_OF: Readonly<Record<RunStatus, ExitCode>> = {
  running: EXIT_CODES.stopped,
  succeeded: EXIT_CODES.done,
  incomplete: EXIT_CODES.stopped,
  failed: EXIT_CODES.unexpected,
};

/** Scripts read the document; people read the sentence in the log of cron. */
export function recordStop(output: Output, { integration, status, reason }: RunReport): void {
  if (!output.isJson || reason === null) return;
  const how = status === 'failed' ? 'failed' : 'stopped before its end';
  output.note(`The run of ${integration} ${how}: ${reason.message}`);
}
