/**
 * Guards against many contacts getting a different donor. The service may merge two of its records or correct a match.
 * A contact whose details have not changed then receives a different donor's profile, which replaces all its values. If
 * many contacts get a different donor, the service probably has a fault, so a user has to decide.
 */

import { countChangedDonors } from '../../contacts/many-at-once/mass-changes.ts';
import type { ContactQuestion } from '../../decisions/statements/questions.ts';
import { changedParts } from '../../identity/identity-text.ts';
import type { Run, SyncDeps } from '../control/context.ts';
import type { Planned } from '../profile-delivery.ts';
import { CHANGE_WINDOW_MS, isMassChange } from './mass-change.ts';

/**
 * Replaces plans with decisions if too many unchanged contacts would get a different donor. Returns the resulting
 * plans. The number includes changes in the last seven days and changes that already wait for a decision.
 */
export async function holdDonorChanges(
  { store, clock, log }: Pick<SyncDeps, 'store' | 'clock' | 'log'>,
  run: Pick<Run, 'id' | 'integration'>,
  planned: readonly Planned[],
  approvals: ReadonlyMap<string, ContactQuestion['kind']>,
): Promise<readonly Planned[]> {
  const changed = new Set(planned.filter((plan) => isUnasked(plan, approvals)));
  if (changed.size === 0) return planned;
  const { id, guards } = run.integration;
  const since = clock.now() - CHANGE_WINDOW_MS;
  const counts = await countChangedDonors(store.reader, id, since);
  const changes = { ...counts, due: changed.size };
  if (!isMassChange(changes, guards.massChange)) return planned;
  log.warn(
    { run: run.id, ...changes },
    'many contacts that did not change would get another donor',
  );
  return planned.map((plan) => (changed.has(plan) ? asHeld(plan) : plan));
}

/**
 * True if the donor would change although the contact's details have not changed, and no user has approved the change.
 */
function isUnasked(
  plan: Planned,
  approvals: ReadonlyMap<string, ContactQuestion['kind']>,
): boolean {
  if (plan.kind !== 'fields' || !plan.plan.together) return false;
  const { contact, job } = plan.fetched.ready;
  const { valuesDonor, valuesIdentity } = contact;
  if (valuesDonor === null || valuesDonor === plan.fetched.profile.donorId) return false;
  if (approvals.has(job.trackingId)) return false;
  return valuesIdentity !== null && changedParts(valuesIdentity, contact.identity).length === 0;
}

function asHeld(plan: Planned): Planned {
  if (plan.kind !== 'fields') return plan;
  const { ready, profile } = plan.fetched;
  return {
    kind: 'ended',
    delivery: {
      crmId: ready.contact.crmId,
      trackingId: ready.job.trackingId,
      reason: 'donor_mass_change',
      detail: null,
      end: { kind: 'held', donorId: profile.donorId },
    },
  };
}
