/**
 * Records the facts that the credit checks need: the paid contacts, and what processes have sent, received, read and
 * lost.
 */
import type { SimulatedCrm } from '../../crm/crm.ts';
import type { Record_ } from '../../crm/record.ts';
import type { Outage } from '../../database/outages.ts';
import { type Charge, type Job, personsIn, type ServiceRequest } from '../../service/service.ts';
import type { Swarm } from '../../swarm/swarm.ts';
import type { Owner } from './owners.ts';

export interface Payment extends Owner {
  job: Job;
  /** True after a living process has received the request's complete response. */
  isAnswered: boolean;
}

export interface OracleDeps {
  swarm: Swarm;
  crms: readonly SimulatedCrm[];
  now(): number;
  /** Returns the time when the process with this name started. */
  bornAt(sender: string): number;
  /** Returns true for a process that syncs only one contact, and so does not learn of merges. */
  isForOne(sender: string): boolean;
  charges(): readonly Charge[];
  /** Returns true if the product has counted a lost submission of this many people as charged. */
  isTakenForCharged(persons: number): boolean;
  /** Returns true if the product assumed from the balance that a lost request for this many people was free. */
  isTakenForFree(persons: number): boolean;
  /** Returns true if the contact is absent from its list but the product does not yet treat it as gone. */
  isStillExpected(record: Record_): boolean;
  /** Returns the times at which the database could not be written, or a process was frozen. */
  outages(): readonly Outage[];
  violate(invariant: string, what: string): void;
  look(judge: string, subject: string): void;
  /** Returns the special events of the simulated night until now. */
  events(): ReadonlySet<string>;
}

/** A submission that a process has sent. */
export interface Sent {
  key: string;
  sender: string;
  sentAt: number;
  persons: number;
  /** The time when a living process received a complete response. Null until then. */
  answeredAt: number | null;
}

/** Functions that the ledger calls for each event of the simulated night. */
export interface LedgerEvents {
  onSubmit(request: ServiceRequest): void;
  onSubmitAnswered(sender: string, sentAt: number): void;
  onAnswered(jobIds: readonly string[]): void;
  /** Called if a process has died or has lost data. In that case, the database may lack earlier payments. */
  onTrouble(): void;
  /** Called when the store has lost all data from after the backup. */
  onRestored(backupAt: number, isByProduct: boolean): void;
  onSpentElsewhere(credits: number): void;
  /** The service returns a balance to a process. */
  onBalance(sender: string): void;
  /** The process has received the balance at `at`, which it requested at `askedAt`. */
  onBalanceKnown(sender: string, askedAt: number, at: number): void;
  /** A process knows that it will not receive the response to its request from this time. */
  onGivenUp(sender: string, sentAt: number): void;
  /**
   * Called if a run of this process has ended normally. The store then contains everything that was written since the
   * run began.
   */
  onEndedWell(sender: string, beganAt?: number): void;
}

export interface Ledger {
  readonly deps: OracleDeps;
  readonly events: LedgerEvents;
  readonly payments: readonly Payment[];
  readonly byJob: ReadonlyMap<string, Payment>;
  readonly submitted: readonly Sent[];
  /** Changes that others made to a bucket: positive for bought credits, negative for spent credits. */
  readonly elsewhere: readonly { at: number; credits: number }[];
  /** The times at which each process read its balance. */
  readonly readings: ReadonlyMap<string, readonly number[]>;
  /** The balances that processes received. */
  readonly shown: readonly { by: string; askedAt: number; at: number }[];
  /** The times when each process learned of a lost response, by the sender and the time of the request. */
  readonly givenUp: ReadonlyMap<string, number>;
  /** The last time when a backup was restored, or null. */
  readonly restoredAt: number | null;
  pay(job: Job, owner: Owner): void;
  /** Returns true if the store knows nothing about this time, because a backup was restored. */
  isUnknown(at: number): boolean;
  /**
   * Returns true if a restored backup has removed all records of this time. If the product itself restored the
   * backup, the spending journal shows what was paid for, or a user decides.
   */
  isForgotten(at: number): boolean;
  hasEndedWell(job: Pick<Job, 'sender' | 'paidAt'>): boolean;
  isKept(payment: Payment): boolean;
  isTroubled(since: number, withinMs: number): boolean;
  answeredBefore(record: Record_): Payment | undefined;
}

/** The time from the arrival of a response until it is recorded. */
export const NOTING_MS = 1_000;

export const NEVER = Number.POSITIVE_INFINITY;

export function createLedger(deps: OracleDeps): Ledger {
  const { swarm, crms } = deps;
  const payments: Payment[] = [];
  const byJob = new Map<string, Payment>();
  /** The runs that have ended successfully. */
  const endedWell: { sender: string; from: number; until: number }[] = [];
  /** The times at which processes died. */
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

  /** Earlier restores count too, because the restored store no longer knows what came after its backup. */
  function isUnknown(at: number): boolean {
    return gaps.some((gap) => at >= gap.backupAt && at <= gap.at);
  }

  function isForgotten(at: number): boolean {
    return gaps.some((gap) => !gap.isByProduct && at >= gap.backupAt && at <= gap.at);
  }

  /**
   * Returns true for payments of a run that ended normally. A serving process can start further runs after a failed
   * run.
   */
  function hasEndedWell({ sender, paidAt }: Pick<Job, 'sender' | 'paidAt'>): boolean {
    return endedWell.some(
      (run) => run.sender === sender && run.from <= paidAt && paidAt <= run.until,
    );
  }

  /**
   * Returns true if the response is recorded. A response that has only reached a process is not recorded yet, because
   * the process may die at that moment.
   */
  function isKept({ isAnswered, job }: Payment): boolean {
    return isAnswered && !isTroubled(job.paidAt, swarm.service.submitMs + NOTING_MS);
  }

  /** Returns true if a process died or lost data within this time after `since`. */
  function isTroubled(since: number, withinMs: number): boolean {
    let until = since + withinMs;
    // Events that cannot be written during an outage are recorded after it.
    for (const outage of deps.outages()) {
      const isMeanwhile = outage.from < until && outage.until > since;
      if (isMeanwhile) until = Math.max(until, outage.until + NOTING_MS);
    }
    return troubles.some((at) => at >= since && at <= until);
  }

  /** Returns the last payment for a contact whose response is recorded and whose profile was not lost with its job. */
  function answeredBefore(record: Record_): Payment | undefined {
    return payments.findLast(
      (each) =>
        each.record === record && (isWritten(each) || (isKept(each) && !isLostWithItsJob(each))),
    );
  }

  /**
   * Returns true if the profile was written before the contact was paid for again. The write is then recorded, even
   * if a process died later.
   */
  function isWritten({ record, job, isAnswered }: Payment): boolean {
    const next = payments.find((each) => each.record === record && each.job.paidAt > job.paidAt);
    const until = next?.job.paidAt ?? NEVER;
    return isAnswered && record.filledAt.some((at) => at > job.paidAt && at < until);
  }

  /**
   * Returns true if the service deleted the job before the profile was written. The service can delete a job early,
   * or after a week. The product learns of the missing profile when a run polls the job to its end.
   */
  function isLostWithItsJob({ record, job }: Payment): boolean {
    if (job.fate === 'failed' && hasEndedWell(job)) return false;
    const { deliveredAt } = record;
    const isGone = job.fate === 'vanished' || job.goneAt <= deps.now();
    return isGone && (deliveredAt <= job.paidAt || deliveredAt >= job.goneAt);
  }
}
