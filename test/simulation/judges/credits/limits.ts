/** Checks the credits to keep, and the budgets of a run and a month. */
import type { Ledger, Payment } from './ledger.ts';
import type { LostAnswers } from './lost-answers.ts';

/** Judges the latest payment, which left this balance. */
export function createJudgeLimits(
  ledger: Ledger,
  { readBefore, isNamedFree, isPartBesideOther }: LostAnswers,
): (paid: readonly Payment[], balance: number) => void {
  const { deps, payments, elsewhere, readings, isKept } = ledger;
  const { swarm, violate } = deps;
  const { freeze, lostAnswer, throttle, serverError, databaseAway, diskFull } = swarm.faults;
  /** True if requests of a process arrive soon after they were decided. */
  const isPrompt = freeze + lostAnswer + throttle + serverError + databaseAway + diskFull === 0;
  return judgeLimits;

  function judgeLimits(paid: readonly Payment[], balance: number): void {
    const { keep, perRun, perMonth } = swarm.settings;
    const [first] = paid;
    if (first === undefined) return;
    const now = deps.now();
    const elsewhereAt = elsewhere.at(-1)?.at ?? Number.NEGATIVE_INFINITY;
    // Reading the contact while the request is in flight does not cancel the request.
    const { sender, sentAt } = first.job;
    const readAt = readings.get(sender)?.findLast((at) => at <= sentAt) ?? 0;
    const isUnseen = elsewhereAt >= readAt && (readAt > now - 15_000 || !isPrompt);
    if (keep > 0 && balance < keep && !isUnseen) {
      violate('keep', `${balance} credits are left of ${keep} that are to be kept`);
    }
    const { restoredAt } = ledger;
    const month = (ms: number) => new Date(ms).toISOString().slice(0, 7);
    for (const crm of new Set(paid.map((payment) => payment.crm))) {
      // If a charge counts for another lost request, it is not known to be spent.
      const own = payments.filter(
        (payment) => payment.crm === crm && !isPartBesideOther(payment) && !isNamedFree(payment),
      );
      // If credits are bought between the reading before a request and the settling of its lost response, they hide the
      // same number of credits that the request has cost.
      const boughtAt =
        elsewhere.findLast(({ credits }) => credits > 0)?.at ?? Number.NEGATIVE_INFINITY;
      if (own.some((each) => !isKept(each) && readBefore(each) <= boughtAt)) continue;
      const thisRun = own.filter(({ job }) => job.sender === sender).length;
      if (perRun !== null && thisRun > perRun) {
        violate('budget', `a run has spent ${thisRun} credits of ${perRun}`);
      }
      const inMonth = own.filter(
        ({ job }) =>
          month(job.paidAt) === month(now) && (restoredAt === null || job.paidAt > restoredAt),
      ).length;
      if (perMonth !== null && inMonth > perMonth) {
        violate('budget', `a month has spent ${inMonth} credits of ${perMonth}`);
      }
    }
  }
}
