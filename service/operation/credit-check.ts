/** Finds charges whose jobs are missing, and which an operator can therefore refund. */

import type { Bucket } from '../credits.ts';
import { createCredits } from '../credits.ts';
import type { Database } from '../database.ts';
import { JOB_RETENTION_MS } from '../jobs.ts';
import { Refusal } from './refusal.ts';

/** A charge for more enhancements than there are jobs. */
export interface MissingWork {
  /** The number of the charge's line in the ledger. */
  line: number;
  atMs: number;
  team: string;
  bucket: Bucket;
  amount: number;
  /** The number of people who were paid for but have no job. */
  missing: number;
  /**
   * True if the jobs name the charge that paid for them. Jobs from earlier versions do not name a charge, so the check
   * counts such jobs by time.
   */
  isCertain: boolean;
}

/** The maximum time (ms) between a charge and its jobs in earlier versions. */
const LONGEST_SUBMIT_MS = 15 * 60_000;

/**
 * Lists charges for enhancements for which some jobs are missing. Jobs are deleted after seven days, so older charges
 * cannot be checked.
 */
export function findMissingWork(db: Database, clock: () => number): MissingWork[] {
  const sinceMs = clock() - JOB_RETENTION_MS;
  const charges = db
    .prepare<[{ sinceMs: number }], ChargeRow>(
      `with earlier (request_id, amount) as materialized (
         select request_id, sum(amount) from ledger
         where kind = 'refund' and refund_of is null group by request_id)
       select id line, at_ms atMs, team, bucket, ledger.amount, state,
              ledger.amount
                + coalesce((select sum(amount) from ledger given where given.refund_of = ledger.id), 0)
                + coalesce(earlier.amount, 0) paid,
              (select count(*) from jobs where charge = ledger.id) jobs
       from ledger left join earlier using (request_id)
       where kind = 'charge' and bucket = 'enhancements' and at_ms >= @sinceMs
         and (state is null or state = 'settled')
       order by id`,
    )
    .all({ sinceMs });
  const unlinked = db
    .prepare<[number], { team: string; atMs: number }>(
      `select team, submitted_at_ms atMs from jobs
       where charge is null and submitted_at_ms >= ? order by submitted_at_ms`,
    )
    .all(sinceMs);
  const missing = new Map(charges.map(({ line, paid, jobs }) => [line, paid - jobs]));
  const earlier = charges.filter(({ state }) => state === null);
  for (const { team, atMs } of unlinked) {
    const payer = earlier.find(
      (charge) =>
        charge.team === team &&
        charge.atMs <= atMs &&
        atMs - charge.atMs <= LONGEST_SUBMIT_MS &&
        (missing.get(charge.line) ?? 0) > 0,
    );
    if (payer !== undefined) missing.set(payer.line, (missing.get(payer.line) ?? 0) - 1);
  }
  return charges.flatMap(({ line, atMs, team, bucket, amount, state }) => {
    const count = missing.get(line) ?? 0;
    return count > 0
      ? [{ line, atMs, team, bucket, amount, missing: count, isCertain: state !== null }]
      : [];
  });
}

interface ChargeRow extends Omit<MissingWork, 'missing' | 'isCertain'> {
  /** The state of the charge. The state is null for ledger lines from earlier versions. */
  state: string | null;
  /** The charged amount minus refunds. */
  paid: number;
  jobs: number;
}

/** Refunds a ledger line. A line can be refunded only once. */
export function refundLine(db: Database, line: number, clock: () => number): number {
  const refund = db.transaction(() => {
    const charge = db
      .prepare<[number], { kind: string; amount: number; state: string | null; requestId: string }>(
        'select kind, amount, state, request_id requestId from ledger where id = ?',
      )
      .get(line);
    if (charge?.kind !== 'charge') throw new Refusal(`The ledger has no charge ${line}.`);
    if (charge.state === 'open') {
      throw new Refusal(
        `The request of charge ${line} is in flight, or its service has stopped. The next start refunds it.`,
      );
    }
    const given = db
      .prepare<[number, string], number>(
        `select count(*) from ledger
         where kind = 'refund' and (refund_of = ? or refund_of is null and request_id = ?)`,
      )
      .pluck()
      .get(line, charge.requestId);
    if (given !== 0) throw new Refusal(`Charge ${line} was already refunded. Nothing was changed.`);
    createCredits(db, clock).refund({ id: line, amount: charge.amount });
    return charge.amount;
  });
  return refund.immediate();
}
