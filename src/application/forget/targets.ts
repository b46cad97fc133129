import type { Application, OpenIntegration } from '../../application.ts';
import type { Clock } from '../../core/clock.ts';
import { isDonorSyncError, messageOf } from '../../core/errors.ts';
import type { Integration } from '../../core/integration.ts';
import type { Log } from '../../core/log.ts';
import type { SyncDeps } from '../../run/context.ts';
import { openCrm } from '../../run/crm-account.ts';
import type { Lease } from '../../store/engine/leases.ts';
import { withLease } from '../../sync/with-lease.ts';

/** What a person asks for. */
export interface ForgetRequest {
  integration: Integration;
  /** The canonical form of the contact's id. */
  crmId: string;
  /** True to clear what we wrote into the CRM, too. */
  alsoInCrm: boolean;
  /** True for the integrations of other accounts as well. */
  everywhere: boolean;
  /** True to block an id that neither the store nor the CRM knows. */
  blockUnknown: boolean;
}

export interface ForgetPersonDeps {
  application: Pick<Application, 'store' | 'integrations' | 'takeLease'> & {
    open(integration: Integration, signal: AbortSignal): Promise<Opened>;
  };
  clock: Clock;
  log: Log;
  newId: () => string;
}

/** The part of an integration's clients that an erasure works with. */
export type Opened = Pick<
  OpenIntegration,
  'integration' | 'mappings' | 'deps' | 'keepsWrites' | 'close'
>;

/** Without `alsoInCrm` the CRM is asked who the person is, and may be out of reach for good. */
const CRM_PATIENCE_MS = 15_000;

/**
 * The integrations that an erasure is about: those of the same account, also ones that the settings
 * do not have any more; with `everywhere`, those of the same kind that know the id.
 */
export async function integrationsToForget(
  {
    application: { store, integrations },
  }: { application: Pick<ForgetPersonDeps['application'], 'store' | 'integrations'> },
  { integration, crmId, everywhere }: Pick<ForgetRequest, 'integration' | 'crmId' | 'everywhere'>,
): Promise<string[]> {
  const ids = await store.integrations.listOfSameAccount(integration.id);
  if (!everywhere) return ids;
  for (const other of integrations.values()) {
    if (other.crm.kind !== integration.crm.kind || ids.includes(other.id)) continue;
    if (await store.forget.hasTraces(other.id, [crmId])) ids.push(other.id);
  }
  return ids;
}

/** One of the integrations, for as long as the erasure takes. */
export interface Target {
  id: string;
  lease: Lease;
  /** Null if the settings do not have it any more. */
  open: Opened | null;
  /** The same with its CRM; null if that could not be opened. */
  crm: SyncDeps | null;
}

/** What there is of an integration that the settings do not have. */
export const UNKNOWN_HERE: Pick<Target, 'open' | 'crm'> = { open: null, crm: null };

/** Takes the lease of each integration and signs in; nothing is done if one of them is taken. */
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
      const target = { id, lease, open: null, crm: null };
      return withTargets(deps, request, others, [...taken, target], work);
    }
    const patience = AbortSignal.timeout(CRM_PATIENCE_MS);
    const signal = request.alsoInCrm ? new AbortController().signal : patience;
    const open = await application.open(integration, signal);
    try {
      const crm = await openUnlessAway(open, lease, request.alsoInCrm);
      return await withTargets(deps, request, others, [...taken, { id, lease, open, crm }], work);
    } finally {
      await open.close();
    }
  });
}

/** Only who is to be cleared in the CRM needs it; otherwise it just says who the person is. */
async function openUnlessAway(
  { deps, integration }: Opened,
  lease: Lease,
  isNeeded: boolean,
): Promise<SyncDeps | null> {
  try {
    return await openCrm(deps, isNeeded ? lease : null);
  } catch (error) {
    if (isNeeded || !isDonorSyncError(error)) throw error;
    deps.log.warn({ integration: integration.id, error: messageOf(error) }, 'the CRM is not asked');
    return null;
  }
}
