/**
 * A submission whose answer nobody read is settled by the balance, not guessed: after a quiet
 * time two equal readings decide. Until then nothing else of the same key is submitted.
 */

import type { Run, SyncDeps } from '../run/context.ts';
import { findLoss } from '../run/loss.ts';
import type { SubmissionRecord } from '../store/credits/submissions.ts';
import type { Lease } from '../store/engine/leases.ts';

/** How often a submission of another living run is looked at. */
const OTHER_RUN_WAIT_MS = 250;

type SettleDeps = Pick<SyncDeps, 'store' | 'partner' | 'clock' | 'sightings' | 'log' | 'takeLease'>;

/**
 * Deals with the open submission of the run's key, if there is one. Answers `wait` as long as
 * nothing else of the key may be submitted; it has waited a little then.
 */
export async function settleOpenSubmission(deps: SettleDeps, run: Run): Promise<'clear' | 'wait'> {
  const open = await deps.store.submissions.findOpen(run.partnerKey);
  if (!open) return 'clear';
  if (open.integrationId === run.integration.id) {
    await settle(deps, run, open, run.lease, run.integration.onLostAnswer);
    return 'wait';
  }
  const attempt = await deps.takeLease(open.integrationId);
  if (!attempt.acquired) {
    await deps.clock.sleep(OTHER_RUN_WAIT_MS, run.control.stopping);
    return 'wait';
  }
  try {
    // Its settings are not known here: holding loses nothing.
    await settle(deps, run, open, attempt.lease, 'hold');
  } finally {
    await deps.store.leases.release(attempt.lease);
  }
  return 'wait';
}

/** Waits for the quiet time and decides; leaves everything as it is if the run stops meanwhile. */
async function settle(
  deps: SettleDeps,
  run: Run,
  open: SubmissionRecord,
  lease: Lease,
  afterwards: 'hold' | 'resubmit',
): Promise<void> {
  const { store, log } = deps;
  const facts = { run: run.id, submission: open.id };
  log.info(facts, 'an answer was lost; its credits are settled by the balance');
  const request = {
    id: open.id,
    bucket: 'enhancements',
    balanceBefore: open.balanceBefore,
    items: open.persons,
  } as const;
  const found = await findLoss(deps, run, request, lease);
  if (found === 'stopped') return;
  const { loss, balance } = found;
  const settledBy = open.integrationId === run.integration.id ? run.id : null;
  if (loss.charged === 0) {
    await store.submissions.settleNotCharged(lease, open.id, { balance, run: settledBy });
    log.info(facts, 'the lost submission was not charged; its contacts are submitted again');
    return;
  }
  const detail = 'why' in loss ? loss.why : '';
  await store.submissions.settleCharged(lease, open.id, {
    charged: loss.charged,
    balance,
    run: settledBy,
    afterwards,
    detail,
  });
  log.warn(
    { ...facts, charged: loss.charged, afterwards },
    'the lost submission counts as charged',
  );
}
