/** Who is paid for although another contact was: the same person in another record, or one that became a part of it. */
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

  /** Where profiles are shared, the same words are paid for once, whichever records of a human being have them. */
  function judgeTwins({ record, version }: Owner, job: Job, last: Payment | undefined): void {
    const twins = new Set(twinsOf(crms, record));
    const paid = payments.findLast(
      (each) => twins.has(each.record) && isSharedWith(job.person, each),
    );
    if (paid === undefined || (last !== undefined && last.job.paidAt >= paid.job.paidAt)) return;
    if (!isKept(paid)) return;
    // Once a person has decided about a lost answer, it keeps no other contact of that person waiting.
    if (!paid.isAnswered && paid.record.rejectedLoss !== null) return;
    // The profile came to the other one, and was gone before it came to this one.
    const { goneAt, paidAt } = paid.job;
    if (goneAt <= deps.now() && record.deliveredAt <= paidAt) return;
    if (reasonToPayAgain({ record, version }, paid, job) !== null) return;
    violate(
      'paid once',
      `contact ${record.id} is paid for, and ${paid.record.id} was, who is the same person`,
    );
  }

  /**
   * Who took in a contact that was paid for has its profile: what it was then is no reason to pay, and
   * the run that pays has read of it.
   */
  function judgeMerged({ crm, record, version }: Owner, job: Job, last: Payment | undefined): void {
    if (deps.isForOne(job.sender)) return;
    const { settings } = swarm;
    const readSince = deps.bornAt(job.sender) - swarm.people.lagMs;
    for (const loser of crm.records.values()) {
      const { gone } = loser;
      if (gone?.mergedInto !== record.id || gone.at > readSince) continue;
      // Nobody can read of a merge as long as the one that was merged is out of sight.
      if (loser.isVanished || (loser.leftAt ?? 0) > readSince) continue;
      if (last !== undefined && last.job.paidAt > gone.at) continue;
      const paid = payments.findLast((payment) => payment.record === loser);
      if (paid === undefined) continue;
      // A job that brought nothing leaves room for another one; a lost answer is a person's to decide.
      const isKnown = paid.isAnswered
        ? paid.job.fate === 'completed'
        : settings.onLostAnswer === 'hold';
      if (!isKnown) continue;
      if (gone.heirVersion !== version || reasonToPayAgain({ record, version }, paid, job))
        continue;
      if (!isKept(paid)) continue;
      // What was read first of it counts as what the profile was asked with. If it was something else then, it has
      // changed since.
      const wasElse = record.readAs.some(
        (read) => read.at > gone.at && read.version !== gone.heirVersion,
      );
      if (settings.whenIdentityChanges && wasElse) continue;
      // Who keeps a profile of its own is refreshed by the age of that one.
      const why = last === undefined ? null : reasonToPayAgain({ record, version }, last, job);
      if (why === 'refresh') continue;
      // Its own credit brought nothing, and what the other one was paid for cannot be fetched any more.
      if (why === JOB_IS_GONE && paid.job.goneAt <= deps.now()) continue;
      // A run may have read that it changed, and put it in line: that goes on with who took it in.
      const hasChanged = versionOf(loser.details) !== paid.version;
      if (settings.whenIdentityChanges && hasChanged) continue;
      violate(
        'paid once',
        `contact ${record.id} is paid for, and has taken in ${loser.id}, who was`,
      );
    }
  }

  /** True of a job that must be shared: of the same words, all of them readable, and not too old. */
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
