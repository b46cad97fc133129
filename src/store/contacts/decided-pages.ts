import type { Clock } from '../../core/clock.ts';
import { maybeFromRow } from '../engine/from-row.ts';
import type { Checkpoint, Lease } from '../engine/leases.ts';
import { portions } from '../engine/rows.ts';
import type { Trx } from '../engine/tables.ts';
import type { RunMoment } from '../runs/runs.ts';
import { type ContactRecord, type ContactRow, findRows, newRow } from './contacts.ts';
import {
  type Decided,
  decidedRow,
  type KeptContact,
  noteKept,
  type ReadContact,
  upsertDecided,
  WAITS_FOR_ACCESS,
} from './decisions.ts';
import { type Departure, recordRemoved, supersedeHolds } from './departures.ts';
import { openErasedHolds } from './erased-holds.ts';
import { resume, withdrawApprovals } from './returns.ts';

/** A page as it was read. */
export interface DecidedPage<C extends ReadContact> {
  runId: string;
  contacts: readonly C[];
  removed: readonly Departure[];
  /** Where a later read may start after this page. */
  cursor: string | null;
}

/** Pages of contacts as the CRM has them, decided. */
export function decidedPageQueries(checkpoint: Checkpoint, clock: Clock) {
  return {
    /**
     * Decides a page and moves the watermark past it, in one transaction. `decide` is asked with
     * what is known of it inside that transaction, so that no station can move a contact meanwhile.
     */
    recordPage<C extends ReadContact>(
      lease: Lease,
      page: DecidedPage<C>,
      decide: (contact: C, known: ContactRecord | undefined) => Decided,
    ): Promise<void> {
      return checkpoint(lease, async (trx) => {
        const run: RunMoment = { id: page.runId, now: clock.now() };
        // The same key twice in one upsert is an error on Postgres; the last reading counts.
        const contacts = [...new Map(page.contacts.map((c) => [c.crmId, c])).values()];
        // The winner of a merge inherits before anybody decides to spend a credit on it.
        await recordRemoved(trx, lease, run, page.removed);
        let chosen = 0;
        for (const portion of portions(contacts)) {
          chosen += await recordPortion(trx, lease, run, portion, decide);
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
  };
}

async function recordPortion<C extends ReadContact>(
  trx: Trx,
  lease: Lease,
  run: RunMoment,
  contacts: readonly C[],
  decide: (contact: C, known: ContactRecord | undefined) => Decided,
): Promise<number> {
  const rows = await findRows(
    trx,
    lease.integrationId,
    contacts.map((c) => c.crmId),
  );
  const decided: ContactRow[] = [];
  const kept: KeptContact[] = [];
  const released: string[] = [];
  const resumed: C[] = [];
  const renamed: ContactRow[] = [];
  const held: string[] = [];
  let chosen = 0;
  for (const contact of contacts) {
    const row = rows.get(contact.crmId);
    const { noted, ...decision } = decide(contact, maybeFromRow(row));
    if (decision.kind === 'keep') {
      if (row === undefined) continue;
      kept.push({ row, noted });
      if (row.state === 'ready' && !noted.isSame) renamed.push(row);
      continue;
    }
    if (decision.kind === 'resume') {
      resumed.push(contact);
      continue;
    }
    const waits = decision.kind === 'choose' && decision.priority === WAITS_FOR_ACCESS;
    if (decision.kind === 'choose' && row?.state !== 'due' && !waits) chosen += 1;
    if (row?.state === 'held') released.push(contact.crmId);
    if (decision.kind === 'hold') held.push(contact.crmId);
    const { identity, asked } = noted;
    const known = row ?? newRow(lease.integrationId, { crmId: contact.crmId, identity });
    const asNoted = { ...known, identity, asked_identity: asked ?? known.asked_identity };
    decided.push(decidedRow(lease, run, asNoted, decision));
  }
  await upsertDecided(trx, decided);
  await noteKept(trx, lease, run.id, kept);
  await supersedeHolds(trx, lease, run.now, released);
  await openErasedHolds(trx, lease, run, held);
  await resume(trx, lease, run, resumed);
  await withdrawApprovals(trx, run.now, renamed);
  return chosen;
}
