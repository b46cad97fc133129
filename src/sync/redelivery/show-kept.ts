/**
 * Decides whether a page may show a contact's stored profile. The same rules apply as for a delivery, because a page
 * must not show a value that donor-sync must not write.
 */

import type { CrmField } from '../../core/crm-field.ts';
import type { FieldMapping } from '../../core/field-map.ts';
import type { Integration } from '../../core/integration-settings.ts';
import type { Profile } from '../../core/profile.ts';
import type { Fingerprint } from '../../database/encryption/fingerprint.ts';
import type { Reader } from '../../database/reader.ts';
import { decryptProfile } from '../../fields/kept-profile.ts';
import type { RedeliveryExclusion } from '../../fields/redelivery-view.ts';
import {
  type KeptOfContact,
  listDeliveredProfiles,
} from '../../fields/statements/kept-profiles.ts';
import { countNotDeliverable } from '../../fields/statements/later-deliveries.ts';
import type { SyncDeps } from '../control/context.ts';
import { findOutside } from '../guards/filter.ts';
import { donorProblem, planOffers } from './offers.ts';
import { getExclusion, requestedChoice, toOfferRun } from './request.ts';

/**
 * `not_kept`: nothing was bought, or the profile is only in the CRM. `kept_back`: a rule forbids the delivery of the
 * profile.
 */
export type KeptProfile =
  | { kind: 'shown'; profile: Profile; kept: KeptOfContact }
  | { kind: 'kept_back'; reason: RedeliveryExclusion }
  | { kind: 'not_kept' };

/**
 * Finds a stored profile. If the CRM is unavailable, decides from the database whether the profile may be delivered.
 */
export async function findKeptProfile(
  { reader, fingerprint, sealer }: ShowDeps,
  integrationId: string,
  crmId: string,
): Promise<KeptProfile> {
  const only = [crmId];
  const [kept] = await listDeliveredProfiles(reader, integrationId, { after: '', limit: 1, only });
  if (kept === undefined) {
    const [outside] = await countNotDeliverable(reader, integrationId, only);
    return outside === undefined
      ? { kind: 'not_kept' }
      : { kind: 'kept_back', reason: getExclusion(outside) };
  }
  if (kept.kept.optedOutAt !== null) return { kind: 'kept_back', reason: 'opted_out' };
  if (kept.kept.profile === '') return { kind: 'not_kept' };
  const problem = donorProblem({ store: { fingerprint } }, { each: kept, mayReplaceDonor: true });
  if (problem !== null) return { kind: 'kept_back', reason: problem };
  return { kind: 'shown', profile: decryptProfile({ sealer }, kept.kept), kept };
}

/**
 * Decides whether to show the profile while the CRM is unavailable. During a delivery, a user would have to decide
 * about an uncertain match or about a person who has died. donor-sync can check the user's approval only when it can
 * read the CRM. A pure function.
 */
export function withoutCrm(
  found: KeptProfile,
  { contacts, match }: Pick<Integration, 'contacts' | 'match'>,
): KeptProfile {
  if (found.kind !== 'shown') return found;
  const { probability, isDeceased } = found.profile;
  const isUnsure = (probability ?? 1) < (match.minProbability ?? 0);
  const isToAsk = isUnsure || (isDeceased && !contacts.includeDeceased);
  return isToAsk ? { kind: 'kept_back', reason: 'profile_unopened' } : found;
}

interface ShowDeps {
  reader: Reader;
  fingerprint: Fingerprint;
  sealer: Pick<SyncDeps['sealer'], 'open' | 'seal'>;
}

/** Returns the mapped fields as the CRM describes them, and the profile values that a delivery would write now. */
export async function judgeKeptProfile(
  deps: SyncDeps,
  request: { integration: Integration; mappings: readonly FieldMapping[] },
  found: KeptProfile & { kind: 'shown' },
): Promise<{ profile: KeptProfile; fields: readonly CrmField[] }> {
  const run = await toOfferRun(deps, request);
  const choice = requestedChoice(request.mappings, found.kept, null);
  const [offer] = await planOffers(deps, run, [choice]);
  const profile: KeptProfile =
    offer?.kind === 'fields'
      ? found
      : { kind: 'kept_back', reason: offer?.why ?? 'profile_unopened' };
  return { profile, fields: run.fields };
}

/** True if `contacts.filter` currently excludes the contact. */
export async function isOutsideFilter(
  deps: Pick<SyncDeps, 'connector'>,
  integration: Integration,
  crmId: string,
): Promise<boolean> {
  return (await findOutside(deps, { integration }, [crmId])).has(crmId);
}
