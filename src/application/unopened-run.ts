import type { Application } from '../application.ts';
import type { Clock } from '../core/clock.ts';
import { isDonorSyncError } from '../core/errors.ts';
import type { RunReason } from '../core/run.ts';
import { ALL_CONTACTS, type RunRequestRecord } from '../store/runs/run-requests.ts';
import { withLease } from '../sync/with-lease.ts';
import { buildReport } from '../views/run.ts';

export interface UnopenedDeps {
  application: Pick<Application, 'store' | 'takeLease'>;
  clock: Clock;
}

/**
 * Puts a run on record as failed that could not begin, because the clients of its integration cannot
 * be made: who asked for it learns why, and an alert is sent. Throws AlreadyRunning, with nothing
 * changed, while another process is at work on the integration.
 */
export function recordUnopened(
  { application: { store, takeLease }, clock }: UnopenedDeps,
  { runId: id, integrationId, trigger, contact, full }: RunRequestRecord,
  error: unknown,
): Promise<void> {
  const reason = reasonOf(error, integrationId);
  return withLease({ store, clock, takeLease }, integrationId, async (lease) => {
    const only = contact === ALL_CONTACTS ? null : contact;
    await store.runs.begin(lease, id, trigger, only, full === 1);
    const row = await store.runs.find(id);
    if (!row) throw error;
    const end = { status: 'failed' as const, finishedAt: clock.now() };
    const report = await buildReport(
      store,
      { ...row, ...end, reasonCode: reason.code, reasonMessage: reason.message },
      NOTHING_ASKED,
    );
    await store.runs.finish(lease, id, {
      ...{ status: end.status, reason, finishedAt: end.finishedAt },
      report: JSON.stringify(report),
    });
  });
}

const NOTHING_ASKED = {
  remaining: { enhancements: null, networks: null },
  calls: { partner: 0, crm: 0, throttled: 0 },
};

/** Unexpected errors are for the log alone: they may quote settings. */
function reasonOf(error: unknown, integrationId: string): RunReason {
  if (isDonorSyncError(error)) return { code: error.code, message: error.message };
  return {
    code: 'integration_unusable',
    message: `The clients of "${integrationId}" cannot be made from its settings. \`donor-sync doctor ${integrationId}\` says more.`,
  };
}
