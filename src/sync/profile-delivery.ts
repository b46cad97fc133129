/** What a profile means for its contact: guard ► map ► diff, and how the write ended. */
import type { RecordLookup, WriteResult } from '../../connectors/contract.ts';
import type { FieldValues } from '../core/crm-field.ts';
import type { OutcomeReason } from '../core/outcome.ts';
import { SHARED_PROFILE_TEXT } from '../core/outcome-text.ts';
import type { Profile } from '../core/profile.ts';
import { guardName } from '../mapping/name-guard.ts';
import { profileValues } from '../mapping/profile-values.ts';
import type { Run, SyncDeps } from '../run/context.ts';
import { planFields } from '../run/field-plan.ts';
import { sealWords } from '../run/seal-words.ts';
import { type OwnedValues, parseOwned } from '../store/contacts/owned-values.ts';
import type { ReadyJob } from '../store/credits/jobs.ts';
import type { IntendedWrite } from '../store/fields/deliveries.ts';
import type { Delivery } from '../store/fields/delivery-ends.ts';
import type { HoldRecord } from '../store/holds/holds.ts';
import { plannedContact } from './read.ts';

/** The part of a run that a delivery depends on. */
type DeliveryRun = Pick<
  Run,
  'forgotten' | 'erased' | 'identities' | 'mappings' | 'fields' | 'integration'
>;

type PlanDeps = Pick<SyncDeps, 'store' | 'sealer' | 'newId' | 'otherForms'>;

/** Refusals that keep a paid profile out of the CRM as well. */
const NEVER_WRITTEN: ReadonlySet<OutcomeReason> = new Set([
  'opted_out',
  'deceased',
  'do_not_contact',
  'forgotten',
]);

/** A ready job whose profile is at hand. */
export interface Fetched {
  ready: ReadyJob;
  profile: Profile;
}

/** What a profile means for its contact, before anything is written. */
export type Planned = { entry: ReadyJob } & (
  | { kind: 'ended'; delivery: Delivery }
  | { kind: 'write'; write: IntendedWrite; changes: FieldValues; delivered: Delivered }
);

/** What is recorded once nothing more is to be written. */
interface Delivered {
  reason: OutcomeReason;
  detail: string | null;
  donorId: string;
  owned: OwnedValues;
}

/** What is known of a contact at the moment of delivery. */
export interface Circumstances {
  lookup: RecordLookup | undefined;
  /** Values whose write was intended before and may have happened. */
  intended: readonly OwnedValues[];
  /** What a person has approved of this profile; null if nothing was asked or approved. */
  approval: HoldRecord['kind'] | null;
}

/** Pure but for ids, seals and fingerprints: refusal, guard, map and diff of one profile. */
export function planDelivery(
  deps: PlanDeps,
  run: DeliveryRun,
  { ready, profile }: Fetched,
  { lookup, intended, approval }: Circumstances,
): Planned {
  const ended = (delivery: Omit<Delivery, 'crmId' | 'trackingId'>): Planned => ({
    entry: ready,
    kind: 'ended',
    delivery: {
      crmId: ready.contact.crmId,
      trackingId: ready.job.trackingId,
      ...delivery,
    },
  });
  if (lookup?.state !== 'found') {
    const reason = lookup?.mergedInto ? 'merged_in_crm' : 'deleted_in_crm';
    return ended({ reason, detail: null, end: { kind: 'dropped', removed: true } });
  }
  const { refusal, identity, looksErased } = plannedContact(deps, run, lookup.contact);
  if (refusal !== null && NEVER_WRITTEN.has(refusal)) {
    return ended({ reason: refusal, detail: null, end: { kind: 'dropped', removed: false } });
  }
  if (looksErased === true) {
    const { donorId } = profile;
    const end = { kind: 'held' as const, donorId, hold: 'forgotten_person' as const };
    return ended({ reason: 'forgotten_person', detail: null, end });
  }
  const name = guardName(profile.name, lookup.contact);
  // An approval is about the contact as it was read; it may have been edited since.
  const isAsApproved =
    approval !== null && identity.compareWith(ready.contact.identity).changed.length === 0;
  if (!name.match && !isAsApproved) {
    return ended({
      reason: 'name_mismatch',
      detail: name.reason,
      end: { kind: 'held', donorId: profile.donorId },
    });
  }
  // Asked once the name is settled, so that an approval of it covers the name as well.
  const isAcceptedDeath = isAsApproved && approval === 'profile_deceased';
  if (profile.isDeceased && !run.integration.contacts.includeDeceased && !isAcceptedDeath) {
    return ended({
      reason: 'profile_deceased',
      detail: null,
      end: { kind: 'held', donorId: profile.donorId },
    });
  }
  return planWrite(deps, run, { ready, profile }, lookup.values, intended, ended);
}

function planWrite(
  deps: PlanDeps,
  run: DeliveryRun,
  { ready, profile }: Fetched,
  present: FieldValues,
  intended: readonly OwnedValues[],
  ended: (delivery: Omit<Delivery, 'crmId' | 'trackingId'>) => Planned,
): Planned {
  const { donorId } = profile;
  const { reason, owned, changes, write, ...plan } = planFields(deps, run, {
    crmId: ready.contact.crmId,
    // The time of the credit, so that delivering the same job twice brings the same values.
    values: profileValues(profile, ready.contact.askedAt ?? ready.job.submittedAt),
    present,
    ownedBefore: parseOwned(ready.contact.ownedValues),
    intended,
  });
  const detail = detailOf(ready, plan.detail);
  if (write === null) {
    return ended({ reason, detail, end: { kind: 'delivered', donorId, owned, writeId: null } });
  }
  return {
    entry: ready,
    kind: 'write',
    changes,
    write,
    delivered: { reason, detail, donorId, owned },
  };
}

/** What a person should know besides the outcome: that it cost no credit, and what did not fit. */
function detailOf({ job }: ReadyJob, unfit: string | null): string | null {
  if (job.sharedFrom === null) return unfit;
  return unfit === null ? SHARED_PROFILE_TEXT : `${SHARED_PROFILE_TEXT} ${unfit}`;
}

/** How the delivery of a planned write ended. */
export function concludeWrite(
  deps: Pick<SyncDeps, 'sealer' | 'newId'>,
  run: Pick<Run, 'id' | 'integration'>,
  { entry, write, delivered }: Extract<Planned, { kind: 'write' }>,
  result: WriteResult | undefined,
): Delivery {
  const ids = { crmId: entry.contact.crmId, trackingId: entry.job.trackingId };
  if (result?.status === 'written') {
    const { reason, detail, donorId, owned } = delivered;
    return {
      ...ids,
      reason,
      detail,
      end: { kind: 'delivered', donorId, owned, writeId: write.id },
    };
  }
  return {
    ...ids,
    reason: result?.retriable === false ? 'crm_refused' : 'crm_busy',
    detail: result
      ? `${result.code}: ${result.message}`
      : 'The CRM gave no result for this record.',
    words: sealWords(deps, run, ids.crmId, result?.words),
    end: { kind: 'postponed', writeId: result ? write.id : null, enhanced: true },
  };
}
