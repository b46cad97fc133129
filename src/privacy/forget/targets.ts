import type { Application, OpenIntegration } from '../../application.ts';
import { listIntegrationsOfSameAccount } from '../../clients/statements/integrations.ts';
import type { Clock } from '../../core/clock.ts';
import { isDonorSyncError, messageOf } from '../../core/errors.ts';
import type { Integration } from '../../core/integration-settings.ts';
import type { Log } from '../../core/log.ts';
import { type Lease, LeaseLost } from '../../database/leases.ts';
import type { SyncDeps } from '../../sync/control/context.ts';
import { openCrm } from '../../sync/control/crm-account.ts';
import { withLease } from '../../sync/control/with-lease.ts';
import { hasTracesOfContact } from '../statements/known-contacts.ts';

/** A user's request to erase a contact. */
export interface ForgetRequest {
  integration: Integration;
  /** The contact's ID in canonical form. */
  crmId: string;
  /** True to also clear the values that donor-sync wrote into the CRM. */
  alsoInCrm: boolean;
  /** True to include the integrations of other accounts. */
  everywhere: boolean;
  /** True to block an ID even if neither the database nor the CRM contains it. */
  blockUnknown: boolean;
  /** The request in the CRM. Omitted if a user started the erasure. */
  ofCrm?: RequestOfCrm;
}

/** The checks for an erasure that the CRM requested. */
export interface RequestOfCrm {
  /** True if the CRM must still show the request when the erasure starts. */
  mustStand: boolean;
  /** Called before anything is erased if the CRM has merged this contact into a different contact. */
  foundMerged(winnerId: string): Promise<void>;
}

export interface ForgetPersonDeps {
  application: Pick<Application, 'store' | 'integrations' | 'takeLease'> & {
    open(integration: Integration, signal: AbortSignal): Promise<Opened>;
  };
  clock: Clock;
  log: Log;
  newId: () => string;
}

/** The parts of an open integration that are needed for an erasure. */
export type Opened = Pick<
  OpenIntegration,
  'integration' | 'mappings' | 'deps' | 'keepsWrites' | 'close'
>;

/**
 * The maximum time to wait for the CRM if it is only read to identify the person. The CRM may be permanently
 * unavailable.
 */
const CRM_PATIENCE_MS = 15_000;

/**
 * Returns the integrations that an erasure covers. The erasure covers all integrations of the same account, even if
 * they are no longer in the settings. With `everywhere`, it also covers other integrations with the same kind of CRM
 * that contain the ID.
 */
export async function integrationsToForget(
  {
    application: { store, integrations },
  }: {
    application: Pick<ForgetPersonDeps['application'], 'integrations'> & {
      store: Pick<ForgetPersonDeps['application']['store'], 'reader'>;
    };
  },
  { integration, crmId, everywhere }: Pick<ForgetRequest, 'integration' | 'crmId' | 'everywhere'>,
): Promise<string[]> {
  const ids = await listIntegrationsOfSameAccount(store.reader, integration.id);
  if (!everywhere) return ids;
  for (const other of integrations.values()) {
    if (other.crm.kind !== integration.crm.kind || ids.includes(other.id)) continue;
    if (await hasTracesOfContact(store.reader, other.id, [crmId])) ids.push(other.id);
  }
  return ids;
}

/** An integration during the erasure. */
export interface Target {
  id: string;
  lease: Lease;
  /** The open integration. Null if it is no longer in the settings. */
  open: Opened | null;
  /** The dependencies for access to the CRM, or null if the CRM could not be opened. */
  crm: SyncDeps | null;
  /** The reason why the CRM could not be opened, or null if it was opened. */
  unreached: string | null;
}

/** The target values for an integration that is not in the settings. */
export const UNKNOWN_HERE: Pick<Target, 'open' | 'crm' | 'unreached'> = {
  open: null,
  crm: null,
  unreached: null,
};

/**
 * Acquires each integration's lease and signs in to its CRM. Does nothing if a different process has one of the leases.
 */
export function withTargets<Result>(
  deps: ForgetPersonDeps,
  request: ForgetRequest,
  [id, ...others]: readonly string[],
  taken: readonly Target[],
  work: (targets: readonly Target[]) => Promise<Result>,
): Promise<Result> {
  if (id === undefined) return work(taken);
  const { application, clock } = deps;
  const { store, takeLease, integrations } = application;
  return withLease({ store, clock, takeLease }, id, async (lease) => {
    const integration = integrations.get(id);
    if (integration === undefined) {
      const target = { id, lease, open: null, crm: null, unreached: null };
      return withTargets(deps, request, others, [...taken, target], work);
    }
    const patience = AbortSignal.timeout(CRM_PATIENCE_MS);
    const signal = request.alsoInCrm ? new AbortController().signal : patience;
    const open = await application.open(integration, signal);
    try {
      const opened = await openUnlessAway(open, lease, request.alsoInCrm);
      const target = { id, lease, open, ...opened };
      return await withTargets(deps, request, others, [...taken, target], work);
    } finally {
      await open.close();
    }
  });
}

/** The error codes that mean that a CRM is unavailable or disconnected. */
const OUT_OF_REACH: ReadonlySet<string> = new Set([
  'crm_unavailable',
  'crm_unauthorized',
  'crm_limit_reached',
]);

/**
 * Opens the CRM. If the CRM is unavailable, donor-sync blocks the contact anyway, and the receipt names the places that
 * donor-sync could not reach. Throws an error if the settings now refer to a different account, because the ID belongs
 * to a different contact there.
 */
async function openUnlessAway(
  { deps, integration }: Opened,
  lease: Lease,
  isNeeded: boolean,
): Promise<Pick<Target, 'crm' | 'unreached'>> {
  try {
    return { crm: await openCrm(deps, isNeeded ? lease : null), unreached: null };
  } catch (error) {
    if (!isDonorSyncError(error) || error instanceof LeaseLost) throw error;
    if (isNeeded && !OUT_OF_REACH.has(error.code)) throw error;
    deps.log.warn(
      { integration: integration.id, error: messageOf(error) },
      'the CRM is not queried',
    );
    return { crm: null, unreached: error.message };
  }
}
