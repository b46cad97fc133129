/**
 * Finds payments for a contact although the person was already paid for in another record, or in a record that was
 * merged into it.
 */
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

  /** If profiles are shared, the same details are paid for only once, whichever of a person's records have them. */
  function judgeTwins({ record, version }: Owner, job: Job, last: Payment | undefined): void {
    const twins = new Set(twinsOf(crms, record));
    const paid = payments.findLast(
      (each) =>
        twins.has(each.record) && each.job.key === job.key && isSharedWith(job.person, each),
    );
    if (paid === undefined || (last !== undefined && last.job.paidAt >= paid.job.paidAt)) return;
    if (!isKept(paid)) return;
    // After a user has decided about a lost response, it no longer makes other contacts of that person wait.
    if (!paid.isAnswered && paid.record.rejectedLoss !== null) return;
    // The profile arrived for the other contact, but was deleted before it could arrive for this one.
    const { goneAt, paidAt } = paid.job;
    if (goneAt <= deps.now() && record.deliveredAt <= paidAt) return;
    if (reasonToPayAgain({ record, version }, paid, job) !== null) return;
    violate(
      'paid once',
      `contact ${record.id} is paid for, and ${paid.record.id} was, who is the same person`,
    );
  }

  /**
   * If a paid contact is merged into another contact, that contact gets its profile. The other contact's details at
   * that time are no reason to pay, if the paying run has read the merge.
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
      // A job without a result allows another one. A user decides about a lost response.
      const isKnown = paid.isAnswered
        ? paid.job.fate === 'completed'
        : settings.onLostAnswer === 'hold';
      if (!isKnown) continue;
      if (gone.heirVersion !== version || reasonToPayAgain({ record, version }, paid, job))
        continue;
      if (!isKept(paid)) continue;
      // The first reading of the details counts as the details of the payment. If the details were different then, they
      // have changed since.
      const wasElse = record.readAs.some(
        (read) => read.at > gone.at && read.version !== gone.heirVersion,
      );
      if (settings.whenIdentityChanges && wasElse) continue;
      // A contact with its own profile is refreshed by that profile's age.
      const why = last === undefined ? null : reasonToPayAgain({ record, version }, last, job);
      if (why === 'refresh') continue;
      // Its own credit brought no profile, and the profile that the other contact was paid for can no longer be
      // fetched.
      if (why === JOB_IS_GONE && paid.job.goneAt <= deps.now()) continue;
      // A run may have read the change and chosen the contact for it. This continues with the contact that it was
      // merged into.
      const hasChanged = versionOf(loser.details) !== paid.version;
      if (settings.whenIdentityChanges && hasChanged) continue;
      violate(
        'paid once',
        `contact ${record.id} is paid for, and has taken in ${loser.id}, who was`,
      );
    }
  }

  /**
   * Returns true for a job that must be shared: it has the same details, all of them are readable, and it is not too
   * old.
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
