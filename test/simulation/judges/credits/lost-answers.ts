/** What an answer that was lost has cost, as far as a process can tell from its balance, and which lost request it was. */
import { type Ledger, NEVER, NOTING_MS, type Payment, type Sent } from './ledger.ts';

export interface LostAnswers {
  isHiddenByPurchase(payment: Payment, sender: string): boolean;
  readBefore(payment: Payment): number;
  isNamedFree(payment: Payment): boolean;
  isPartBesideOther(payment: Payment): boolean;
}

/** A reading of the balance is at most so old when something is sent. */
const READING_MS = 45_000;

export function createLostAnswers(ledger: Ledger): LostAnswers {
  const { deps, payments, submitted, elsewhere, readings, shown, givenUp } = ledger;
  const { isKept, isTroubled } = ledger;
  const { swarm, crms } = deps;
  return { isHiddenByPurchase, readBefore, isNamedFree, isPartBesideOther };

  /**
   * No more bought than lost answers have cost, less what others spent meanwhile, between the last reading
   * before they were sent and the first one after that shows it: the balance shows that nothing is gone, or
   * that less is.
   */
  function isHiddenByPurchase(payment: Payment, sender: string): boolean {
    if (isKept(payment)) return false;
    const since = readBefore(payment);
    const until = seenBy(sender, payment, since);
    const hidden = elsewhere.filter(({ at }) => at >= since && at < until);
    const lost = payments.filter((each) => !isKept(each) && each.job.sentAt >= since);
    return hidden.some((_, first) => {
      let credits = 0;
      return hidden.slice(first).some((each) => {
        credits += each.credits;
        return credits > 0 && credits <= lost.length;
      });
    });
  }

  /**
   * When the process that lost the answer has read a balance that shows it, also with all counted that was
   * charged later; never, where others had changed it before, or something else than a lost answer brings readings.
   */
  function seenBy(sender: string, { job }: Payment, since: number): number {
    const { faults, service, settings } = swarm;
    const areOthers = faults.clockSkew + faults.clockJump + service.partly + settings.keep > 0;
    const gaveUpAt = givenUp.get(`${sender} ${job.sentAt}`);
    if (areOthers || service.credits < 1_000 || gaveUpAt === undefined) return NEVER;
    const same = payments.filter((each) => each.job.key === job.key);
    const lost = same.filter(
      (each) => each.job.sender === sender && each.job.sentAt === job.sentAt,
    );
    const telling = shown.find(({ by, askedAt, at }) => {
      if (by !== sender || askedAt < gaveUpAt) return false;
      if (elsewhere.some((other) => other.at >= since && other.at <= at)) return false;
      const gone = lost.filter((each) => each.job.paidAt <= at).length;
      const later = same.filter((each) => each.job.sentAt <= at && each.job.paidAt > at).length;
      return gone > later;
    });
    return telling?.at ?? NEVER;
  }

  /** When the balance was read that its lost answer is settled by: earlier, if the process stood still before it sent. */
  function readBefore({ job }: Payment): number {
    const readAt = readings.get(job.sender)?.findLast((at) => at <= job.sentAt) ?? NEVER;
    return Math.min(job.sentAt - READING_MS, readAt);
  }

  /**
   * What several lost requests of a key have cost together is known, and which of them it was may be a guess: those of
   * another integration with the same sum count as charged in their place.
   */
  function isNamedFree(payment: Payment): boolean {
    if (!swarm.sharedKey || crms.length === 1) return false;
    const { sender, sentAt } = payment.job;
    const own = submitted.find((each) => each.sender === sender && each.sentAt === sentAt);
    return own !== undefined && !isKept(payment) && deps.isTakenForFree(own.persons);
  }

  /**
   * A part of its request was taken although credits were left, its answer was lost, and so was that of a
   * smaller one. The service's document rules such a part out (4.5.3: only as the bucket ends), and the
   * product goes by that where it names what is gone by the sizes of several lost requests: what the part
   * has cost may be just what the smaller one would have, or what that one still lacks of it if only a part of
   * it was taken as well. Of a part that is lost alone nothing is free.
   */
  function isPartBesideOther(payment: Payment): boolean {
    if (swarm.service.partly === 0 || isKept(payment)) return false;
    const { key, sender, sentAt, paidAt } = payment.job;
    const isOwn = (each: Sent) => each.sender === sender && each.sentAt === sentAt;
    const own = submitted.find(isOwn);
    const charge = deps.charges().find((each) => each.sender === sender && each.at === paidAt);
    if (!own || !charge || charge.credits >= own.persons || charge.balance === 0) return false;
    // One that never left its process, which died with it on record, is of some size as well.
    if (deps.isTakenForCharged(charge.credits)) return true;
    const beside = submitted.filter(
      (each) => each.key === key && Math.abs(each.sentAt - sentAt) <= READING_MS && !isOwn(each),
    );
    return beside.some((other) => {
      const { answeredAt, persons } = other;
      const cost = payments.filter(
        ({ job }) => job.sender === other.sender && job.sentAt === other.sentAt,
      ).length;
      const lacks = cost < persons ? persons - cost : persons;
      return lacks <= charge.credits && (answeredAt === null || isTroubled(answeredAt, NOTING_MS));
    });
  }
}
