import type { Application, OpenIntegration } from '../application.ts';
import type { Clock } from '../core/clock.ts';
import { isDonorSyncError, messageOf } from '../core/errors.ts';
import type { Integration } from '../core/integration-settings.ts';
import type { Log } from '../core/log.ts';
import type { RunReason } from '../core/run.ts';
import { withLease } from '../sync/control/with-lease.ts';
import { runSync } from '../sync/run.ts';
import { ALL_CONTACTS, type RunRequestRecord } from '../sync/statements/request-rows.ts';
import { listRequestsAlongside } from '../sync/statements/run-requests.ts';
import { findRunById, recordRunBegin, recordRunEnd } from '../sync/statements/runs.ts';
import { buildReport } from '../sync/views/run.ts';

export interface AnswerDeps {
  application: Pick<Application, 'open' | 'store' | 'takeLease'>;
  clock: Clock;
  log: Log;
  /** The signal that ends the run at its next checkpoint. */
  signal: AbortSignal;
}

/**
 * Executes the requested run to its end, or to the next checkpoint after a stop. Records the run's result, even if the
 * integration's clients cannot be created. If a different process is working on the integration, the request stays in
 * the queue.
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
    deps.log.warn(toFacts(request, error), 'a run was cut off');
  }
}

/**
 * Opens the integration's clients, or records why they cannot be created. A later attempt would also fail, so the run
 * ends with this reason.
 */
async function openOrRecord(
  deps: AnswerDeps,
  integration: Integration,
  request: RunRequestRecord,
): Promise<OpenIntegration | null> {
  try {
    return await deps.application.open(integration, deps.signal);
  } catch (error) {
    deps.log.error(toFacts(request, error), 'the clients of an integration cannot be created');
    await recordUnopened(deps, request, error);
    return null;
  }
}

async function runAndClose(
  { signal }: Pick<AnswerDeps, 'signal'>,
  open: OpenIntegration,
  request: RunRequestRecord,
): Promise<void> {
  const { deps, integration, mappings, partnerKey, stages, calls } = open;
  const { runId, trigger, contact } = request;
  const others = await listRequestsAlongside(deps.store.reader, request);
  const only = contact === ALL_CONTACTS ? null : [contact, ...others.map((other) => other.contact)];
  const alongside = others.map((other) => other.runId);
  const full = request.full === 1;
  try {
    await runSync(
      deps,
      {
        runId,
        integration,
        mappings,
        partnerKey,
        trigger,
        full,
        only,
        alongside,
        stages,
        signal,
      },
      { calls },
    );
  } finally {
    await open.close();
  }
}

function toFacts({ integrationId: integration, runId: run }: RunRequestRecord, error: unknown) {
  return { integration, run, error: messageOf(error) };
}

export interface UnopenedDeps {
  application: Pick<Application, 'store' | 'takeLease'>;
  clock: Clock;
}

/**
 * Records a run as failed if it could not start because its integration's clients could not be created. The requester
 * sees the reason, and an alert is sent. Throws AlreadyRunning and changes nothing while a different process is working
 * on the integration.
 */
function recordUnopened(
  { application: { store, takeLease }, clock }: UnopenedDeps,
  { runId: id, integrationId, trigger, contact, full }: RunRequestRecord,
  error: unknown,
): Promise<void> {
  const reason = toReason(error, integrationId);
  return withLease({ store, clock, takeLease }, integrationId, async (lease) => {
    const only = contact === ALL_CONTACTS ? null : [contact];
    await store.checkpoint(lease, (trx) =>
      recordRunBegin(trx, id, trigger, only, { full: full === 1 }),
    );
    const row = await findRunById(store.reader, id);
    if (!row) throw error;
    const end = { status: 'failed' as const, finishedAt: clock.now() };
    const report = await buildReport(
      store.reader,
      { ...row, ...end, reasonCode: reason.code, reasonMessage: reason.message },
      NOTHING_ASKED,
    );
    await store.checkpoint(lease, (trx) =>
      recordRunEnd(trx, id, {
        status: end.status,
        reason,
        finishedAt: end.finishedAt,
        report: JSON.stringify(report),
      }),
    );
  });
}

const NOTHING_ASKED = {
  remaining: { enhancements: null, networks: null },
  calls: { partner: 0, crm: 0, throttled: 0 },
};

/** Returns the reason that the requester sees. Unexpected errors are only logged, because they may quote settings. */
function toReason(error: unknown, integrationId: string): RunReason {
  if (isDonorSyncError(error)) return { code: error.code, message: error.message };
  return {
    code: 'integration_unusable',
    message: `The connections of "${integrationId}" cannot be created from its settings. To find out more: donor-sync doctor ${integrationId}`,
  };
}
