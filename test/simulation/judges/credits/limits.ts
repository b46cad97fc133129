/** Checks the credits to keep, and the budgets of a run and a month. */

import { toLocalText } from '../local-text.ts';
import type { Ledger, Payment } from './ledger.ts';
import type { LostAnswers } from './lost-answers.ts';

/** Returns a function that checks the latest payment and the remaining balance. */
export function createJudgeLimits(
  ledger: Ledger,
  { readBefore, isNamedFree, isPartBesideOther }: LostAnswers,
): (paid: readonly Payment[], balance: number) => void {
  const { deps, payments, elsewhere, readings, isKept } = ledger;
  const { swarm, violate } = deps;
  const { freeze, lostAnswer, throttle, serverError, databaseAway, diskFull } = swarm.faults;
  /** True if each process sends its requests soon after it has decided to send them. */
  const isPrompt = freeze + lostAnswer + throttle + serverError + databaseAway + diskFull === 0;
  return judgeLimits;

  function judgeLimits(paid: readonly Payment[], balance: number): void {
    const { keep, perRun, perMonth } = swarm.settings;
    const [first] = paid;
    if (first === undefined) return;
    const now = deps.now();
    const elsewhereAt = elsewhere.at(-1)?.at ?? Number.NEGATIVE_INFINITY;
    // If a process reads the contact while the request is in flight, the request is not cancelled.
    const { sender, sentAt } = first.job;
    const readAt = readings.get(sender)?.findLast((at) => at <= sentAt) ?? 0;
    const isUnseen = elsewhereAt >= readAt && (readAt > now - 15_000 || !isPrompt);
    if (keep > 0 && balance < keep && !isUnseen) {
      violate('keep', `${balance} credits are left of ${keep} that are to be kept`);
    }
    if (keep > 0) deps.look('keep', 'setting: budget.keep');
    if (perRun !== null) deps.look('budget', 'setting: budget.perRun');
    if (perMonth !== null) deps.look('budget', 'setting: budget.perMonth');
    if (perMonth !== null && swarm.settings.timezone !== 'UTC') {
      deps.look('budget', 'setting: a time zone other than UTC');
    }
    const { restoredAt } = ledger;
    const month = (ms: number) => toLocalText(ms, swarm.settings.timezone).slice(0, 7);
    for (const crm of new Set(paid.map((payment) => payment.crm))) {
      // If the product has assigned a charge to a different lost request, the product does not know that the request's
      // credits were spent.
      const own = payments.filter(
        (payment) => payment.crm === crm && !isPartBesideOther(payment) && !isNamedFree(payment),
      );
      // Credits can be bought between the reading before a request and the settling of its lost response. The bought
      // credits hide an equal number of spent credits.
      const boughtAt =
        elsewhere.findLast(({ credits }) => credits > 0)?.at ?? Number.NEGATIVE_INFINITY;
      if (own.some((each) => !isKept(each) && readBefore(each) <= boughtAt)) continue;
      const thisRun = own.filter(({ job }) => job.sender === sender).length;
      if (perRun !== null && thisRun > perRun) {
        violate('budget', `a run has spent ${thisRun} credits of ${perRun}`);
      }
      const isInPastMonth = ({ job }: Payment) => month(job.paidAt) !== month(now);
      if (perMonth !== null && own.some(isInPastMonth)) {
        deps.look('budget', 'event: a month ends in the time zone');
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
