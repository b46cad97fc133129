/**
 * Handles networks that someone has changed at the service. Shows the differences, or makes the networks equal to their
 * groups again.
 */

import type { OpenIntegration } from '../clients/open-integration.ts';
import type { RunReason } from '../core/run.ts';
import type { Lease } from '../database/leases.ts';
import { createRunControl } from '../sync/control/control.ts';
import { openCrm } from '../sync/control/crm-account.ts';
import { loadErased } from '../sync/control/erased.ts';
import { withLease } from '../sync/control/with-lease.ts';
import { findDrift, type NetworkDrift } from './drift.ts';
import { type DriftView, viewDrift } from './drift-view.ts';
import { repairNetworks } from './repair.ts';
import { listNetworkCounts, type NetworkCounts } from './statements/network-counts.ts';

export interface ByHandOptions {
  /** True if queries may cost credits. If false and queries cost credits, a ConfigurationError reports the cost. */
  maySpend: boolean;
  /** Aborted to cancel the work. */
  signal: AbortSignal;
}

/** Queries the service for the networks' members, and compares them with the stored members. Changes nothing. */
export async function checkNetworks(
  { integration, deps }: OpenIntegration,
  { maySpend, signal }: ByHandOptions,
): Promise<DriftView[]> {
  const control = createRunControl(deps.clock, signal);
  try {
    const drifts = await findDrift(deps, { integration, control }, { maySpend });
    return await viewDrift(deps.store.reader, integration.id, drifts);
  } finally {
    control.close();
  }
}

export interface Repaired {
  found: DriftView[];
  done: NetworkCounts[];
  /** The reason why the work ended early, or null if it is complete. */
  stopped: RunReason | null;
}

export interface RepairOptions extends ByHandOptions {
  /** Called with the differences before any member is changed. If `confirm` throws, nothing is changed. */
  confirm(drifts: readonly NetworkDrift[]): Promise<void>;
}

/** Adds and removes network members so that they match their groups. Runs under the integration's lease. */
export function repairOpen(
  open: OpenIntegration,
  { maySpend, signal, confirm }: RepairOptions,
): Promise<Repaired> {
  const { integration, deps } = open;
  return withLease(deps, integration.id, async (lease, lost) => {
    const crm = await openCrm(deps, lease);
    const run = await repairRun(open, lease, AbortSignal.any([signal, lost]));
    try {
      const drifts = await repairNetworks(crm, run, { maySpend, confirm });
      return {
        found: await viewDrift(deps.store.reader, integration.id, drifts),
        done: await listNetworkCounts(deps.store.reader, run.id),
        stopped: run.control.reason,
      };
    } finally {
      run.control.close();
    }
  });
}

/** Returns the parts of a run that a repair needs. A repair is not a run, so donor-sync stores no report of it. */
async function repairRun(
  { integration, partnerKey, deps: { store, clock, newId } }: OpenIntegration,
  lease: Lease,
  signal: AbortSignal,
) {
  return {
    id: newId(),
    lease,
    integration,
    partnerKey,
    ...(await loadErased({ store }, integration.id, null)),
    groupMembers: new Set<string>(),
    only: null,
    control: createRunControl(clock, signal),
  };
}
