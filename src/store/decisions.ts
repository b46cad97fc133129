import type { OutcomeReason } from '../core/outcome.ts';
import type { ContactRow } from './contacts.ts';
import type { Lease } from './leases.ts';
import { INHERITED } from './merges.ts';
import { portions, valuesTable } from './rows.ts';
import type { ContactState, DueReason, Trx } from './tables.ts';

/** What the plan says of one contact. */
export type Decision =
  | { kind: 'choose'; reason: DueReason; priority: number }
  | { kind: 'settle'; reason: OutcomeReason; eligible: boolean }
  /** It is back with the paid job that it left with: held again, or delivered. */
  | { kind: 'resume' }
  /** Work is under way or a person is asked: only the identity is noted. */
  | { kind: 'keep' };

/** The run that decides, and when (epoch ms). */
export interface RunMoment {
  id: string;
  now: number;
}

/** What is known of a contact that was just read; the rest of it never enters the store. */
export interface ReadContact {
  crmId: string;
  /** Fingerprint of its identity. */
  identity: string;
}

/** States that no other station moves a contact out of while a page is decided. */
export const AT_REST: ContactState[] = ['settled', 'due', 'held', 'removed'];

/** The row of a contact after a decision. */
export function decidedRow(
  lease: Lease,
  run: RunMoment,
  row: ContactRow,
  decision: Extract<Decision, { kind: 'choose' | 'settle' }>,
): ContactRow {
  const chosen = decision.kind === 'choose';
  const leaves = decision.kind === 'settle' && !decision.eligible;
  return {
    ...row,
    integration_id: lease.integrationId,
    state: chosen ? 'due' : 'settled',
    eligible: chosen || decision.eligible ? 1 : 0,
    due_reason: chosen ? decision.reason : null,
    priority: chosen ? decision.priority : row.priority,
    // Should it come back, its paid job is not lost.
    tracking_id: leaves ? row.tracking_id : null,
    outcome_reason: chosen ? 'submission_pending' : decision.reason,
    outcome_run: run.id,
    outcome_at: run.now,
    outcome_detail: null,
    seen_run: run.id,
  };
}

/** Writes what was decided; what a station has moved on meanwhile stays as it is. */
export async function upsertDecided(trx: Trx, rows: readonly ContactRow[]): Promise<void> {
  for (const portion of portions(rows)) {
    await trx
      .insertInto('contacts')
      .values(portion)
      .onConflict((c) =>
        c
          .columns(['integration_id', 'crm_id'])
          .doUpdateSet((eb) => ({
            state: eb.ref('excluded.state'),
            identity: eb.ref('excluded.identity'),
            eligible: eb.ref('excluded.eligible'),
            due_reason: eb.ref('excluded.due_reason'),
            priority: eb.ref('excluded.priority'),
            tracking_id: eb.ref('excluded.tracking_id'),
            asked_identity: eb
              .case()
              .when('contacts.asked_identity', '=', INHERITED)
              .then(eb.ref('excluded.identity'))
              .else(eb.ref('contacts.asked_identity'))
              .end(),
            outcome_reason: eb.ref('excluded.outcome_reason'),
            outcome_run: eb.ref('excluded.outcome_run'),
            outcome_at: eb.ref('excluded.outcome_at'),
            outcome_detail: eb.ref('excluded.outcome_detail'),
            seen_run: eb.ref('excluded.seen_run'),
          }))
          .where('contacts.state', 'in', AT_REST),
      )
      .execute();
  }
}

/** What was read of contacts that stay as they are. */
export async function noteKept(
  trx: Trx,
  lease: Lease,
  runId: string,
  contacts: readonly ReadContact[],
): Promise<void> {
  for (const portion of portions(contacts)) {
    const noted = valuesTable<'column1' | 'column2'>(portion.map((c) => [c.crmId, c.identity]));
    await trx
      .updateTable('contacts')
      .from(noted)
      .set((eb) => ({
        identity: eb.ref('v.column2'),
        asked_identity: eb
          .case()
          .when('asked_identity', '=', INHERITED)
          .then(eb.ref('v.column2'))
          .else(eb.ref('asked_identity'))
          .end(),
        seen_run: runId,
        // What is under way gets its outcome when this run has tried it: with the reason of an
        // earlier run it would look as if this one had tried it in vain.
        outcome_run: eb
          .case()
          .when('state', '=', 'held')
          .then(runId)
          .else(eb.ref('outcome_run'))
          .end(),
      }))
      .where('integration_id', '=', lease.integrationId)
      .whereRef('crm_id', '=', 'v.column1')
      .execute();
  }
}
