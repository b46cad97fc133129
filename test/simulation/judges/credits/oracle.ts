/**
 * Checks that each credit was spent for a reason. Judges by the requests that the service received and by the true
 * state of the CRMs, without asking the product.
 */
import type { SimulatedCrm } from '../../crm/crm.ts';
import { erasedRow } from '../../crm/family.ts';
import type { Record_ } from '../../crm/record.ts';
import type { Job } from '../../service/service.ts';
import { hasJournal } from '../../settings.ts';
import { createLedger, type LedgerEvents, type OracleDeps, type Payment } from './ledger.ts';
import { createJudgeLimits } from './limits.ts';
import { createLostAnswers } from './lost-answers.ts';
import { createMassChange, type MassChange } from './mass-change.ts';
import { createNewIds } from './new-ids.ts';
import { ownerOf } from './owners.ts';
import { createPaidOnce } from './paid-once.ts';
import { createReasonToPayAgain } from './pay-again.ts';
import { SLACK_MS } from './times.ts';

export interface Oracle extends LedgerEvents {
  onPaid(jobs: readonly Job[], balance: number): void;
  /** Records that a process has received the service's refusal of these people. */
  onRefused: MassChange['onRefused'];
  /** Records that a user makes a decision on the changes of many contacts. */
  onChangesDecided: MassChange['onChangesDecided'];
  /** Returns true if the store knows nothing about this time, because a backup was restored. */
  isUnknown(at: number): boolean;
  readonly payments: readonly Payment[];
  paymentsOf(record: Record_): Payment[];
  /**
   * Returns the contact's last payment with a recorded response, if the payment's job was not deleted before the
   * profile was written.
   */
  answeredBefore(record: Record_): Payment | undefined;
  /** Returns the credits spent minus refunds, by sender and CRM. */
  paidBy(sender: string, crm: SimulatedCrm): number;
}

export function createOracle(deps: OracleDeps): Oracle {
  const { crms, violate } = deps;
  const ledger = createLedger(deps);
  const { payments, byJob } = ledger;
  const lost = createLostAnswers(ledger);
  const reasonToPayAgain = createReasonToPayAgain(ledger, lost);
  const { judgeMerged, judgeTwins } = createPaidOnce(ledger, reasonToPayAgain);
  const { judgeContinued } = createNewIds(ledger, reasonToPayAgain);
  const { onRefused, onChangesDecided, judgeMassChange } = createMassChange(ledger);
  const judgeLimits = createJudgeLimits(ledger, lost);
  return {
    ...ledger.events,
    onPaid(jobs, balance) {
      const before = payments.length;
      const changed = jobs.filter((job) => judge(job) === 'other details');
      lookAtCredits();
      judgeMassChange(changed.flatMap(({ id }) => byJob.get(id) ?? []));
      judgeLimits(payments.slice(before), balance);
    },
    ...{ onRefused, onChangesDecided },
    isUnknown: ledger.isUnknown,
    payments,
    answeredBefore: ledger.answeredBefore,
    paymentsOf: (record) => payments.filter((payment) => payment.record === record),
    paidBy: (sender, crm) =>
      payments.filter((payment) => payment.job.sender === sender && payment.crm === crm).length,
  };

  /** Records which events a credit could have violated. */
  function lookAtCredits(): void {
    const { look, events, swarm } = deps;
    const records = crms.flatMap((crm) => [...crm.records.values()]);
    const has = (is: (record: Record_) => boolean) => records.some(is);
    if (has((each) => each.optedOutAt !== null)) {
      look('opt-out', 'event: a contact opts out');
      look('opt-out', 'reason: opted_out');
    }
    if (has((each) => each.isObjecting)) {
      look('opt-out', 'event: a contact objects');
      look('opt-out', 'setting: contacts.objections');
    }
    if (has((each) => each.doNotContactAt !== null)) {
      look('do not contact', 'event: a contact wants no contact');
      look('do not contact', 'reason: do_not_contact');
    }
    if (has((each) => each.erasureBegunAt !== null)) look('forgotten', 'event: an erasure');
    if (ledger.restoredAt !== null) {
      look('paid once', 'event: an older backup is restored');
      if (swarm.beside.agree > 0) look('a person agrees', 'event: an older backup is restored');
      if (hasJournal(swarm)) look('paid once', 'setting: spendingJournal');
    }
    for (const event of events()) if (/^(new|restore)/.test(event)) look('paid once', event);
    const isOnKeys = swarm.integrations > 1 && !swarm.sharedKey;
    if (isOnKeys && new Set(payments.map(({ job }) => job.key)).size > 1) {
      look('paid once', 'setting: two service keys');
    }
    const byHuman = Map.groupBy(payments, ({ record }) => record.human);
    if ([...byHuman.values()].some((paid) => new Set(paid.map(({ job }) => job.key)).size > 1)) {
      look('paid once', 'event: a person has two service keys');
    }
    if (swarm.settings.massChangeAtLeast < 25) look('mass change', 'setting: guards.massChange');
  }

  /** Checks a payment. Returns the reason why it is a repeated payment, or null if it is not. */
  function judge(job: Job): string | null {
    const owner = ownerOf(crms, job);
    if (owner === null) {
      const { name, addresses } = job.person;
      violate(
        'a reason',
        `a credit was spent on ${name.last} at ${addresses[0]}, who is no contact`,
      );
      return null;
    }
    const { record } = owner;
    if (record.forgottenAt !== null && deps.bornAt(job.sender) > record.forgottenAt) {
      violate('forgotten', `contact ${record.id} is sent to the service after it was erased`);
    }
    const { confirmedErasedAt } = record;
    if (confirmedErasedAt !== null && job.sentAt > confirmedErasedAt) {
      violate(
        'forgotten',
        `contact ${record.id} is sent to the service, and was confirmed as erased`,
      );
    }
    const before = payments.filter((payment) => payment.record === record);
    const last = before.at(-1);
    judgeErasedBefore(record, job);
    judgeMerged(owner, job, last);
    judgeContinued(owner, job);
    ledger.pay(job, owner);
    judgeEligible(record, job);
    judgeTwins(owner, job, last);
    if (last === undefined) return null;
    const why = reasonToPayAgain(owner, last, job);
    if (why === null) {
      violate('paid once', `contact ${record.id} is paid for twice with the same details`);
    }
    return why;
  }

  /**
   * Checks that no person who was erased under a former ID is submitted again. A user may have said that the new row
   * is someone else.
   */
  function judgeErasedBefore(record: Record_, { sender }: Job): void {
    const erased = erasedRow(record, deps.bornAt(sender));
    if (erased === null) return;
    const what = `contact ${record.id} is sent to the service, and was erased as ${erased.id}`;
    violate('forgotten', what);
  }

  /** Checks that each contact was read by its ID before it was submitted. */
  function judgeEligible(record: Record_, { sender, sentAt }: Job): void {
    // If a process reads the contact while the request is in flight, the request is not cancelled.
    const read = record.readAs.findLast(({ by, at }) => by === sender && at <= sentAt);
    const readAt = read?.at ?? 0;
    const now = Math.max(deps.now() - SLACK_MS, deps.bornAt(sender), readAt);
    if (record.optedOutAt !== null && record.optedOutAt < now) {
      violate('opt-out', `contact ${record.id} is sent to the service after it has opted out`);
    }
    if (record.doNotContactAt !== null && record.doNotContactAt < now) {
      violate(
        'do not contact',
        `contact ${record.id} is sent to the service, and wants no contact`,
      );
    }
    if (record.gone !== null && record.gone.at < now) {
      violate('a reason', `contact ${record.id} is paid for after it has left the CRM`);
    }
  }
}
