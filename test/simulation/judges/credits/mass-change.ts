/** Whether more contacts are paid for as changed than may be without a person who decides about it. */
import type { SimulatedCrm } from '../../crm/crm.ts';
import { type Record_, versionOf } from '../../crm/record.ts';
import type { Person } from '../../service/service.ts';
import { type Ledger, NOTING_MS, type Payment } from './ledger.ts';
import { ownerOf, twinsOf } from './owners.ts';
import { CLOCKS_APART_MS, DAY_MS } from './times.ts';

export interface MassChange {
  /** A process has heard that the service refuses these persons. */
  onRefused(persons: readonly Person[], sentAt: number): void;
  /** A person decides about the changes of many. */
  onChangesDecided(crm: SimulatedCrm): void;
  /** Of what was just paid for, for other details. */
  judgeMassChange(paid: readonly Payment[]): void;
}

/** Changes are counted over this time. */
const CHANGES_MS = 7 * DAY_MS;

/** All who were erased: nothing tells them from each other any more, so they count as one. */
const ERASED = 'erased';

export function createMassChange(ledger: Ledger): MassChange {
  const { deps, payments, isTroubled, hasEndedWell } = ledger;
  const { swarm, crms, violate } = deps;
  /** Payments for other details that no person has asked for. */
  const changes: Payment[] = [];
  /** When a person decided last about the changes of many. */
  const decidedAt = new Map<SimulatedCrm, number>();
  /** Whom the service has refused, and when that was heard of. */
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
    const twins = new Set(twinsOf(crms, record));
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
}
