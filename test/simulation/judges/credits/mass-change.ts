/**
 * Checks that the number of contacts that are paid for again because of changes stays within the limit. Above the
 * limit, a user has to decide.
 */
import type { SimulatedCrm } from '../../crm/crm.ts';
import { type Record_, versionOf } from '../../crm/record.ts';
import type { Person } from '../../service/service.ts';
import { type Ledger, NOTING_MS, type Payment } from './ledger.ts';
import { ownerOf, twinsOf } from './owners.ts';
import { CLOCKS_APART_MS, DAY_MS } from './times.ts';

export interface MassChange {
  /** Records that a process has received the service's refusal of these people. */
  onRefused(persons: readonly Person[], sentAt: number): void;
  /** Records that a user makes a decision on the changes of many contacts. */
  onChangesDecided(crm: SimulatedCrm): void;
  /** Checks the latest payments for changed details. */
  judgeMassChange(paid: readonly Payment[]): void;
}

/** The period in which changes are counted. */
const CHANGES_MS = 7 * DAY_MS;

/** Represents all erased contacts as one contact, because the product can no longer distinguish erased contacts. */
const ERASED = 'erased';

export function createMassChange(ledger: Ledger): MassChange {
  const { deps, payments, isTroubled, hasEndedWell } = ledger;
  const { swarm, crms, violate } = deps;
  /** Payments for changed details that no user requested. */
  const changes: Payment[] = [];
  /** The last time when a user decided about the changes of many contacts. */
  const decidedAt = new Map<SimulatedCrm, number>();
  /** The people whom the service has refused, with the time when a process learned of the refusal. */
  const refused: { record: Record_; at: number }[] = [];
  return {
    onRefused(persons, sentAt) {
      for (const person of persons) {
        const owner = ownerOf(crms, { person, sentAt });
        if (owner !== null) refused.push({ record: owner.record, at: deps.now() });
      }
    },
    onChangesDecided(crm) {
      decidedAt.set(crm, deps.now());
    },
    judgeMassChange,
  };

  /** Checks that a user has to make a decision when many contacts change at the same time or within a week. */
  function judgeMassChange(paid: readonly Payment[]): void {
    const [first] = paid;
    if (first === undefined) return;
    const { crm, job } = first;
    const { clockSkew, clockJump } = swarm.faults;
    const slackMs = clockSkew + clockJump > 0 ? CLOCKS_APART_MS : 0;
    const begin = Math.max(
      deps.now() - CHANGES_MS + CLOCKS_APART_MS,
      (decidedAt.get(crm) ?? Number.NEGATIVE_INFINITY) + slackMs,
      ledger.restoredAt ?? Number.NEGATIVE_INFINITY,
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
   * Returns true if a user distinguished this contact from an erased contact during the run. A run checks only once
   * whether too many contacts have changed, so this contact counts as changed only for later runs.
   */
  function isToldMeanwhile({ record, job }: Payment, sender: string): boolean {
    return job.sender === sender && (record.distinguishedAt ?? 0) > deps.bornAt(sender);
  }

  /**
   * Returns the contact to which a change belongs. After a merge, requests for the merged contact count towards the
   * remaining contact.
   */
  function whoChanged({ crm, record, job }: Payment): Record_ | typeof ERASED {
    // After a merge, the remaining contact takes over the payments. An erasure of that contact also erases the
    // payments.
    const erased = crm
      .lineOf(record.id)
      .flatMap((each) => [each.forgottenAt, each.erasureBegunAt, each.confirmedErasedAt]);
    const isErased = erased.some((at) => at !== null && at >= job.paidAt);
    return isErased ? ERASED : (crm.heirOf(record.id) ?? record);
  }

  /** Returns the contacts that the paying process had read and that the product may know as submitted. */
  function knownTo(crm: SimulatedCrm, sender: string): Set<Record_> {
    const heard = refused.filter(({ at }) => !isTroubled(at, NOTING_MS));
    const asked = new Set([...payments, ...heard].map(({ record }) => record));
    const all = [...crm.records.values()];
    // The product knows which contacts it has submitted, even if a contact cost no credit. The product also knows which
    // contacts share a profile.
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

  /** Returns true if a different record of the person was paid for with the same details. */
  function mayHaveShared(record: Record_): boolean {
    if (!swarm.settings.shareProfiles) return false;
    const twins = new Set(twinsOf(crms, record));
    const versions = new Set([record.details, ...record.history].map(versionOf));
    return payments.some((each) => twins.has(each.record) && versions.has(each.version));
  }

  /**
   * Returns true if the contact left before a process read all changes and had no submission in flight at that time.
   */
  function isReadAsGone(record: Record_, sender: string): boolean {
    if (record.gone === null || deps.isForOne(sender)) return false;
    // The only sign that a contact of a list is gone is a missing row. While a user has to decide about the missing
    // contact, the contact still counts.
    if (swarm.isList && deps.isStillExpected(record)) return false;
    if (record.gone.at >= deps.bornAt(sender) - swarm.people.lagMs) return false;
    const last = payments.findLast((payment) => payment.record === record);
    return last === undefined || (last.job.sender !== sender && hasEndedWell(last.job));
  }
}
