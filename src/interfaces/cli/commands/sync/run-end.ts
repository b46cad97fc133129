import { isAtLimit } from '../../../../clients/views/verdict.ts';
import type { RunReport, RunStatus } from '../../../../core/run.ts';
import { EXIT_CODES, type ExitCode, type Output } from '../../terminal/output.ts';

export const EXIT_CODE_OF: Readonly<Record<RunStatus, ExitCode>> = {
  running: EXIT_CODES.stopped,
  succeeded: EXIT_CODES.done,
  incomplete: EXIT_CODES.stopped,
  failed: EXIT_CODES.unexpected,
};

/** Writes to the log why a run stopped, for people who read cron's log. Scripts read the JSON document. */
export function recordStop(output: Output, run: RunReport): void {
  const { integration, reason } = run;
  if (!output.isJson || reason === null) return;
  const how = getEnd(run);
  output.note(`The run of ${integration} ${how}: ${reason.message}`);
}

function getEnd({ status, reason }: RunReport): string {
  if (status === 'failed') return 'failed';
  return isAtLimit(reason) ? 'reached its credit limit' : 'stopped early';
}
