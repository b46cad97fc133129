import type { Application, OpenIntegration } from '../application.ts';
import { DonorSyncError, messageOf } from '../core/errors.ts';
import type { Integration } from '../core/integration.ts';
import type { Log } from '../core/log.ts';
import { ALL_CONTACTS, type RunRequestRow } from '../store/run-requests.ts';
import { runSync } from '../sync/run.ts';

export interface AnswerDeps {
  application: Pick<Application, 'open' | 'store'>;
  log: Log;
  /** Aborted to end the run at its next checkpoint. */
  signal: AbortSignal;
}

/**
 * Runs what was asked for, to its end or to the next checkpoint after a stop; how it ended is on
 * record. Leaves the request waiting if somebody else is at work on the integration.
 */
export async function answerRequest(
  deps: AnswerDeps,
  integration: Integration,
  request: RunRequestRow,
): Promise<void> {
  const open = await openOrDrop(deps, integration, request);
  if (open === null) return;
  try {
    await runOnce(deps, open, request);
  } catch (error) {
    if (error instanceof DonorSyncError && error.code === 'already_running') return;
    deps.log.warn(factsOf(request, error), 'a run broke off');
  } finally {
    await open.close();
  }
}

/** Clients that cannot be made will not be made later either: the request goes. */
async function openOrDrop(
  { application, log, signal }: AnswerDeps,
  integration: Integration,
  request: RunRequestRow,
): Promise<OpenIntegration | null> {
  try {
    return await application.open(integration, signal);
  } catch (error) {
    const message = 'a run was dropped: the clients of its integration cannot be made';
    log.error(factsOf(request, error), message);
    await application.store.runRequests.drop(request.run_id);
    return null;
  }
}

function runOnce(
  { signal }: AnswerDeps,
  { deps, integration, mappings, partnerKey, stages, calls }: OpenIntegration,
  { run_id: runId, trigger, full, contact }: RunRequestRow,
): Promise<unknown> {
  const only = contact === ALL_CONTACTS ? null : contact;
  return runSync(
    deps,
    { runId, integration, mappings, partnerKey, trigger, full: full === 1, only, stages, signal },
    { calls },
  );
}

function factsOf({ integration_id: integration, run_id: run }: RunRequestRow, error: unknown) {
  return { integration, run, error: messageOf(error) };
}
