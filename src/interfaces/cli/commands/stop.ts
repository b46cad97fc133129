import type { Command } from 'commander';
import type { Application } from '../../../application.ts';
import { nothingRuns, stopRun } from '../../../operations/runs.ts';
import { listRunRequests } from '../../../sync/statements/run-requests.ts';
import { findRunId } from '../action/find-run.ts';
import { operationCommand } from '../action/operation-command.ts';
import type { ProductDeps } from '../action/product.ts';
import type { Output } from '../terminal/output.ts';

const EXAMPLES = `
Examples:
  donor-sync stop riverside      the client's run in progress, or otherwise its queued run
  donor-sync stop 1a2b3c4d       a run by its ID, whole or shortened as in \`runs\`
  donor-sync stop RUN --json     with the whole ID: { "run": {...}, "state": "stopping" }

A run in progress ends within seconds, on whichever machine it runs. Paid profiles are kept, and the next run
continues from there. A queued run does not start. To keep the next scheduled run from starting:
donor-sync schedule pause ID`;

export function stopCommand(deps: ProductDeps): Command {
  return operationCommand(deps, stopRun, undefined, {
    findSubject: ({ application, output }, typed) => findWhat(application, output, typed),
  }).addHelpText('after', EXAMPLES);
}

/** Returns the run's ID. For a client, returns the ID of its run in progress or in the queue. */
async function findWhat(
  { store, integrations, findRunning }: Application,
  output: Output,
  typed: string,
): Promise<string> {
  if (!integrations.has(typed)) return findRunId(store.reader, typed, output);
  const run = (await findRunning(typed))?.run;
  if (run != null) return run;
  const [queued] = await listRunRequests(store.reader, typed);
  if (queued !== undefined) return queued.runId;
  throw nothingRuns(`No run of "${typed}" is in progress or queued.`, typed);
}
