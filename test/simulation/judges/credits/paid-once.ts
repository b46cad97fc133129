/** Finds payments for a person who was already paid for in a different record or in a merged record. */
import { versionOf } from '../../crm/record.ts';
import type { Job } from '../../service/service.ts';
import type { Ledger, Payment } from './ledger.ts';
import { type Owner, twinsOf } from './owners.ts';
import { JOB_IS_GONE, type ReasonToPayAgain } from './pay-again.ts';
import { SHARED_FOR_MS, SLACK_MS } from './times.ts';

export interface PaidOnce {
  judgeTwins(owner: Owner, job: Job, last: Payment | undefined): void;
  judgeMerged(owner: Owner, job: Job, last: Payment | undefined): void;
}

export function createPaidOnce(ledger: Ledger, reasonToPayAgain: ReasonToPayAgain): PaidOnce {
  const { deps, payments, isKept } = ledger;
  const { swarm, crms, violate } = deps;
  return { judgeTwins, judgeMerged };

  /**
   * If profiles are shared, the same details are paid for only once, even if several records of a person have them.
   */
  function judgeTwins({ record, version }: Owner, job: Job, last: Payment | undefined): void {
    const twins = new Set(twinsOf(crms, record));
    const paid = payments.findLast(
      (each) =>
        twins.has(each.record) && each.job.key === job.key && isSharedWith(job.person, each),
    );
    if (paid === undefined || (last !== undefined && last.job.paidAt >= paid.job.paidAt)) return;
    if (!isKept(paid)) return;
    // After a user has decided about a lost response, other contacts of that person no longer wait for that response.
    if (!paid.isAnswered && paid.record.rejectedLoss !== null) return;
    // The service delivered the profile for the other contact, but deleted the profile before it could arrive for this
    // contact.
    const { goneAt, paidAt } = paid.job;
    if (goneAt <= deps.now() && record.deliveredAt <= paidAt) return;
    if (reasonToPayAgain({ record, version }, paid, job) !== null) return;
    violate(
      'paid once',
      `contact ${record.id} is paid for, and ${paid.record.id} was, who is the same person`,
    );
  }

  /**
   * If a paid contact is merged into an unpaid contact, the unpaid contact gets the profile. If the paying run has
   * read the merge, the unpaid contact's details at that time are no reason to pay.
   */
  function judgeMerged({ crm, record, version }: Owner, job: Job, last: Payment | undefined): void {
    // A list does not report merges.
    if (deps.isForOne(job.sender) || swarm.isList) return;
    const { settings } = swarm;
    const readSince = deps.bornAt(job.sender) - swarm.people.lagMs;
    for (const loser of crm.records.values()) {
      const { gone } = loser;
      if (gone?.mergedInto !== record.id || gone.at > readSince) continue;
      // Nobody can learn of a merge while the merged contact is invisible.
      if (loser.isVanished || (loser.leftAt ?? 0) > readSince) continue;
      if (last !== undefined && last.job.paidAt > gone.at) continue;
      const paid = payments.findLast((payment) => payment.record === loser);
      if (paid === undefined) continue;
      // If a job had no result, the product may pay again. A user decides about a lost response.
      const isKnown = paid.isAnswered
        ? paid.job.fate === 'completed'
        : settings.onLostAnswer === 'hold';
      if (!isKnown) continue;
      if (gone.heirVersion !== version || reasonToPayAgain({ record, version }, paid, job))
        continue;
      if (!isKept(paid)) continue;
      // The product treats the first details that it reads as the details of the payment. If the details were
      // different at that time, they have since changed.
      const wasElse = record.readAs.some(
        (read) => read.at > gone.at && read.version !== gone.heirVersion,
      );
      if (settings.whenIdentityChanges && wasElse) continue;
      // The age of its own profile determines when a contact is refreshed.
      const why = last === undefined ? null : reasonToPayAgain({ record, version }, last, job);
      if (why === 'refresh') continue;
      // The credit for this contact returned no profile, and the service can no longer return the other contact's
      // profile.
      if (why === JOB_IS_GONE && paid.job.goneAt <= deps.now()) continue;
      // A run may have read the change and chosen the contact because of it. The choice now applies to the contact
      // into which it was merged.
      const hasChanged = versionOf(loser.details) !== paid.version;
      if (settings.whenIdentityChanges && hasChanged) continue;
      violate(
        'paid once',
        `contact ${record.id} is paid for, and has taken in ${loser.id}, who was`,
      );
    }
  }

  /**
   * Returns true if the person must share the earlier job, because the details are the same and readable and the job is
   * not too old.
   */
  function isSharedWith(person: Job['person'], { job: last }: Payment): boolean {
    const words = (each: Job['person']) =>
      [...each.addresses, ...each.employers].join('|').toLowerCase().replaceAll(/[., ]/g, '');
    const isWhole = [person, last.person].every(
      ({ addresses, employers }) => addresses.length > 0 && employers.length > 0,
    );
    const isYoung = deps.now() - last.paidAt < SHARED_FOR_MS - SLACK_MS;
    return (
      swarm.settings.shareProfiles && isWhole && isYoung && words(person) === words(last.person)
    );
  }
}
