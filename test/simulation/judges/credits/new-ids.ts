/**
 * Finds payments for a contact of a list whose IDs have changed, although it was paid for under another ID. Judged by
 * the service's ledger and the list: the new row has the details that the former row was paid for.
 */
import { type Record_, versionOf } from '../../crm/record.ts';
import type { Job } from '../../service/service.ts';
import type { Ledger } from './ledger.ts';
import type { Owner } from './owners.ts';
import type { ReasonToPayAgain } from './pay-again.ts';

export interface NewIds {
  judgeContinued(owner: Owner, job: Job): void;
}

export function createNewIds(ledger: Ledger, reasonToPayAgain: ReasonToPayAgain): NewIds {
  const { deps, payments, isKept } = ledger;
  const { swarm, violate } = deps;
  return { judgeContinued };

  function judgeContinued({ record, version }: Owner, job: Job): void {
    const rows = record.formerRows;
    // A run for one contact does not read the list.
    if (rows.length === 0 || deps.isForOne(job.sender)) return;
    // Contacts that look alike may continue one another.
    if (swarm.people.doubles + swarm.people.merge > 0) return;
    const paid = payments.findLast((each) => rows.includes(each.record));
    if (paid === undefined || paid.version !== version || !isKept(paid)) return;
    const since = paid.record.gone?.at ?? 0;
    // Its own later credit is judged as such.
    if (payments.some((each) => each.record === record && each.job.paidAt > since)) return;
    if (hasChangedBetween(record, rows, version)) return;
    // Only a contact that is missing for the first time continues. One that had left before is no longer expected.
    if ([record, ...rows].some(hadLeft)) return;
    // Without a part of the details, nobody can tell who it is.
    if (swarm.people.revoke > 0) return;
    if (reasonToPayAgain({ record, version }, paid, job) !== null) return;
    const what = `contact ${record.id} is paid for, and was as ${paid.record.id}, with the same details`;
    violate('paid once', what);
  }

  /** Some of its rows were read with other details since it was paid for, so the current details are a change. */
  function hasChangedBetween(record: Record_, rows: readonly Record_[], version: string): boolean {
    return [record, ...rows].some(
      ({ readAs, details }) =>
        versionOf(details) !== version || readAs.some((read) => read.version !== version),
    );
  }
}

/** True for a row that was deleted, or invisible, before it got another ID. */
function hadLeft({ firstLeftAt, gone }: Record_): boolean {
  return firstLeftAt !== null && firstLeftAt < (gone?.at ?? Number.POSITIVE_INFINITY);
}
