/** The facts by which credits are judged: who was paid for, and what processes have sent, heard, read and lost. */
import type { SimulatedCrm } from '../../crm/crm.ts';
import type { Record_ } from '../../crm/record.ts';
import type { Outage } from '../../database/outages.ts';
import { type Charge, type Job, personsIn, type ServiceRequest } from '../../service/service.ts';
import type { Swarm } from '../../swarm/swarm.ts';
import type { Owner } from './owners.ts';

export interface Payment extends Owner {
  job: Job;
  /** True once a living process has received the complete response. */
  isAnswered: boolean;
}

export interface OracleDeps {
  swarm: Swarm;
  crms: readonly SimulatedCrm[];
  now(): number;
  /** When the process of this name started. */
  bornAt(sender: string): number;
  /** True for a process that syncs one contact: it learns of no merge. */
  isForOne(sender: string): boolean;
  charges(): readonly Charge[];
  /** True if the product has counted a lost submission of this many people as charged. */
  isTakenForCharged(persons: number): boolean;
  /** True if the balance was read as if a lost request for as many people had been free. */
  isTakenForFree(persons: number): boolean;
  /** When the database could not be written, or a process was frozen. */
  outages(): readonly Outage[];
  violate(invariant: string, what: string): void;
}

/** A submission that a process has sent. */
export interface Sent {
  key: string;
  sender: string;
  sentAt: number;
  persons: number;
  /** When a living process received a complete response. Null until then. */
  answeredAt: number | null;
}

/** The events of the night, each reported as it happens. */
export interface LedgerEvents {
  onSubmit(request: ServiceRequest): void;
  onSubmitAnswered(sender: string, sentAt: number): void;
  onAnswered(jobIds: readonly string[]): void;
  /** A process died, or its knowledge was lost. Earlier payments may be unknown to the store. */
  onTrouble(): void;
  /** The store lost its knowledge since this moment. */
  onRestored(backupAt: number, isByProduct: boolean): void;
  onSpentElsewhere(credits: number): void;
  /** The service tells a process its balance. */
  onBalance(sender: string): void;
  /** The process has received it: the balance at `at`, requested at `askedAt`. */
  onBalanceKnown(sender: string, askedAt: number, at: number): void;
  /** A process knows that the response to its request at that time is lost. */
  onGivenUp(sender: string, sentAt: number): void;
  /** A run of this life has ended normally, so the store knows what was written since its start. */
  onEndedWell(sender: string, beganAt?: number): void;
}

export interface Ledger {
  readonly deps: OracleDeps;
  readonly events: LedgerEvents;
  readonly payments: readonly Payment[];
  readonly byJob: ReadonlyMap<string, Payment>;
  readonly submitted: readonly Sent[];
  /** Changes of a bucket by others: positive for bought credits, negative for spent credits. */
  readonly elsewhere: readonly { at: number; credits: number }[];
  /** When each process read its balance. */
  readonly readings: ReadonlyMap<string, readonly number[]>;
  /** The balances that processes received. */
  readonly shown: readonly { by: string; askedAt: number; at: number }[];
  /** When each process learned of a lost response, by what it had sent and when. */
  readonly givenUp: ReadonlyMap<string, number>;
  /** When a backup was last restored, or null if none was. */
  readonly restoredAt: number | null;
  pay(job: Job, owner: Owner): void;
  /** True for a moment that the store knows nothing about, because an older store was restored. */
  isUnknown(at: number): boolean;
  /**
   * The same, if nothing else knows it either. If the product has restored the backup itself, the spending journal
   * shows what was paid for, or a user decides.
   */
  isForgotten(at: number): boolean;
  hasEndedWell(job: Pick<Job, 'sender' | 'paidAt'>): boolean;
  isKept(payment: Payment): boolean;
  isTroubled(since: number, withinMs: number): boolean;
  answeredBefore(record: Record_): Payment | undefined;
}

/** From the arrival of a response until it is on record. */
export const NOTING_MS = 1_000;

export const NEVER = Number.POSITIVE_INFINITY;

export function createLedger(deps: OracleDeps): Ledger {
  const { swarm, crms } = deps;
  const payments: Payment[] = [];
  const byJob = new Map<string, Payment>();
  /** Runs that have succeeded. */
  const endedWell: { sender: string; from: number; until: number }[] = [];
  /** When processes died. */
  const troubles: number[] = [];
  const gaps: { backupAt: number; at: number; isByProduct: boolean }[] = [];
  const elsewhere: { at: number; credits: number }[] = [];
  const readings = new Map<string, number[]>();
  const shown: { by: string; askedAt: number; at: number }[] = [];
  const givenUp = new Map<string, number>();
  const submitted: Sent[] = [];
  const events: LedgerEvents = {
    onSubmit({ key, sender, sentAt, body }) {
      const { length: persons } = personsIn(body);
      submitted.push({ key, sender, sentAt, persons, answeredAt: null });
    },
    onSubmitAnswered(sender, sentAt) {
      for (const each of submitted) {
        if (each.sender === sender && each.sentAt === sentAt) each.answeredAt = deps.now();
      }
    },
    onAnswered(jobIds) {
      for (const id of jobIds) {
        const payment = byJob.get(id);
        if (payment) payment.isAnswered = true;
      }
    },
    onTrouble() {
      troubles.push(deps.now());
    },
    onRestored(backupAt, isByProduct) {
      gaps.push({ backupAt, at: deps.now(), isByProduct });
    },
    onSpentElsewhere(credits) {
      elsewhere.push({ at: deps.now(), credits: -credits });
    },
    onBalance(sender) {
      readings.set(sender, [...(readings.get(sender) ?? []), deps.now()]);
    },
    onBalanceKnown(by, askedAt, at) {
      shown.push({ by, askedAt, at });
    },
    onGivenUp(sender, sentAt) {
      givenUp.set(`${sender} ${sentAt}`, deps.now());
    },
    onEndedWell(sender, beganAt = 0) {
      endedWell.push({ sender, from: beganAt, until: deps.now() });
      for (const crm of crms) {
        for (const record of crm.records.values()) {
          const { by, at } = record.written ?? { by: null, at: 0 };
          if (by === sender && at >= beganAt) record.deliveredAt = at;
          for (const cell of record.values.values()) {
            if (cell.by === sender && cell.at >= beganAt) cell.isRecorded = true;
          }
        }
      }
    },
  };
  return {
    ...{ deps, events, payments, byJob, submitted, elsewhere, readings, shown, givenUp },
    get restoredAt() {
      return gaps.at(-1)?.at ?? null;
    },
    pay(job, owner) {
      const payment = { ...owner, job, isAnswered: false };
      payments.push(payment);
      byJob.set(job.id, payment);
    },
    ...{ isUnknown, isForgotten, hasEndedWell, isKept, isTroubled, answeredBefore },
  };

  /** Includes an earlier restore, because the restored store no longer knows what came after its backup. */
  function isUnknown(at: number): boolean {
    return gaps.some((gap) => at >= gap.backupAt && at <= gap.at);
  }

  function isForgotten(at: number): boolean {
    return gaps.some((gap) => !gap.isByProduct && at >= gap.backupAt && at <= gap.at);
  }

  /**
   * True for payments of a run that ended normally. A process that serves may have other runs after one that broke off.
   */
  function hasEndedWell({ sender, paidAt }: Pick<Job, 'sender' | 'paidAt'>): boolean {
    return endedWell.some(
      (run) => run.sender === sender && run.from <= paidAt && paidAt <= run.until,
    );
  }

  /** A response that has reached a process is not on record yet, because the process may die at that moment. */
  function isKept({ isAnswered, job }: Payment): boolean {
    return isAnswered && !isTroubled(job.paidAt, swarm.service.submitMs + NOTING_MS);
  }

  /** True if a process died, or its knowledge was lost, within this time after the moment. */
  function isTroubled(since: number, withinMs: number): boolean {
    let until = since + withinMs;
    // Events while nothing can be written are recorded afterwards.
    for (const outage of deps.outages()) {
      const isMeanwhile = outage.from < until && outage.until > since;
      if (isMeanwhile) until = Math.max(until, outage.until + NOTING_MS);
    }
    return troubles.some((at) => at >= since && at <= until);
  }

  /** The last payment for a contact whose response is on record, and whose profile was not lost with its job. */
  function answeredBefore(record: Record_): Payment | undefined {
    return payments.findLast(
      (each) =>
        each.record === record && (isWritten(each) || (isKept(each) && !isLostWithItsJob(each))),
    );
  }

  /**
   * True if its profile was written before the contact was paid for again. Then it is on record, whoever died
   * afterwards.
   */
  function isWritten({ record, job, isAnswered }: Payment): boolean {
    const next = payments.find((each) => each.record === record && each.job.paidAt > job.paidAt);
    const until = next?.job.paidAt ?? NEVER;
    return isAnswered && record.filledAt.some((at) => at > job.paidAt && at < until);
  }

  /**
   * True if the service dropped its job, early or after its week, before the profile had been written. The product
   * knows that there is no profile as soon as a run has followed the job to its end.
   */
  function isLostWithItsJob({ record, job }: Payment): boolean {
    if (job.fate === 'failed' && hasEndedWell(job)) return false;
    const { deliveredAt } = record;
    const isGone = job.fate === 'vanished' || job.goneAt <= deps.now();
    return isGone && (deliveredAt <= job.paidAt || deliveredAt >= job.goneAt);
  }
}
