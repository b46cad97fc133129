import type { Clock } from '../core/clock.ts';
import type { OutcomeReason } from '../core/outcome.ts';
import { type ContactRow, findRows } from './contacts.ts';
import type { Checkpoint, Lease } from './leases.ts';
import { INHERITED, moveProfile } from './merges.ts';
import { portions, ROWS_PER_TRANSACTION, valuesTable } from './rows.ts';
import type { ContactState, DueReason, Trx } from './tables.ts';

/** What the plan says of one contact. */
export type Decision =
  | { kind: 'choose'; reason: DueReason; priority: number }
  | { kind: 'settle'; reason: OutcomeReason; eligible: boolean }
  /** It is back with the paid job that it left with: held again, or delivered. */
  | { kind: 'resume' }
  /** Work is under way or a person is asked: only the identity is noted. */
  | { kind: 'keep' };

/** What is known of a contact that was just read; the rest of it never enters the store. */
export interface ReadContact {
  crmId: string;
  /** Fingerprint of its identity. */
  identity: string;
}

export interface DecidedPage<C extends ReadContact> {
  runId: string;
  contacts: readonly C[];
  removed: readonly { id: string; mergedInto: string | null }[];
  /** Where a later read may start after this page. */
  cursor: string | null;
}

/** Every priority there is. */
const PRIORITIES = [0, 1, 2];

/** States that no other station moves a contact out of while a page is decided. */
const AT_REST: ContactState[] = ['settled', 'due', 'held', 'removed'];

/** What the plan decides about contacts, on disk in one transaction with what led to it. */
export function decisionQueries(checkpoint: Checkpoint, clock: Clock) {
  return {
    /**
     * Decides a page and moves the watermark past it, in one transaction. `decide` is asked with
     * the row as it is inside that transaction, so that no station can move a contact meanwhile.
     */
    recordPage<C extends ReadContact>(
      lease: Lease,
      page: DecidedPage<C>,
      decide: (contact: C, row: ContactRow | undefined) => Decision,
    ): Promise<void> {
      return checkpoint(lease, async (trx) => {
        // The same key twice in one upsert is an error on Postgres; the last reading counts.
        const contacts = [...new Map(page.contacts.map((c) => [c.crmId, c])).values()];
        // The winner of a merge inherits before anybody decides to spend a credit on it.
        await recordRemoved(trx, lease, page.runId, page.removed);
        let chosen = 0;
        for (const portion of portions(contacts)) {
          chosen += await recordPortion(trx, lease, page.runId, portion, decide);
        }
        await trx
          .updateTable('runs')
          .set((eb) => ({
            read_count: eb('read_count', '+', contacts.length),
            chosen_count: eb('chosen_count', '+', chosen),
          }))
          .where('id', '=', page.runId)
          .execute();
        if (page.cursor !== null) {
          await trx
            .updateTable('integrations')
            .set({ cursor: page.cursor })
            .where('id', '=', lease.integrationId)
            .execute();
        }
      });
    },

    /**
     * Puts the question again for settled contacts whose last credit was spent before
     * `askedBefore` (epoch ms), in portions by CRM id; resolves with how many became due.
     */
    async reconsider(
      lease: Lease,
      runId: string,
      askedBefore: number,
      decide: (row: ContactRow) => Decision,
    ): Promise<number> {
      let chosen = 0;
      let after = '';
      for (;;) {
        const last = after;
        const rows = await checkpoint(lease, async (trx) => {
          const found = await trx
            .selectFrom('contacts')
            .selectAll()
            .where('integration_id', '=', lease.integrationId)
            .where('state', '=', 'settled')
            .where('eligible', '=', 1)
            // Named one by one, the priorities let the index lead straight to the old ones.
            .where('priority', 'in', PRIORITIES)
            .where('asked_at', '<', askedBefore)
            .where('crm_id', '>', last)
            .orderBy('crm_id')
            .limit(ROWS_PER_TRANSACTION)
            .execute();
          const rechosen = found.flatMap((row) => {
            const decision = decide(row);
            return decision.kind === 'choose' ? [{ row, decision }] : [];
          });
          chosen += rechosen.length;
          await upsertDecided(
            trx,
            rechosen.map(({ row, decision }) => ({
              ...rowOf(lease, runId, row, decision),
              // Nobody has looked into the CRM: after a full read it may turn out to be gone.
              seen_run: row.seen_run,
            })),
          );
          await addChosen(trx, runId, rechosen.length);
          return found;
        });
        const lastRow = rows.at(-1);
        if (!lastRow || rows.length < ROWS_PER_TRANSACTION) return chosen;
        after = lastRow.crm_id;
      }
    },

    /** After a full read: contacts that this run did not see are gone from the CRM. */
    async removeUnseen(lease: Lease, runId: string): Promise<void> {
      await checkpoint(lease, async (trx) => {
        const removed = await trx
          .updateTable('contacts')
          .set({
            state: 'removed',
            due_reason: null,
            outcome_reason: 'deleted_in_crm',
            outcome_run: runId,
            outcome_at: clock.now(),
            outcome_detail: null,
          })
          .where('integration_id', '=', lease.integrationId)
          .where('seen_run', '<>', runId)
          .where('state', 'in', ['settled', 'due', 'held'])
          .returning('crm_id')
          .execute();
        await supersedeHolds(
          trx,
          lease,
          removed.map((row) => row.crm_id),
        );
      });
    },

    /** Contacts that turned out not to be submitted after all, with the reason for each. */
    async settleDue(
      lease: Lease,
      runId: string,
      contacts: readonly { crmId: string; reason: OutcomeReason; removed: boolean }[],
    ): Promise<void> {
      await checkpoint(lease, async (trx) => {
        for (const { crmId, reason, removed } of contacts) {
          await trx
            .updateTable('contacts')
            .set({
              state: removed ? 'removed' : 'settled',
              eligible: 0,
              due_reason: null,
              outcome_reason: reason,
              outcome_run: runId,
              outcome_at: clock.now(),
              outcome_detail: null,
            })
            .where('integration_id', '=', lease.integrationId)
            .where('crm_id', '=', crmId)
            .where('state', '=', 'due')
            .execute();
        }
      });
    },
  };

  async function recordPortion<C extends ReadContact>(
    trx: Trx,
    lease: Lease,
    runId: string,
    contacts: readonly C[],
    decide: (contact: C, row: ContactRow | undefined) => Decision,
  ): Promise<number> {
    const rows = await findRows(
      trx,
      lease.integrationId,
      contacts.map((c) => c.crmId),
    );
    const decided: ContactRow[] = [];
    const kept: C[] = [];
    const released: string[] = [];
    const resumed: C[] = [];
    const renamed: ContactRow[] = [];
    let chosen = 0;
    for (const contact of contacts) {
      const row = rows.get(contact.crmId);
      const decision = decide(contact, row);
      if (decision.kind === 'keep') {
        kept.push(contact);
        if (row?.state === 'ready' && row.identity !== contact.identity) renamed.push(row);
        continue;
      }
      if (decision.kind === 'resume') {
        resumed.push(contact);
        continue;
      }
      if (decision.kind === 'choose' && row?.state !== 'due') chosen += 1;
      if (row?.state === 'held') released.push(contact.crmId);
      const known = row ?? newRow(lease.integrationId, contact);
      decided.push(rowOf(lease, runId, { ...known, identity: contact.identity }, decision));
    }
    await upsertDecided(trx, decided);
    await noteKept(trx, lease, runId, kept);
    await supersedeHolds(trx, lease, released);
    await resume(trx, lease, runId, resumed);
    await withdrawApprovals(trx, renamed);
    return chosen;
  }

  function rowOf(
    lease: Lease,
    runId: string,
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
      outcome_run: runId,
      outcome_at: clock.now(),
      outcome_detail: null,
      seen_run: runId,
    };
  }

  /** A person approved a profile for somebody whom the CRM now calls or places otherwise. */
  async function withdrawApprovals(trx: Trx, contacts: readonly ContactRow[]): Promise<void> {
    for (const portion of portions(contacts.flatMap((row) => row.tracking_id ?? []))) {
      await trx
        .updateTable('holds')
        .set({ decision: 'superseded', decided_at: clock.now() })
        .where('id', 'in', portion)
        .where('decision', '=', 'approved')
        .execute();
    }
  }

  /** Contacts that are back: the hold that they left is open again, or their profile is ready. */
  async function resume(
    trx: Trx,
    lease: Lease,
    runId: string,
    contacts: readonly ReadContact[],
  ): Promise<void> {
    for (const portion of portions(contacts.map(({ crmId }) => crmId))) {
      const back = await trx
        .updateTable('contacts')
        .set({
          state: 'ready',
          eligible: 1,
          outcome_reason: 'delivery_pending',
          outcome_run: runId,
          outcome_at: clock.now(),
          outcome_detail: null,
          seen_run: runId,
        })
        .where('integration_id', '=', lease.integrationId)
        .where('crm_id', 'in', portion)
        .returning('tracking_id')
        .execute();
      const trackingIds = back.flatMap((row) => row.tracking_id ?? []);
      if (trackingIds.length === 0) continue;
      const holds = await trx
        .updateTable('holds')
        .set({ decision: null, decided_at: null })
        .where('integration_id', '=', lease.integrationId)
        .where('decision', '=', 'superseded')
        .where('id', 'in', trackingIds)
        .returning(['tracking_id', 'kind', 'detail'])
        .execute();
      for (const { tracking_id, kind, detail } of holds) {
        await trx
          .updateTable('contacts')
          .set({ state: 'held', outcome_reason: kind, outcome_detail: detail })
          .where('integration_id', '=', lease.integrationId)
          .where('tracking_id', '=', tracking_id)
          .where('crm_id', 'in', portion)
          .execute();
      }
    }
  }

  async function recordRemoved(
    trx: Trx,
    lease: Lease,
    runId: string,
    removed: readonly { id: string; mergedInto: string | null }[],
  ): Promise<void> {
    for (const { id, mergedInto } of removed) {
      if (mergedInto !== null) {
        await moveProfile(trx, lease, { id: runId, now: clock.now() }, id, mergedInto);
      }
      await trx
        .updateTable('contacts')
        .set({
          state: 'removed',
          due_reason: null,
          outcome_reason: mergedInto === null ? 'deleted_in_crm' : 'merged_in_crm',
          outcome_run: runId,
          outcome_at: clock.now(),
          outcome_detail: null,
          seen_run: runId,
        })
        .where('integration_id', '=', lease.integrationId)
        .where('crm_id', '=', id)
        .where('state', 'in', AT_REST)
        .execute();
    }
    await supersedeHolds(
      trx,
      lease,
      removed.map((r) => r.id),
    );
  }

  async function supersedeHolds(trx: Trx, lease: Lease, ids: readonly string[]): Promise<void> {
    for (const portion of portions(ids)) {
      await trx
        .updateTable('holds')
        .set({ decision: 'superseded', decided_at: clock.now() })
        .where('integration_id', '=', lease.integrationId)
        .where('crm_id', 'in', portion)
        .where('decision', 'is', null)
        .execute();
    }
  }
}

function newRow(integrationId: string, contact: ReadContact): ContactRow {
  return {
    integration_id: integrationId,
    crm_id: contact.crmId,
    state: 'settled',
    identity: contact.identity,
    eligible: 0,
    due_reason: null,
    priority: 1,
    asked_identity: null,
    asked_at: null,
    tracking_id: null,
    donor_id: null,
    enhanced_at: null,
    owned_values: '{}',
    outcome_reason: 'submission_pending',
    outcome_run: '',
    outcome_at: 0,
    outcome_detail: null,
    seen_run: '',
  };
}

/** Writes what was decided; what a station has moved on meanwhile stays as it is. */
async function upsertDecided(trx: Trx, rows: readonly ContactRow[]): Promise<void> {
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

async function noteKept(
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

async function addChosen(trx: Trx, runId: string, chosen: number): Promise<void> {
  await trx
    .updateTable('runs')
    .set((eb) => ({ chosen_count: eb('chosen_count', '+', chosen) }))
    .where('id', '=', runId)
    .execute();
}
