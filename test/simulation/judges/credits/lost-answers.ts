/** Determines what a lost response has cost, as far as a process can tell from its balance. */
import { type Ledger, NEVER, NOTING_MS, type Payment, type Sent } from './ledger.ts';

export interface LostAnswers {
  isHiddenByPurchase(payment: Payment, sender: string): boolean;
  readBefore(payment: Payment): number;
  isNamedFree(payment: Payment): boolean;
  isPartBesideOther(payment: Payment): boolean;
}

/** The maximum age of a balance reading when a request is sent. */
const READING_MS = 45_000;

export function createLostAnswers(ledger: Ledger): LostAnswers {
  const { deps, payments, submitted, elsewhere, readings, shown, givenUp } = ledger;
  const { isKept, isTroubled } = ledger;
  const { swarm, crms } = deps;
  return { isHiddenByPurchase, readBefore, isNamedFree, isPartBesideOther };

  /**
   * Returns true if bought credits hide the cost of lost responses. The purchase happens after the last reading
   * before the request and before the first reading after it. The balance then shows no cost, or only a part of the
   * cost.
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
   * Returns the time when the process that lost the response read a sufficiently current balance. The balance must
   * include the charge and all later charges. Returns infinity if others had changed the balance before, or if the
   * process reads balances for other reasons.
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

  /**
   * Returns the time when the process read the balance that settles the lost response. The time can be before the
   * request if the process froze first.
   */
  function readBefore({ job }: Payment): number {
    const readAt = readings.get(job.sender)?.findLast((at) => at <= job.sentAt) ?? NEVER;
    return Math.min(job.sentAt - READING_MS, readAt);
  }

  /**
   * Returns true if the judge counts the request as free. The product knows the total cost of a key's lost requests,
   * but not always which requests were charged. The product can assign the charge to a different client's requests with
   * the same sum.
   */
  function isNamedFree(payment: Payment): boolean {
    if (!swarm.sharedKey || crms.length === 1) return false;
    const { sender, sentAt } = payment.job;
    const own = submitted.find((each) => each.sender === sender && each.sentAt === sentAt);
    return own !== undefined && !isKept(payment) && deps.isTakenForFree(own.persons);
  }

  /**
   * Returns true if the service accepted only part of the request although credits were left, and if its response and a
   * smaller request's response were both lost. The service's document excludes this case, because a partly accepted
   * request leaves the bucket empty (4.5.3). The product relies on this rule when it finds the charged requests by
   * their sizes. The cost of the accepted part can equal the cost of the smaller request, or the cost of the smaller
   * request's accepted part. If the smaller request's response was not lost, no part counts as free.
   */
  function isPartBesideOther(payment: Payment): boolean {
    if (swarm.service.partly === 0 || isKept(payment)) return false;
    const { key, sender, sentAt, paidAt } = payment.job;
    const isOwn = (each: Sent) => each.sender === sender && each.sentAt === sentAt;
    const own = submitted.find(isOwn);
    const charge = deps.charges().find((each) => each.sender === sender && each.at === paidAt);
    if (!own || !charge || charge.credits >= own.persons || charge.balance === 0) return false;
    // If a process died before it sent a recorded request, that request also has a size.
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
