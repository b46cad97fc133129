/**
 * Finds repeated payments for contacts of a list whose ID has changed. The check compares the service's ledger with the
 * list. A repeated payment is for a new row with the details for which the former row was paid.
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
    // Contacts that look alike can be mistaken for each other's new rows.
    if (swarm.people.doubles + swarm.people.merge > 0) return;
    const paid = payments.findLast((each) => rows.includes(each.record));
    if (paid === undefined || paid.version !== version || !isKept(paid)) return;
    const since = paid.record.gone?.at ?? 0;
    // A later credit for the new row is judged separately.
    if (payments.some((each) => each.record === record && each.job.paidAt > since)) return;
    if (hasChangedBetween(record, rows, version)) return;
    // A contact can continue with a different ID only if the contact is missing for the first time. The product no
    // longer expects a contact that left earlier.
    if ([record, ...rows].some(hadLeft)) return;
    // If some details are missing, nobody can tell which person the row describes.
    if (swarm.people.revoke > 0) return;
    if (reasonToPayAgain({ record, version }, paid, job) !== null) return;
    const what = `contact ${record.id} is paid for, and was as ${paid.record.id}, with the same details`;
    violate('paid once', what);
  }

  /**
   * Returns true if a process read one of the rows with different details after the payment. The current details then
   * count as a change.
   */
  function hasChangedBetween(record: Record_, rows: readonly Record_[], version: string): boolean {
    return [record, ...rows].some(
      ({ readAs, details }) =>
        versionOf(details) !== version || readAs.some((read) => read.version !== version),
    );
  }
}

/** Returns true for a row that was deleted or invisible before it got a new ID. */
function hadLeft({ firstLeftAt, gone }: Record_): boolean {
  return firstLeftAt !== null && firstLeftAt < (gone?.at ?? Number.POSITIVE_INFINITY);
}
