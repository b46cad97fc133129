import type { Application, OpenIntegration } from '../application.ts';
import type { Clock } from '../core/clock.ts';
import { isDonorSyncError, messageOf } from '../core/errors.ts';
import type { Integration } from '../core/integration.ts';
import type { Log } from '../core/log.ts';
import { ALL_CONTACTS, type RunRequestRecord } from '../store/runs/run-requests.ts';
import { runSync } from '../sync/run.ts';
import { recordUnopened } from './unopened-run.ts';

export interface AnswerDeps {
  application: Pick<Application, 'open' | 'store' | 'takeLease'>;
  clock: Clock;
  log: Log;
  /** Aborted to end the run at its next checkpoint. */
  signal: AbortSignal;
}

/**
 * Runs what was asked for, to its end or to the next checkpoint after a stop; how it ended is on
 * record, also if the clients of the integration cannot be made. Leaves the request waiting if
 * another process is at work on the integration.
 */
export async function answerRequest(
  deps: AnswerDeps,
  integration: Integration,
  request: RunRequestRecord,
): Promise<void> {
  try {
    const open = await openOrRecord(deps, integration, request);
    if (open !== null) await runAndClose(deps, open, request);
  } catch (error) {
    if (isDonorSyncError(error) && error.code === 'already_running') return;
    deps.log.warn(factsOf(request, error), 'a run broke off');
  }
}

/** Clients that cannot be made will not be made later either: that is how the run ends. */
async function openOrRecord(
  deps: AnswerDeps,
  integration: Integration,
  request: RunRequestRecord,
): Promise<OpenIntegration | null> {
  try {
    return await deps.application.open(integration, deps.signal);
  } catch (error) {
    deps.log.error(factsOf(request, error), 'the clients of an integration cannot be made');
    await recordUnopened(deps, request, error);
    return null;
  }
}

async function runAndClose(
  { signal }: Pick<AnswerDeps, 'signal'>,
  open: OpenIntegration,
  { runId, trigger, full, contact }: RunRequestRecord,
): Promise<void> {
  const { deps, integration, mappings, partnerKey, stages, calls } = open;
  const only = contact === ALL_CONTACTS ? null : contact;
  try {
    await runSync(
      deps,
      { runId, integration, mappings, partnerKey, trigger, full: full === 1, only, stages, signal },
      { calls },
    );
  } finally {
    await open.close();
  }
}

function factsOf({ integrationId: integration, runId: run }: RunRequestRecord, error: unknown) {
  return { integration, run, error: messageOf(error) };
}
