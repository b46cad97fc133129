/**
 * One partner key pays for a person once: where the same person stands in another contact, of the
 * same integration or of another one, that contact takes the job that was paid for.
 */
import type { Clock } from '../../core/clock.ts';
import type { OutcomeReason } from '../../core/outcome.ts';
import type { Checkpoint, Lease } from '../engine/leases.ts';
import { portions, valuesTable } from '../engine/rows.ts';
import type { ContactState, Database, JobState, Trx } from '../engine/tables.ts';
import type { IntendedJob } from './intents.ts';
import { type Asker, type Fate, findShares, type PaidJob, type SharingRules } from './paid-jobs.ts';

export type { Asker, PaidJob, SharingRules };

/** A due contact with the job that it takes. */
type Taker = IntendedJob & { paid: PaidJob };

/** What a contact and its job become that take a job of this fate. */
const AFTERWARDS: Record<Fate, Afterwards> = {
  running: { contact: 'submitted', job: 'processing', outcome: null },
  done: { contact: 'ready', job: 'completed', outcome: null },
  failed: {
    contact: 'settled',
    job: 'failed',
    outcome: {
      outcome_reason: 'no_match',
      outcome_detail: 'The service was asked about the same person for another contact, no credit.',
    },
  },
  lost: {
    contact: 'held',
    job: 'lost',
    outcome: {
      outcome_reason: 'lost_answer',
      outcome_detail: 'the answer about the same person in another contact was lost',
    },
  },
};

interface Afterwards {
  contact: ContactState;
  job: JobState;
  /** Null while it is still on its way. */
  outcome: { outcome_reason: OutcomeReason; outcome_detail: string } | null;
}

/** Jobs that contacts take instead of a credit. */
export function shareQueries(db: Database, checkpoint: Checkpoint, clock: Clock) {
  return {
    /** The jobs that contacts may take instead of a credit, by CRM id; nothing changes. */
    find(
      integrationId: string,
      contacts: readonly Asker[],
      rules: SharingRules,
    ): Promise<Map<string, PaidJob>> {
      return findShares(db, integrationId, contacts, rules);
    },

    /**
     * Lets contacts take the jobs that they may, looked up in the same transaction, and resolves
     * with their CRM ids. One that is not due any more stays as it is.
     */
    take(
      lease: Lease,
      runId: string,
      contacts: readonly IntendedJob[],
      rules: SharingRules,
    ): Promise<Set<string>> {
      return checkpoint(lease, async (trx) => {
        const shares = await findShares(trx, lease.integrationId, contacts, rules);
        const takers = contacts.flatMap((contact) => {
          const paid = shares.get(contact.crmId);
          return paid ? [{ ...contact, paid }] : [];
        });
        const running = await move(trx, lease, runId, takers, 'running');
        const done = await move(trx, lease, runId, takers, 'done');
        const failed = await move(trx, lease, runId, takers, 'failed');
        await move(trx, lease, runId, takers, 'lost');
        await trx
          .updateTable('runs')
          .set((eb) => ({ shared_count: eb('shared_count', '+', running + done + failed) }))
          .where('id', '=', runId)
          .execute();
        return new Set(shares.keys());
      });
    },
  };

  /** Moves the takers of jobs of one fate; who is not due any more is left out. */
  async function move(
    trx: Trx,
    lease: Lease,
    runId: string,
    takers: readonly Taker[],
    fate: Fate,
  ): Promise<number> {
    let moved = 0;
    for (const portion of portions(takers.filter(({ paid }) => paid.fate === fate))) {
      const ids = await moveContacts(trx, lease, runId, portion, fate);
      const those = portion.filter(({ crmId }) => ids.has(crmId));
      if (those.length === 0) continue;
      await insertJobs(trx, lease, those, fate);
      if (fate === 'lost') await openHolds(trx, lease, those);
      moved += those.length;
    }
    return moved;
  }

  async function moveContacts(
    trx: Trx,
    lease: Lease,
    runId: string,
    takers: readonly Taker[],
    fate: Fate,
  ): Promise<Set<string>> {
    const { contact, outcome } = AFTERWARDS[fate];
    const taken = valuesTable<'column1' | 'column2' | 'column3' | 'column4'>(
      takers.map((taker) => [
        taker.crmId,
        taker.identity,
        taker.paid.submittedAt,
        fate === 'failed' ? null : taker.trackingId,
      ]),
    );
    const moved = await trx
      .updateTable('contacts')
      .from(taken)
      .set((eb) => ({
        state: contact,
        due_reason: null,
        identity: eb.ref('v.column2'),
        asked_identity: eb.ref('v.column2'),
        // The profile is as old as the credit that it came by.
        asked_at: eb.cast<number>(eb.ref('v.column3'), 'bigint'),
        tracking_id: eb.ref('v.column4'),
        ...(outcome === null ? {} : { ...outcome, outcome_run: runId, outcome_at: clock.now() }),
      }))
      .where('integration_id', '=', lease.integrationId)
      .where('state', '=', 'due')
      .whereRef('crm_id', '=', 'v.column1')
      .returning('crm_id')
      .execute();
    return new Set(moved.map((row) => row.crm_id));
  }

  /** Each contact has a row of its own, so that each is polled, delivered and held by itself. */
  async function insertJobs(
    trx: Trx,
    lease: Lease,
    takers: readonly Taker[],
    fate: Fate,
  ): Promise<void> {
    const isOver = AFTERWARDS[fate].outcome !== null;
    await trx
      .insertInto('jobs')
      .values(
        takers.map(({ paid, ...taker }) => ({
          tracking_id: taker.trackingId,
          submission_id: paid.submissionId,
          integration_id: lease.integrationId,
          crm_id: taker.crmId,
          identity: taker.identity,
          person: taker.person,
          reason: taker.reason,
          state: AFTERWARDS[fate].job,
          job_id: paid.jobId,
          shared_from: paid.trackingId,
          submitted_at: paid.submittedAt,
          closed_at: isOver ? clock.now() : null,
        })),
      )
      .execute();
  }

  async function openHolds(trx: Trx, lease: Lease, takers: readonly Taker[]): Promise<void> {
    await trx
      .insertInto('holds')
      .values(
        takers.map((taker) => ({
          id: taker.trackingId,
          integration_id: lease.integrationId,
          crm_id: taker.crmId,
          kind: 'lost_answer' as const,
          tracking_id: taker.trackingId,
          detail: AFTERWARDS.lost.outcome?.outcome_detail ?? null,
          opened_at: clock.now(),
        })),
      )
      .execute();
  }
}
