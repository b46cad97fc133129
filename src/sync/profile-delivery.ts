/**
 * Decides how to deliver a profile to its contact: refusal ► guard ► fields. This file also decides on the result of
 * the delivery.
 */

import { parseOwned } from '../contacts/owned-values.ts';
import { type OutcomeReason, SHARED_PROFILE_TEXT } from '../core/outcome.ts';
import type { Profile } from '../core/profile.ts';
import type { ReadyJob } from '../credits/statements/jobs.ts';
import type { ContactQuestion } from '../decisions/statements/questions.ts';
import type { WrittenValues } from '../fields/former-values.ts';
import { type FieldPlan, planFields } from '../fields/plan.ts';
import type { KnownRecord } from '../fields/records.ts';
import type { Delivery } from '../fields/statements/delivery-ends.ts';
import type { FieldEnd } from '../fields/statements/field-end.ts';
import { guardName } from '../mapping/name-guard.ts';
import { profileValues } from '../mapping/profile-values.ts';
import type { Run, SyncDeps } from './control/context.ts';
import { formerFields } from './delivery/former-fields.ts';
import { plannedContact } from './read.ts';

/** The parts of a run that a delivery needs. */
type DeliveryRun = Pick<
  Run,
  'forgotten' | 'erased' | 'identities' | 'mappings' | 'fields' | 'described' | 'integration'
>;

type PlanDeps = Pick<SyncDeps, 'store' | 'sealer' | 'newId'> & {
  connector: Pick<SyncDeps['connector'], 'capabilities'>;
};

/** The reasons not to submit a contact that also forbid writing its paid profile to the CRM. */
const NEVER_WRITTEN: ReadonlySet<OutcomeReason> = new Set([
  'opted_out',
  'deceased',
  'do_not_contact',
  'forgotten',
]);

/**
 * The decisions that come after the decision about the person's death. A profile has one open decision at a time, and a
 * later decision replaces an earlier decision. Therefore, approving the later decision also approves the earlier
 * decision.
 */
const COVERS_DEATH: ReadonlySet<ContactQuestion['kind']> = new Set([
  'profile_deceased',
  'values_of_two_people',
  'donor_mass_change',
]);

/** A completed job with its profile. */
export interface Fetched {
  ready: ReadyJob;
  profile: Profile;
}

/** The plan for a profile: the result of the delivery, or the fields to write. */
export type Planned =
  | { kind: 'ended'; delivery: Delivery }
  | { kind: 'fields'; fetched: Fetched; identity: string; plan: FieldPlan };

/** The data about a contact at the time of delivery. */
export interface Circumstances extends KnownRecord {
  /** The kind of decision about this profile that a user has approved. Null if there is no approval. */
  approval: ContactQuestion['kind'] | null;
  /** The values that donor-sync wrote into records that the CRM has merged into the contact. Defaults to none. */
  merged?: readonly WrittenValues[];
  /**
   * The reason why the run must not submit the contact. The run noticed the reason on a page that it read after it
   * requested the contact's record. Null if no page has shown a reason.
   */
  refusedSince?: OutcomeReason | null;
  /**
   * Fields for which donor-sync offered the profile's value before. If a user has emptied such a field, donor-sync does
   * not fill it again. Defaults to none.
   */
  offeredBefore?: ReadonlySet<string>;
}

/**
 * Plans the delivery of one profile: its refusal, its guard, its fields and the changes. Apart from new IDs, encryption
 * and fingerprints, the function is pure.
 */
export function planDelivery(
  deps: PlanDeps,
  run: DeliveryRun,
  { ready, profile }: Fetched,
  {
    lookup,
    intended,
    automated,
    approval,
    merged = [],
    refusedSince = null,
    offeredBefore,
  }: Circumstances,
): Planned {
  const ended = (delivery: Omit<Delivery, 'crmId' | 'trackingId'>): Planned => ({
    kind: 'ended',
    delivery: {
      crmId: ready.contact.crmId,
      trackingId: ready.job.trackingId,
      ...delivery,
    },
  });
  if (lookup?.state !== 'found') {
    // If donor-sync treats a contact as removed, the contact has left for good, and its profile is deleted. Any other
    // missing contact may return.
    const hasLeft = lookup?.state === 'removed' || ready.contact.departureRead === 1;
    if (!hasLeft)
      return ended({ reason: 'contacts_missing', detail: null, end: { kind: 'missing' } });
    const mergedInto = lookup?.state === 'removed' ? lookup.mergedInto : null;
    const reason = mergedInto === null ? 'deleted_in_crm' : 'merged_in_crm';
    return ended({ reason, detail: null, end: { kind: 'dropped', removed: true, mergedInto } });
  }
  const { identity, looksErased, ...planned } = plannedContact(deps, run, lookup.contact);
  const refusal = planned.refusal ?? refusedSince;
  if (refusal !== null && NEVER_WRITTEN.has(refusal)) {
    return ended({ reason: refusal, detail: null, end: { kind: 'dropped', removed: false } });
  }
  if (refusal === 'mark_unknown') {
    // The paid profile waits until a user has decided what the mark means.
    const end = { kind: 'postponed' as const, writeId: null, enhanced: true, looksErased };
    return ended({ reason: refusal, detail: null, end });
  }
  if (looksErased === true) {
    const { donorId } = profile;
    const end = { kind: 'held' as const, donorId, hold: 'forgotten_person' as const };
    return ended({ reason: 'forgotten_person', detail: null, end });
  }
  const name = guardName(profile.name, lookup.contact);
  // The user approved the contact with its details at that time. Someone may have edited the contact since.
  const isAsApproved =
    approval !== null && identity.compareWith(ready.contact.identity).changed.length === 0;
  if (!name.match && !isAsApproved) {
    return ended({
      reason: 'name_mismatch',
      detail: name.reason,
      end: { kind: 'held', donorId: profile.donorId },
    });
  }
  const { minProbability } = run.integration.match;
  const { probability } = profile;
  if (isUnsure(probability, minProbability) && !isAsApproved) {
    return ended({
      reason: 'match_unsure',
      detail: String(probability),
      end: { kind: 'held', donorId: profile.donorId },
    });
  }
  // The decision about the death comes after the decision about the name. An approval of the death therefore also
  // approves the name.
  const isAcceptedDeath = isAsApproved && COVERS_DEATH.has(approval);
  if (profile.isDeceased && !run.integration.contacts.includeDeceased && !isAcceptedDeath) {
    return ended({
      reason: 'profile_deceased',
      detail: null,
      end: { kind: 'held', donorId: profile.donorId },
    });
  }
  const { remote, writesTogether = false } = deps.connector.capabilities;
  const hidden = remote
    ? formerFields(ready, profile, merged, intended).filter((field) => !run.described.has(field))
    : [];
  // If a user chooses "try again", the user has checked the fields. donor-sync therefore treats invisible fields as
  // deleted.
  if (hidden.length > 0 && approval !== 'values_of_two_people') {
    return ended(asTwoPeople(profile, `hidden: ${hidden.join(', ')}`));
  }
  const plan = planFields(deps, run, {
    crmId: ready.contact.crmId,
    // Uses the time of the credit, so that a second delivery of the same job writes the same values.
    values: profileValues(profile, ready.contact.askedAt ?? ready.job.submittedAt),
    present: lookup.values,
    currencies: lookup.contact.currencies,
    ownedBefore: parseOwned(ready.contact.ownedValues),
    automated,
    intended,
    person: { donor: profile.donorId, former: ready.contact.valuesDonor, merged },
    ...(offeredBefore === undefined ? {} : { offeredBefore }),
    status: { status: 'written', sinceMs: ready.contact.askedAt ?? ready.job.submittedAt },
  });
  if (plan.together && !writesTogether) return ended(asTwoPeople(profile, 'not_together'));
  // Most contacts have not changed since the run chose them. For these contacts, the parts of the identity do not have
  // to be computed again.
  const { text } = identity.compareWith(ready.contact.identity);
  return { kind: 'fields', fetched: { ready, profile }, identity: text, plan };
}

/** Ends a delivery that would mix the values of two people in one contact. A user has to decide about the contact. */
function asTwoPeople(
  { donorId }: Profile,
  detail: string,
): Pick<Delivery, 'reason' | 'detail' | 'end'> {
  return { reason: 'values_of_two_people', detail, end: { kind: 'held', donorId } };
}

/**
 * True if the service's match is not certain enough. If the service reports no probability, donor-sync accepts the
 * match.
 */
function isUnsure(probability: number | undefined, least: number | null): boolean {
  return least !== null && probability !== undefined && probability < least;
}

/** Returns the result of a delivery after its fields were written, or if there was nothing to write. */
export function concludeDelivery(
  { ready, profile }: Fetched,
  identity: string,
  { reason, detail, words, owned, writeId, after }: FieldEnd,
): Delivery {
  const { crmId } = ready.contact;
  const { trackingId } = ready.job;
  if (reason === 'values_of_two_people') {
    const end = { kind: 'held' as const, donorId: profile.donorId, writeId };
    return { crmId, trackingId, reason, detail, words, end };
  }
  if (owned === null && reason === 'crm_refused') {
    // If the CRM refuses some values, only these values wait. The contact itself has a final result.
    const before = parseOwned(ready.contact.ownedValues);
    const end = { donorId: profile.donorId, identity, owned: before, writeId, isDone: false };
    return { crmId, trackingId, reason, detail, words, end: { kind: 'delivered', ...end } };
  }
  if (owned === null) {
    const end = { kind: 'postponed' as const, writeId, enhanced: true };
    return { crmId, trackingId, reason, detail, words, end };
  }
  const { donorId } = profile;
  const written = after === undefined ? {} : { after };
  const end = { kind: 'delivered' as const, donorId, identity, owned, writeId, ...written };
  return { crmId, trackingId, reason, detail: describeDetail(ready, detail), words, end };
}

/**
 * Returns details for the user that the outcome does not show. The details name the values that the CRM refused, and
 * tell that the delivery cost no credit.
 */
function describeDetail({ job }: ReadyJob, unfit: string | null): string | null {
  if (job.sharedFrom === null) return unfit;
  return unfit === null ? SHARED_PROFILE_TEXT : `${SHARED_PROFILE_TEXT} ${unfit}`;
}
