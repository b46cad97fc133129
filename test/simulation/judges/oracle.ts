/**
 * Whether each credit had a reason, judged by what the service was sent and from what is true in the
 * CRMs. Nothing here asks the product.
 */

import type { SimulatedCrm } from '../crm/crm.ts';
import { type Record_, versionOf } from '../crm/record.ts';
import type { Outage } from '../database/outages.ts';
import { numberIn } from '../people/humans.ts';
import {
  type Charge,
  type Job,
  type Person,
  personsIn,
  type ServiceRequest,
} from '../service/service.ts';
import type { Swarm } from '../swarm/swarm.ts';

const DAY_MS = 86_400_000;

const JOB_IS_GONE = 'its job is gone, and its profile never came';

/** Clocks within which the product may call something a day, an hour or a month. */
const SLACK_MS = 10 * 60_000;

/** A profile is shared for so long. */
const SHARED_FOR_MS = 6 * DAY_MS;

/** A reading of the balance is at most so old when something is sent. */
const READING_MS = 45_000;

/** From an answer's arrival until it is on record. */
const NOTING_MS = 1_000;

/** Changes are counted over this time. */
const CHANGES_MS = 7 * DAY_MS;

/** More than any two clocks are apart. */
const CLOCKS_APART_MS = 60 * 60_000;

const NEVER = Number.POSITIVE_INFINITY;

/** All who were erased: nothing tells them from each other any more, so they count as one. */
const ERASED = 'erased';

/** Whose a paid person is. */
interface Owner {
  crm: SimulatedCrm;
  record: Record_;
  /** Equal for two payments that were for the same details. */
  version: string;
}

export interface Payment extends Owner {
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
  /** True of a process that syncs one contact: it hears of no merge. */
  isForOne(sender: string): boolean;
  charges(): readonly Charge[];
  /** True if the product has taken a lost submission of so many persons for charged. */
  isTakenForCharged(persons: number): boolean;
  /** True if the balance was read as if a lost request for as many persons had cost nothing. */
  isTakenForFree(persons: number): boolean;
  /** When the database could not be written, or a process stood still. */
  outages(): readonly Outage[];
  violate(invariant: string, what: string): void;
}

/** A submission that a process has sent. */
interface Sent {
  key: string;
  sender: string;
  sentAt: number;
  persons: number;
  /** When a living process received an answer whole; null before. */
  answeredAt: number | null;
}

export interface Oracle {
  onSubmit(request: ServiceRequest): void;
  onSubmitAnswered(sender: string, sentAt: number): void;
  onPaid(jobs: readonly Job[], balance: number): void;
  onAnswered(jobIds: readonly string[]): void;
  /** A process has heard that the service refuses these persons. */
  onRefused(persons: readonly Person[], sentAt: number): void;
  /** A person decides about the changes of many. */
  onChangesDecided(crm: SimulatedCrm): void;
  /** A process died, or what it knew was lost; payments before may be unknown to the store. */
  onTrouble(): void;
  /** What the store knew since this moment is gone. */
  onRestored(backupAt: number): void;
  /** True of a moment that the store knows nothing of, since an older one was put back. */
  isUnknown(at: number): boolean;
  onSpentElsewhere(credits: number): void;
  /** The service tells a process its balance. */
  onBalance(sender: string): void;
  /** It has received it: as it was at `at`, asked for at `askedAt`. */
  onBalanceKnown(sender: string, askedAt: number, at: number): void;
  /** A process knows that the answer to what it sent then is lost. */
  onGivenUp(sender: string, sentAt: number): void;
  /** A run of this life has come to its end as it should: what was written since it began is known to the store. */
  onEndedWell(sender: string, beganAt?: number): void;
  readonly payments: readonly Payment[];
  paymentsOf(record: Record_): Payment[];
  /** The last of them whose answer is on record, and whose job had not vanished before its profile was written. */
  answeredBefore(record: Record_): Payment | undefined;
  /** Net of everything, by who sent it and for which CRM. */
  paidBy(sender: string, crm: SimulatedCrm): number;
}

export function createOracle(deps: OracleDeps): Oracle {
  const { swarm, crms, violate } = deps;
  const payments: Payment[] = [];
  const byJob = new Map<string, Payment>();
  /** Runs that have succeeded. */
  const endedWell: { sender: string; from: number; until: number }[] = [];
  /** True if what a process sends arrives soon after it was decided. */
  const { freeze, lostAnswer, throttle, serverError, databaseAway, diskFull } = swarm.faults;
  const isPrompt = freeze + lostAnswer + throttle + serverError + databaseAway + diskFull === 0;
  /** When processes died. */
  const troubles: number[] = [];
  let restored: { backupAt: number; at: number } | null = null;
  const gaps: { backupAt: number; at: number }[] = [];
  let elsewhereAt = Number.NEGATIVE_INFINITY;
  /** What others did to a bucket: credits bought are more than 0, those spent less. */
  const elsewhere: { at: number; credits: number }[] = [];
  /** When each process read its balance. */
  const readings = new Map<string, number[]>();
  /** The balances that processes received. */
  const shown: { by: string; askedAt: number; at: number }[] = [];
  /** When each of them knew of a lost answer, by what it had sent and when. */
  const givenUp = new Map<string, number>();
  const submitted: Sent[] = [];
  /** Payments for other details that no person has asked for. */
  const changes: Payment[] = [];
  /** When a person decided last about the changes of many. */
  const decidedAt = new Map<SimulatedCrm, number>();
  /** Whom the service has refused, and when that was heard of. */
  const refused: { record: Record_; at: number }[] = [];

  return {
    onSubmit({ key, sender, sentAt, body }) {
      const { length: persons } = personsIn(body);
      submitted.push({ key, sender, sentAt, persons, answeredAt: null });
    },
    onSubmitAnswered(sender, sentAt) {
      for (const each of submitted) {
        if (each.sender === sender && each.sentAt === sentAt) each.answeredAt = deps.now();
      }
    },
    onPaid(jobs, balance) {
      const before = payments.length;
      const changed = jobs.filter((job) => judge(job) === 'other details');
      judgeMassChange(changed.flatMap(({ id }) => byJob.get(id) ?? []));
      judgeLimits(payments.slice(before), balance);
    },
    onAnswered(jobIds) {
      for (const id of jobIds) {
        const payment = byJob.get(id);
        if (payment) payment.isAnswered = true;
      }
    },
    onRefused(persons, sentAt) {
      for (const person of persons) {
        const owner = ownerOf({ person, sentAt });
        if (owner !== null) refused.push({ record: owner.record, at: deps.now() });
      }
    },
    onChangesDecided(crm) {
      decidedAt.set(crm, deps.now());
    },
    onTrouble() {
      troubles.push(deps.now());
    },
    onRestored(backupAt) {
      restored = { backupAt, at: deps.now() };
      gaps.push(restored);
    },
    isUnknown,
    onSpentElsewhere(credits) {
      elsewhereAt = deps.now();
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
    payments,
    answeredBefore,
    paymentsOf: (record) => payments.filter((payment) => payment.record === record),
    paidBy: (sender, crm) =>
      payments.filter((payment) => payment.job.sender === sender && payment.crm === crm).length,
  };

  /** Also of an earlier time that a backup was put back: what came after that one knows no more of it. */
  function isUnknown(at: number): boolean {
    return gaps.some((gap) => at >= gap.backupAt && at <= gap.at);
  }

  /** Resolves with why it is paid for again, if it is. */
  function judge(job: Job): string | null {
    const owner = ownerOf(job);
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
    judgeMerged(owner, job, last);
    payments.push({ ...owner, job, isAnswered: false });
    const payment = payments.at(-1);
    if (payment) byJob.set(job.id, payment);
    judgeEligible(record, job);
    judgeTwins(owner, job, last);
    if (last === undefined) return null;
    const why = reasonToPayAgain(owner, last, job);
    if (why === null) {
      violate('paid once', `contact ${record.id} is paid for twice with the same details`);
    }
    return why;
  }

  /** Where profiles are shared, the same words are paid for once, whichever records of a human being have them. */
  function judgeTwins({ record, version }: Owner, job: Job, last: Payment | undefined): void {
    const twins = new Set(twinsOf(record));
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

  /** Many that change at once, or within a week, are a person's to decide about. */
  function judgeMassChange(paid: readonly Payment[]): void {
    const [first] = paid;
    if (first === undefined) return;
    const { crm, job } = first;
    const { clockSkew, clockJump } = swarm.faults;
    const slackMs = clockSkew + clockJump > 0 ? CLOCKS_APART_MS : 0;
    const begin = Math.max(
      deps.now() - CHANGES_MS + CLOCKS_APART_MS,
      (decidedAt.get(crm) ?? Number.NEGATIVE_INFINITY) + slackMs,
      restored?.at ?? Number.NEGATIVE_INFINITY,
    );
    changes.push(...paid);
    const isOld = (each: Payment) => each.crm !== crm || each.job.paidAt <= begin;
    const counted = changes.filter((each) => !isOld(each) && !isToldMeanwhile(each, job.sender));
    const changed = new Set(counted.map(whoChanged)).size;
    const known = knownTo(crm, job.sender).size;
    if (changed < swarm.settings.massChangeAtLeast || changed <= 0.1 * known) return;
    violate('mass change', `${changed} changed contacts of ${known} are paid for unasked`);
  }

  /**
   * A run looks once whether too many have changed: a person has told this one from an erased one while that run went on.
   * For the runs after it this is one change of many.
   */
  function isToldMeanwhile({ record, job }: Payment, sender: string): boolean {
    return job.sender === sender && (record.distinguishedAt ?? 0) > deps.bornAt(sender);
  }

  /** Who became a part of another one is that contact now, and what it was asked about counts there. */
  function whoChanged({ crm, record, job }: Payment): Record_ | typeof ERASED {
    // What it was paid for goes along with it, and is erased with those that it became a part of.
    const erased = crm
      .lineOf(record.id)
      .flatMap((each) => [each.forgottenAt, each.erasureBegunAt, each.confirmedErasedAt]);
    const isErased = erased.some((at) => at !== null && at >= job.paidAt);
    return isErased ? ERASED : (crm.heirOf(record.id) ?? record);
  }

  /** The contacts that the product may know as asked for, as a process has read them that pays for changes. */
  function knownTo(crm: SimulatedCrm, sender: string): Set<Record_> {
    const heard = refused.filter(({ at }) => !isTroubled(at, NOTING_MS));
    const asked = new Set([...payments, ...heard].map(({ record }) => record));
    const all = [...crm.records.values()];
    // The product knows whom it has asked about, whatever that cost, and who shares the profile of another.
    const known = all.filter(
      (record) =>
        asked.has(record) ||
        record.rejectedLoss !== null ||
        record.written !== null ||
        mayHaveShared(record),
    );
    const heirs = known.flatMap(({ id }) => crm.heirOf(id) ?? []);
    return new Set([...known.filter((record) => !isReadAsGone(record, sender)), ...heirs]);
  }

  /** True of one whose details another record of that human being was paid for with: it may share what came of that. */
  function mayHaveShared(record: Record_): boolean {
    if (!swarm.settings.shareProfiles) return false;
    const twins = new Set(twinsOf(record));
    const versions = new Set([record.details, ...record.history].map(versionOf));
    return payments.some((each) => twins.has(each.record) && versions.has(each.version));
  }

  /** True of a contact that had left before a process read all that has changed, with nothing on its way any more. */
  function isReadAsGone(record: Record_, sender: string): boolean {
    if (record.gone === null || deps.isForOne(sender)) return false;
    if (record.gone.at >= deps.bornAt(sender) - swarm.people.lagMs) return false;
    const last = payments.findLast((payment) => payment.record === record);
    return last === undefined || (last.job.sender !== sender && hasEndedWell(last.job));
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

  /** True of what a run has paid for that came to its end; a process that serves may have other runs after one that broke off. */
  function hasEndedWell({ sender, paidAt }: Pick<Job, 'sender' | 'paidAt'>): boolean {
    return endedWell.some(
      (run) => run.sender === sender && run.from <= paidAt && paidAt <= run.until,
    );
  }

  /** Each contact is read by its id before it is sent. */
  function judgeEligible(record: Record_, { sender, sentAt }: Job): void {
    // What it reads when the request is on its way does not call that back.
    const read = record.readAs.findLast(({ by, at }) => by === sender && at <= sentAt);
    const readAt = read?.at ?? 0;
    const now = Math.max(deps.now() - SLACK_MS, deps.bornAt(sender), readAt);
    if (record.optedOutAt !== null && record.optedOutAt < now) {
      violate('opt-out', `contact ${record.id} is sent to the service after it has opted out`);
    }
    if (record.gone !== null && record.gone.at < now) {
      violate('a reason', `contact ${record.id} is paid for after it has left the CRM`);
    }
  }

  /** What the record says why a contact is paid for again; null if nothing does. */
  function reasonToPayAgain(
    { record, version }: Pick<Owner, 'record' | 'version'>,
    last: Payment,
    { sender }: Job,
  ): string | null {
    const { settings } = swarm;
    const now = deps.now();
    const { job } = last;
    const { refreshDays } = settings;
    if (refreshDays !== null && now - job.paidAt > refreshDays * DAY_MS - SLACK_MS)
      return 'refresh';
    if (isUnknown(job.paidAt)) return 'the store was put back';
    const people = [record, last.record, ...twinsOf(record)];
    if (people.some(({ resubmittedAt }) => resubmittedAt > job.paidAt))
      return 'a person asked for it';
    // Who was erased is unknown from then on, and so is the contact that it becomes a part of. A person may say so.
    const { forgottenAt, isConfirmedErased } = last.record;
    if (forgottenAt !== null || isConfirmedErased || isErasedWithHeir(last)) return 'it was erased';
    if (isToldApart(record, last.record)) return 'it is another one than who was to be erased';
    // What came after the backup that was put back did not come as far as the database knows.
    const isDelivered = [record, last.record].some(
      ({ deliveredAt }) => deliveredAt > job.paidAt && !isUnknown(deliveredAt),
    );
    if (job.goneAt <= now && !isDelivered) return JOB_IS_GONE;
    if (!isDelivered && isMisfitReplaced(last)) return 'what came for a misfit is gone';
    // What a run has heard that lost its lease meanwhile, or broke off, may not be on record.
    const isLost = !isKept(last) || !hasEndedWell(job);
    if (settings.onLostAnswer === 'resubmit' && isLost) return 'its answer was lost';
    if (isHiddenByPurchase(last, sender)) return 'credits were bought that hide it';
    if (wasAnsweredBetween(record, last)) return 'what it was meanwhile has its profile';
    if (isPartBesideOther(last)) return 'a part was taken as large as another lost request';
    if (version !== last.version && last.record === record && settings.whenIdentityChanges)
      return 'other details';
    if (settings.whenIdentityChanges && wasFirstReadAsAnother(record, last)) return 'other details';
    if (settings.whenIdentityChanges && hasSharedSince(record, last)) return 'other details';
    return null;
  }

  /**
   * Its profile was of another person, and the job of a contact that it has taken in since came in the place of that
   * one: the service dropped it before the profile was written.
   */
  function isMisfitReplaced({ crm, record, job }: Payment): boolean {
    if (job.fate !== 'wrong person') return false;
    return payments.some(
      (each) =>
        each.record.gone?.mergedInto === record.id &&
        each.crm === crm &&
        each.job.fate === 'vanished' &&
        each.job.goneAt <= deps.now(),
    );
  }

  /**
   * The erasure of the other one was begun, be it that its process was killed: nothing of it goes on to another contact
   * from then on, and a person has said since that this one is somebody else.
   */
  function isToldApart(record: Record_, paid: Record_): boolean {
    const { distinguishedAt } = record;
    const { erasureBegunAt } = paid;
    if (record === paid || distinguishedAt === null || erasureBegunAt === null) return false;
    const { clockSkew, clockJump } = swarm.faults;
    const slackMs = clockSkew + clockJump > 0 ? CLOCKS_APART_MS : 0;
    return distinguishedAt + slackMs >= erasureBegunAt;
  }

  /** True if a contact had nothing of its own when this profile came to it by a merge, and was erased with it. */
  function isErasedWithHeir({ crm, record }: Pick<Payment, 'crm' | 'record'>): boolean {
    const { gone } = record;
    if (gone === null || gone.mergedInto === null) return false;
    const heir = crm.records.get(gone.mergedInto);
    if (heir === undefined) return false;
    const own = payments.findLast((each) => each.record === heir);
    if (own !== undefined) return false;
    return (
      heir.forgottenAt !== null || heir.isConfirmedErased || isErasedWithHeir({ crm, record: heir })
    );
  }

  /**
   * A part of it could not be read when it was paid for, and it has changed and changed back since: what is
   * read first of that part counts as what was paid for, and this may be what it was in between.
   */
  function wasFirstReadAsAnother(
    record: Record_,
    { version, job, record: paid }: Payment,
  ): boolean {
    const { addresses, employers } = job.person;
    const wasHidden = addresses.length === 0 || employers.length === 0;
    return (
      wasHidden && paid === record && record.history.some((each) => versionOf(each) !== version)
    );
  }

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

  /** When the balance was read that its lost answer is settled by: earlier, if the process stood still before it sent. */
  function readBefore({ job }: Payment): number {
    const readAt = readings.get(job.sender)?.findLast((at) => at <= job.sentAt) ?? NEVER;
    return Math.min(job.sentAt - READING_MS, readAt);
  }

  /**
   * It was something else meanwhile that another record of the human being was paid for as, and has that profile: what
   * it is now is a change since then, also if it is back at what it was paid for itself.
   */
  function hasSharedSince(record: Record_, last: Payment): boolean {
    if (!swarm.settings.shareProfiles || last.record !== record) return false;
    const twins = new Set(twinsOf(record));
    const writtenAt = record.written?.at ?? Number.NEGATIVE_INFINITY;
    return payments.some((paid) => {
      const { version, job } = paid;
      if (!twins.has(paid.record) || version === last.version || !isKept(paid)) return false;
      return record.readAs.some(
        (read) =>
          read.version === version &&
          read.at > last.job.paidAt &&
          read.at < job.paidAt + SHARED_FOR_MS + SLACK_MS &&
          // What has been written already is not written once more.
          (writtenAt > read.at || hasEndedWell({ sender: read.by, paidAt: read.at })),
      );
    });
  }

  /**
   * Its answer was lost, and it was again what it had been paid for before that: with the profile there, no
   * person was to be asked about the lost answer any more. What it is now is another change.
   */
  function wasAnsweredBetween(record: Record_, last: Payment): boolean {
    if (isKept(last) || last.record !== record) return false;
    const before = answeredBefore(record);
    const versions = record.history.map(versionOf);
    return versions.some(
      (version, at) => version === before?.version && (record.until[at] ?? 0) > last.job.paidAt,
    );
  }

  /** The last payment for a contact whose answer is on record, and whose profile was not lost with its job. */
  function answeredBefore(record: Record_): Payment | undefined {
    return payments.findLast(
      (each) =>
        each.record === record && (isWritten(each) || (isKept(each) && !isLostWithItsJob(each))),
    );
  }

  /** True if its profile was written before the contact was paid for again: whoever died then, it is on record. */
  function isWritten({ record, job, isAnswered }: Payment): boolean {
    const next = payments.find((each) => each.record === record && each.job.paidAt > job.paidAt);
    const until = next?.job.paidAt ?? NEVER;
    return isAnswered && record.filledAt.some((at) => at > job.paidAt && at < until);
  }

  /**
   * True if the service dropped its job, early or after its week, before the profile had been written. That there is
   * none is known as soon as a run has followed the job to its end.
   */
  function isLostWithItsJob({ record, job }: Payment): boolean {
    if (job.fate === 'failed' && hasEndedWell(job)) return false;
    const { deliveredAt } = record;
    const isGone = job.fate === 'vanished' || job.goneAt <= deps.now();
    return isGone && (deliveredAt <= job.paidAt || deliveredAt >= job.goneAt);
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

  /** An answer that has reached a process is not on record yet: the process may die right then. */
  function isKept({ isAnswered, job }: Payment): boolean {
    return isAnswered && !isTroubled(job.paidAt, swarm.service.submitMs + NOTING_MS);
  }

  /** True if a process died, or what it knew was lost, within so long after this moment. */
  function isTroubled(since: number, withinMs: number): boolean {
    let until = since + withinMs;
    // What comes while nothing can be written is noted afterwards.
    for (const outage of deps.outages()) {
      const isMeanwhile = outage.from < until && outage.until > since;
      if (isMeanwhile) until = Math.max(until, outage.until + NOTING_MS);
    }
    return troubles.some((at) => at >= since && at <= until);
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

  /** Other records of the same human being, as they are or were. */
  function twinsOf(record: Record_): Record_[] {
    return crms.flatMap((crm) =>
      [...crm.records.values()].filter((each) => each !== record && each.human === record.human),
    );
  }

  function judgeLimits(paid: readonly Payment[], balance: number): void {
    const { keep, perRun, perMonth } = swarm.settings;
    const [first] = paid;
    if (first === undefined) return;
    const now = deps.now();
    // What it reads when the request is on its way does not call that back.
    const { sender, sentAt } = first.job;
    const readAt = readings.get(sender)?.findLast((at) => at <= sentAt) ?? 0;
    const isUnseen = elsewhereAt >= readAt && (readAt > now - 15_000 || !isPrompt);
    if (keep > 0 && balance < keep && !isUnseen) {
      violate('keep', `${balance} credits are left of ${keep} that are to be kept`);
    }
    const month = (ms: number) => new Date(ms).toISOString().slice(0, 7);
    for (const crm of new Set(paid.map((payment) => payment.crm))) {
      // What counts for another lost request is not known to have been spent.
      const own = payments.filter(
        (payment) => payment.crm === crm && !isPartBesideOther(payment) && !isNamedFree(payment),
      );
      // Credits that are bought between the reading before a request and the settling of its lost answer hide
      // as many that it has cost.
      const boughtAt =
        elsewhere.findLast(({ credits }) => credits > 0)?.at ?? Number.NEGATIVE_INFINITY;
      if (own.some((each) => !isKept(each) && readBefore(each) <= boughtAt)) continue;
      const thisRun = own.filter(({ job }) => job.sender === sender).length;
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

  function ownerOf({ person, sentAt }: Pick<Job, 'person' | 'sentAt'>): Owner | null {
    const address = numberIn(person.addresses[0]);
    const employer = numberIn(person.employers[0]);
    for (const crm of crms) {
      // Who was there when it was sent before who has come since, and before who had left: one may have
      // become a part of the other.
      const all = [...crm.records.values()];
      const sent = all.filter(
        ({ bornAt, gone }) => bornAt <= sentAt && (gone === null || gone.at > sentAt),
      );
      const living = crm.living().filter((record) => !sent.includes(record));
      for (const records of [sent, living]) {
        const [owner] = records.flatMap((record) => ownedBy(crm, record));
        if (owner !== undefined) return owner;
      }
      // Of a chain of merges it is the last.
      const gone = all.filter((record) => record.gone !== null);
      gone.sort((a, b) => (b.gone?.at ?? 0) - (a.gone?.at ?? 0));
      const [owner] = gone.flatMap((record) => ownedBy(crm, record));
      if (owner !== undefined) return owner;
    }
    return null;

    function ownedBy(crm: SimulatedCrm, record: Record_): Owner[] {
      const { first, last } = person.name;
      const isNow = record.human.last === last && record.firstName === first;
      const wasOnce = record.former.some(
        (each) => each.human.last === last && each.firstName === first,
      );
      if (!isNow && !wasOnce) return [];
      for (const details of [record.details, ...record.history]) {
        const isAddress = address === null || details.address.number === address;
        const isEmployer = employer === null || details.employer.number === employer;
        // A part that cannot be read makes no other details.
        if (isAddress && isEmployer) return [{ crm, record, version: versionOf(details) }];
      }
      return [];
    }
  }
}
