import { type OutcomeReason, outcomeNamed, outcomeOf } from '../../core/outcome.ts';
import type { Lease } from '../engine/leases.ts';
import { portions, valuesTable } from '../engine/rows.ts';
import type { ContactState, DueReason, Trx } from '../engine/tables.ts';
import type { RunMoment } from '../runs/runs.ts';
import type { ContactRow } from './contacts.ts';

/** What the plan says of one contact. */
export type Decision =
  | { kind: 'choose'; reason: DueReason; priority: number }
  | { kind: 'settle'; reason: OutcomeReason; eligible: boolean }
  /** It is back with the paid job that it left with: held again, or delivered. */
  | { kind: 'resume' }
  /** A person decides first whether it may be taken up at all. */
  | { kind: 'hold'; reason: Extract<OutcomeReason, 'forgotten_person'> }
  /** Work is under way or a person is asked: only the identity is noted. */
  | { kind: 'keep' };

/** What becomes of the fingerprints that are remembered of a contact's identity. */
export interface NotedIdentity {
  /** The one of now. */
  identity: string;
  /**
   * True if the remembered one means the same in another spelling, or was made by an older version:
   * then this one replaces it wherever it stands, also where its job waits for an answer.
   */
  isSame: boolean;
  /** What `asked_identity` becomes; null leaves it as it is. */
  asked: string | null;
}

export type Decided = Decision & { noted: NotedIdentity };

/** A contact whose record in the CRM carries a donor id that another database paid for. */
export interface AdoptedContact {
  crmId: string;
  donorId: string;
  /** Fingerprint of its identity: what the credit counts as spent on. */
  identity: string;
  /** When the profile was made (epoch ms), as far as the CRM says. */
  enhancedAt: number;
}

/** The priority of contacts that are due and not submitted before a field can be read again. */
export const WAITS_FOR_ACCESS = 9;

/** What is known of a contact that was just read; the rest of it never enters the store. */
export interface ReadContact {
  crmId: string;
}

/** The last of the priorities that are submitted. */
const LAST_PRIORITY = 2;

/** States that no other station moves a contact out of while a page is decided. */
export const AT_REST: ContactState[] = ['settled', 'due', 'held', 'removed'];

/** The row of a contact after a decision. */
export function decidedRow(
  lease: Lease,
  run: RunMoment,
  row: ContactRow,
  decision: RowDecision,
): ContactRow {
  const chosen = decision.kind === 'choose';
  const held = decision.kind === 'hold';
  const leaves = decision.kind === 'settle' && !decision.eligible;
  return {
    ...row,
    integration_id: lease.integrationId,
    state: chosen ? 'due' : held ? 'held' : 'settled',
    eligible: chosen || held || decision.eligible ? 1 : 0,
    due_reason: chosen ? decision.reason : null,
    priority: chosen ? decision.priority : Math.min(row.priority, LAST_PRIORITY),
    // Should it come back, its paid job is not lost.
    tracking_id: leaves || held ? row.tracking_id : null,
    ...(saysMore(row, run, decision) ? {} : outcomeAfter(run, decision)),
    seen_run: run.id,
  };
}

/** A decision that changes a contact's row. */
type RowDecision = Extract<Decision, { kind: 'choose' | 'settle' | 'hold' }>;

/** What a run has done to a contact says more than what it reads of it afterwards. */
function saysMore(row: ContactRow, run: RunMoment, decision: RowDecision): boolean {
  if (row.outcome_run !== run.id || decision.kind !== 'settle') return false;
  const before = outcomeNamed(row.outcome_reason);
  return (
    before === 'written' || (outcomeOf(decision.reason) === 'unchanged' && before !== 'unchanged')
  );
}

function outcomeAfter(run: RunMoment, decision: RowDecision) {
  return {
    outcome_reason: reasonAfter(decision),
    outcome_run: run.id,
    outcome_at: run.now,
    outcome_detail: null,
  };
}

function reasonAfter(decision: RowDecision): OutcomeReason {
  if (decision.kind !== 'choose') return decision.reason;
  return decision.priority === WAITS_FOR_ACCESS ? 'identity_unreadable' : 'submission_pending';
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
              // A person has asked for it to be submitted again meanwhile.
              .when('contacts.asked_identity', 'is', null)
              .then(eb.ref('contacts.asked_identity'))
              .else(eb.ref('excluded.asked_identity'))
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

/** A contact that stays as it is, with the row that it has and what was noted of its identity. */
export interface KeptContact {
  row: ContactRow;
  noted: NotedIdentity;
}

/** What was read of contacts that stay as they are. */
export async function noteKept(
  trx: Trx,
  lease: Lease,
  runId: string,
  contacts: readonly KeptContact[],
): Promise<void> {
  for (const portion of portions(contacts)) {
    const noted = valuesTable<'column1' | 'column2' | 'column3'>(
      portion.map((c) => [c.row.crm_id, c.noted.identity, c.noted.asked]),
    );
    await trx
      .updateTable('contacts')
      .from(noted)
      .set((eb) => ({
        identity: eb.ref('v.column2'),
        asked_identity: eb.fn.coalesce(eb.ref('v.column3'), eb.ref('asked_identity')),
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
  await renameInJobs(trx, lease, contacts);
}

/** The same identity under another fingerprint, also where a job waits that was asked with it. */
async function renameInJobs(
  trx: Trx,
  lease: Lease,
  contacts: readonly KeptContact[],
): Promise<void> {
  for (const { row, noted } of contacts) {
    if (!noted.isSame || row.identity === noted.identity || row.tracking_id === null) continue;
    await trx
      .updateTable('jobs')
      .set({ identity: noted.identity })
      .where('integration_id', '=', lease.integrationId)
      .where('tracking_id', '=', row.tracking_id)
      .where('identity', '=', row.identity)
      .execute();
  }
}
