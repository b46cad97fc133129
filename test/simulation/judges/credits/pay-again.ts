/**
 * Decides whether the product can pay for a contact again because of a refresh, changed details, a deleted job, a lost
 * response or an erasure.
 */
import { type Record_, versionOf } from '../../crm/record.ts';
import type { Job } from '../../service/service.ts';
import type { Ledger, Payment } from './ledger.ts';
import type { LostAnswers } from './lost-answers.ts';
import { type Owner, twinsOf } from './owners.ts';
import { CLOCKS_APART_MS, DAY_MS, SHARED_FOR_MS, SLACK_MS } from './times.ts';

/** Returns the recorded reason for paying for a contact again, or null. */
export type ReasonToPayAgain = (
  owner: Pick<Owner, 'record' | 'version'>,
  last: Payment,
  job: Job,
) => string | null;

export const JOB_IS_GONE = 'its job is gone, and its profile never came';

export function createReasonToPayAgain(ledger: Ledger, lost: LostAnswers): ReasonToPayAgain {
  const { deps, payments, isUnknown, isForgotten, isKept, hasEndedWell, answeredBefore } = ledger;
  const { swarm, crms } = deps;
  const { isHiddenByPurchase, isPartBesideOther } = lost;
  return reasonToPayAgain;

  function reasonToPayAgain(
    { record, version }: Pick<Owner, 'record' | 'version'>,
    last: Payment,
    { sender }: Job,
  ): string | null {
    const { settings } = swarm;
    const now = deps.now();
    const { job } = last;
    const { refreshDays } = settings;
    if (refreshDays !== null && now - job.paidAt > refreshDays * DAY_MS - SLACK_MS)
      return 'refresh';
    if (isForgotten(job.paidAt)) return 'the store was put back';
    const people = [record, last.record, ...twinsOf(crms, record)];
    if (people.some(({ resubmittedAt }) => resubmittedAt > job.paidAt))
      return 'a person asked for it';
    // After its erasure, the product knows neither the contact nor the contact into which it was merged. A user's
    // confirmation has the same effect.
    const { forgottenAt, isConfirmedErased } = last.record;
    if (forgottenAt !== null || isConfirmedErased || isErasedWithHeir(last)) return 'it was erased';
    if (wasErasedUnderOtherId(last)) return 'it was erased under another ID';
    if (isToldApart(record, last.record)) return 'it is another one than who was to be erased';
    // The restored database does not contain deliveries that happened after the backup.
    const isDelivered = [record, last.record].some(
      ({ deliveredAt }) => deliveredAt > job.paidAt && !isUnknown(deliveredAt),
    );
    if (job.goneAt <= now && !isDelivered) return JOB_IS_GONE;
    if (!isDelivered && isMisfitReplaced(last)) return 'what came for a misfit is gone';
    // If a run failed or has lost its lease, its responses may not be recorded.
    const isLost = !isKept(last) || !hasEndedWell(job);
    if (settings.onLostAnswer === 'resubmit' && isLost) return 'its answer was lost';
    if (isHiddenByPurchase(last, sender)) return 'credits were bought that hide it';
    if (wasAnsweredBetween(record, last)) return 'what it was meanwhile has its profile';
    if (isPartBesideOther(last)) return 'a part was taken as large as another lost request';
    if (version !== last.version && last.record === record && settings.whenIdentityChanges)
      return 'other details';
    if (settings.whenIdentityChanges && wasFirstReadAsAnother(record, last)) return 'other details';
    if (settings.whenIdentityChanges && hasSharedSince(record, last)) return 'other details';
    return null;
  }

  /**
   * Returns true if the profile was another person's and was replaced by the job of a merged contact. The service
   * deleted that job before its profile was written.
   */
  function isMisfitReplaced({ crm, record, job }: Payment): boolean {
    if (job.fate !== 'wrong person') return false;
    return payments.some(
      (each) =>
        each.record.gone?.mergedInto === record.id &&
        each.crm === crm &&
        each.job.fate === 'vanished' &&
        each.job.goneAt <= deps.now(),
    );
  }

  /**
   * Returns true if the other contact's erasure was started, even if its process was killed. From the start of the
   * erasure, the product passes none of the erased contact's data to a different contact. Also returns true if a user
   * has said that this contact is someone else.
   */
  function isToldApart(record: Record_, paid: Record_): boolean {
    const { distinguishedAt } = record;
    const { erasureBegunAt } = paid;
    if (record === paid || distinguishedAt === null || erasureBegunAt === null) return false;
    const { clockSkew, clockJump } = swarm.faults;
    const slackMs = clockSkew + clockJump > 0 ? CLOCKS_APART_MS : 0;
    return distinguishedAt + slackMs >= erasureBegunAt;
  }

  /** Returns true if the contact was erased under a new ID and then received its former ID again. */
  function wasErasedUnderOtherId({ record, job }: Payment): boolean {
    return record.formerRows.some(
      ({ forgottenAt, isConfirmedErased }) =>
        isConfirmedErased || (forgottenAt !== null && forgottenAt > job.paidAt),
    );
  }

  /** Returns true if this profile came to a contact without a profile through a merge, and was then erased. */
  function isErasedWithHeir({ crm, record }: Pick<Payment, 'crm' | 'record'>): boolean {
    const { gone } = record;
    if (gone === null || gone.mergedInto === null) return false;
    const heir = crm.records.get(gone.mergedInto);
    if (heir === undefined) return false;
    const own = payments.findLast((each) => each.record === heir);
    if (own !== undefined) return false;
    return (
      heir.forgottenAt !== null || heir.isConfirmedErased || isErasedWithHeir({ crm, record: heir })
    );
  }

  /**
   * Returns true if a detail was unreadable at the payment, and has since changed and changed back. The product treats
   * the first value that it reads as the paid value, and that first value may be the changed value.
   */
  function wasFirstReadAsAnother(
    record: Record_,
    { version, job, record: paid }: Payment,
  ): boolean {
    const { addresses, employers } = job.person;
    const wasHidden = addresses.length === 0 || employers.length === 0;
    return (
      wasHidden && paid === record && record.history.some((each) => versionOf(each) !== version)
    );
  }

  /**
   * Returns true if the contact has since shared a profile with a different record of the same person. The contact's
   * current details are then a change, even if the contact was paid for with the same details before.
   */
  function hasSharedSince(record: Record_, last: Payment): boolean {
    if (!swarm.settings.shareProfiles || last.record !== record) return false;
    const twins = new Set(twinsOf(crms, record));
    const writtenAt = record.written?.at ?? Number.NEGATIVE_INFINITY;
    return payments.some((paid) => {
      const { version, job } = paid;
      if (!twins.has(paid.record) || version === last.version || !isKept(paid)) return false;
      return record.readAs.some(
        (read) =>
          read.version === version &&
          read.at > last.job.paidAt &&
          read.at < job.paidAt + SHARED_FOR_MS + SLACK_MS &&
          // The product does not write a value again if the field already contains it.
          (writtenAt > read.at || hasEndedWell({ sender: read.by, paidAt: read.at })),
      );
    });
  }

  /**
   * Returns true if the response was lost and the contact then returned to the details of its earlier payment. The
   * profile of the earlier payment was available, so no user had to decide about the lost response. The current details
   * count as a new change.
   */
  function wasAnsweredBetween(record: Record_, last: Payment): boolean {
    if (isKept(last) || last.record !== record) return false;
    const before = answeredBefore(record);
    const versions = record.history.map(versionOf);
    return versions.some(
      (version, at) => version === before?.version && (record.until[at] ?? 0) > last.job.paidAt,
    );
  }
}
