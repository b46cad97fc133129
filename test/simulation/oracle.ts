/**
 * Whether each credit had a reason, told from what the service was sent and from what is true in the
 * CRMs. Nothing here asks the product.
 */
import { type Record_, type SimulatedCrm, versionOf } from './crm.ts';
import { numberIn } from './humans.ts';
import type { Charge, Job } from './service.ts';
import type { Swarm } from './swarm.ts';

const DAY_MS = 86_400_000;

/** Clocks within which the product may call something a day, an hour or a month. */
const SLACK_MS = 10 * 60_000;

/** Whose a paid person is. */
interface Owner {
  crm: SimulatedCrm;
  record: Record_;
  /** Equal for two payments that were for the same details. */
  version: string;
}

interface Payment extends Owner {
  job: Job;
  /** True once a living process has received the answer whole. */
  isAnswered: boolean;
}

export interface OracleDeps {
  swarm: Swarm;
  crms: readonly SimulatedCrm[];
  now(): number;
  /** When the process of this name began. */
  bornAt(sender: string): number;
  charges(): readonly Charge[];
  violate(invariant: string, what: string): void;
}

export interface Oracle {
  onPaid(jobs: readonly Job[], balance: number): void;
  onAnswered(jobIds: readonly string[]): void;
  /** A process died, or what it knew was lost; payments before may be unknown to the store. */
  onTrouble(): void;
  /** What the store knew since this moment is gone. */
  onRestored(backupAt: number): void;
  onSpentElsewhere(): void;
  /** The run of this life has come to its end as it should: what it wrote is known to the store. */
  onEndedWell(sender: string): void;
  readonly payments: readonly Payment[];
  paymentsOf(record: Record_): Payment[];
  /** Net of everything, by who sent it and for which CRM. */
  paidBy(sender: string, crm: SimulatedCrm): number;
}

export function createOracle(deps: OracleDeps): Oracle {
  const { swarm, crms, violate } = deps;
  const payments: Payment[] = [];
  const byJob = new Map<string, Payment>();
  let troubleAt = Number.NEGATIVE_INFINITY;
  let restored: { backupAt: number; at: number } | null = null;
  let elsewhereAt = Number.NEGATIVE_INFINITY;

  return {
    onPaid(jobs, balance) {
      const before = payments.length;
      for (const job of jobs) judge(job);
      judgeLimits(payments.slice(before), balance);
    },
    onAnswered(jobIds) {
      for (const id of jobIds) {
        const payment = byJob.get(id);
        if (payment) payment.isAnswered = true;
      }
    },
    onTrouble() {
      troubleAt = deps.now();
    },
    onRestored(backupAt) {
      restored = { backupAt, at: deps.now() };
    },
    onSpentElsewhere() {
      elsewhereAt = deps.now();
    },
    onEndedWell(sender) {
      for (const crm of crms) {
        for (const record of crm.records.values()) {
          if (record.written?.by === sender) record.deliveredAt = record.written.at;
        }
      }
    },
    payments,
    paymentsOf: (record) => payments.filter((payment) => payment.record === record),
    paidBy: (sender, crm) =>
      payments.filter((payment) => payment.job.sender === sender && payment.crm === crm).length,
  };

  function judge(job: Job): void {
    const owner = ownerOf(job);
    if (owner === null) {
      const { name, addresses } = job.person;
      violate(
        'a reason',
        `a credit was spent on ${name.last} at ${addresses[0]}, who is no contact`,
      );
      return;
    }
    const { record } = owner;
    const before = payments.filter((payment) => payment.record === record);
    const last = before.at(-1);
    judgeMerged(owner, job, last);
    payments.push({ ...owner, job, isAnswered: false });
    const payment = payments.at(-1);
    if (payment) byJob.set(job.id, payment);
    judgeEligible(record);
    if (last !== undefined) {
      const why = reasonToPayAgain(owner, last);
      if (why === null) {
        violate('paid once', `contact ${record.id} is paid for twice with the same details`);
      }
    }
  }

  /**
   * Who took in a contact that was paid for has its profile: what it was then is no reason to pay, and
   * the run that pays has read of it.
   */
  function judgeMerged({ crm, record, version }: Owner, job: Job, last: Payment | undefined): void {
    const readSince = deps.bornAt(job.sender) - swarm.people.lagMs;
    for (const loser of crm.records.values()) {
      const { gone } = loser;
      if (gone?.mergedInto !== record.id || gone.at > readSince) continue;
      if (last !== undefined && last.job.paidAt > gone.at) continue;
      const paid = payments.findLast((payment) => payment.record === loser);
      if (paid === undefined || paid.job.fate !== 'completed' || !paid.isAnswered) continue;
      if (gone.heirVersion !== version || reasonToPayAgain({ crm, record, version }, paid))
        continue;
      if (troubleAt > Number.NEGATIVE_INFINITY) continue;
      violate(
        'paid once',
        `contact ${record.id} is paid for, and has taken in ${loser.id}, who was`,
      );
    }
  }

  function judgeEligible(record: Record_): void {
    const now = deps.now();
    if (record.optedOutAt !== null && record.optedOutAt < now - SLACK_MS) {
      violate('opt-out', `contact ${record.id} is sent to the service after it has opted out`);
    }
    if (record.gone !== null && record.gone.at < now - SLACK_MS) {
      violate('a reason', `contact ${record.id} is paid for after it has left the CRM`);
    }
  }

  /** What the record says why a contact is paid for again; null if nothing does. */
  function reasonToPayAgain({ record, version }: Owner, last: Payment): string | null {
    const { settings } = swarm;
    const now = deps.now();
    const { job } = last;
    const { refreshDays } = settings;
    if (refreshDays !== null && now - job.paidAt > refreshDays * DAY_MS - SLACK_MS)
      return 'refresh';
    if (restored !== null && job.paidAt >= restored.backupAt && job.paidAt <= restored.at) {
      return 'the store was put back';
    }
    const isDelivered = [record, last.record].some(({ deliveredAt }) => deliveredAt > job.paidAt);
    if (job.goneAt <= now && !isDelivered) return 'its job is gone, and its profile never came';
    const isLost = !last.isAnswered || troubleAt >= job.paidAt;
    if (settings.onLostAnswer === 'resubmit' && isLost) return 'its answer was lost';
    if (version !== last.version && last.record === record && settings.whenIdentityChanges)
      return 'other details';
    return null;
  }

  function judgeLimits(paid: readonly Payment[], balance: number): void {
    const { keep, perRun, perMonth } = swarm.settings;
    const [first] = paid;
    if (first === undefined) return;
    const now = deps.now();
    if (keep > 0 && balance < keep && elsewhereAt < now - 60_000) {
      violate('keep', `${balance} credits are left of ${keep} that are to be kept`);
    }
    const month = (ms: number) => new Date(ms).toISOString().slice(0, 7);
    for (const crm of new Set(paid.map((payment) => payment.crm))) {
      const own = payments.filter((payment) => payment.crm === crm);
      const thisRun = own.filter(({ job }) => job.sender === first.job.sender).length;
      if (perRun !== null && thisRun > perRun) {
        violate('budget', `a run has spent ${thisRun} credits of ${perRun}`);
      }
      const inMonth = own.filter(
        ({ job }) =>
          month(job.paidAt) === month(now) && (restored === null || job.paidAt > restored.at),
      ).length;
      if (perMonth !== null && inMonth > perMonth) {
        violate('budget', `a month has spent ${inMonth} credits of ${perMonth}`);
      }
    }
  }

  function ownerOf({ person, sentAt }: Job): Owner | null {
    const address = numberIn(person.addresses[0]);
    const employer = numberIn(person.employers[0]);
    for (const crm of crms) {
      // Who was there when it was sent before who has come since, and before who had left: one may have become
      // a part of the other.
      const all = [...crm.records.values()];
      const sent = all.filter(
        ({ bornAt, gone }) => bornAt <= sentAt && (gone === null || gone.at > sentAt),
      );
      const living = all.filter((record) => record.gone === null && !sent.includes(record));
      const gone = all.filter((record) => record.gone !== null && !sent.includes(record));
      for (const record of [...sent, ...living, ...gone]) {
        if (record.human.last !== person.name.last) continue;
        for (const details of [record.details, ...record.history]) {
          const isAddress = address === null || details.address.number === address;
          const isEmployer = employer === null || details.employer.number === employer;
          if (!isAddress || !isEmployer) continue;
          // A part that cannot be read makes no other details.
          return { crm, record, version: versionOf(details) };
        }
      }
    }
    return null;
  }
}
