import type { Selectable } from 'kysely';
import type { Clock } from '../../core/clock.ts';
import { RetriableError } from '../../core/errors.ts';
import type { RunReason, RunStatus, Trigger } from '../../core/run.ts';
import type { RecordEntry } from '../audit/record.ts';
import { type FromRow, fromRows, maybeFromRow } from '../engine/from-row.ts';
import type { Checkpoint, Lease } from '../engine/leases.ts';
import type { Database, RunsTable, Trx } from '../engine/tables.ts';
import { dropOldTexts, keepWords, type SealedWords } from '../secrets/foreign-texts.ts';
import {
  ALL_CONTACTS,
  beginRunRequest,
  endRunRequest,
  runAsked,
  SEVERAL_CONTACTS,
} from './run-requests.ts';
import { dropRunRows, writeRunRows } from './run-rows.ts';

export type RunRecord = FromRow<Selectable<RunsTable>>;

/** The run that acts, and when (epoch ms). */
export interface RunMoment {
  id: string;
  now: number;
}

/** Which runs are asked for; what is left out does not matter. */
export interface RunFilter {
  integrationId?: string | undefined;
  status?: RunStatus | undefined;
  /** Only those that come after this one in the list. */
  after?: Pick<RunRecord, 'startedAt' | 'id'> | undefined;
  limit: number;
}

/** The runs: how they began, how they ended, and what they reported. */
export function runQueries(
  db: Database,
  checkpoint: Checkpoint,
  clock: Clock,
  record: RecordEntry,
) {
  return {
    /**
     * Notes a run that begins, for some contacts or (null) for all, `full` if it reads everything
     * anew; one that was cut off before is marked as interrupted. The request that the run answers,
     * if there is one, stops waiting, and so do those of the runs in `alongside`, whose contacts it
     * has too. Throws a RetriableError if another process has begun this run.
     */
    async begin(
      lease: Lease,
      id: string,
      trigger: Trigger,
      only: readonly string[] | null,
      full = false,
      alongside: readonly string[] = [],
    ): Promise<void> {
      await checkpoint(lease, async (trx) => {
        await requireFresh(trx, id);
        const wasAsked = await beginRunRequest(trx, id, alongside, clock.now());
        const cutOff = await trx
          .updateTable('runs')
          .set({
            status: 'incomplete',
            reason_code: 'interrupted',
            reason_message: 'The process ended in the middle of this run; the next one went on.',
            finished_at: clock.now(),
          })
          .where('integration_id', '=', lease.integrationId)
          .where('status', '=', 'running')
          .returning(['id', 'integration_id as integrationId'])
          .execute();
        for (const run of cutOff) await writeRunRows(trx, run);
        const due = await trx
          .selectFrom('contacts')
          .select((eb) => eb.fn.countAll().as('count'))
          .where('integration_id', '=', lease.integrationId)
          .where('state', '=', 'due')
          .$if(only !== null, (query) => query.where('crm_id', 'in', only ?? []))
          .executeTakeFirst();
        await trx
          .insertInto('runs')
          .values({
            id,
            integration_id: lease.integrationId,
            epoch: lease.epoch,
            trigger,
            contact: contactOf(only),
            full: full ? 1 : 0,
            status: 'running',
            started_at: clock.now(),
            read_count: 0,
            // What an earlier run has chosen and left undone is this run's to do.
            chosen_count: Number(due?.count ?? 0),
            submitted_count: 0,
            enhanced_count: 0,
            shared_count: 0,
            spent_enhancements: 0,
          })
          .execute();
        // A time of a schedule is no one's request: the run that it brings is on record once it begins.
        if (wasAsked && trigger !== 'schedule') return;
        const { integrationId } = lease;
        const request = { integrationId, runId: id, trigger, full };
        await record(trx, runAsked(request, only));
      });
    },

    /**
     * Notes how a run ended, with its report and what it did to contacts, and drops what older runs
     * did before `keepRowsSince` (epoch ms), and texts of CRMs that are too old. What asked for it is
     * answered, unless the run was interrupted: then it is wanted still.
     */
    async finish(
      lease: Lease,
      id: string,
      end: {
        status: RunStatus;
        reason: RunReason | null;
        finishedAt: number;
        report: string;
        /** What the CRM said of the reason, sealed. */
        words?: SealedWords | null;
        /** Left out or null: nothing is dropped. */
        keepRowsSince?: number | null;
      },
    ): Promise<void> {
      await checkpoint(lease, async (trx) => {
        await trx
          .updateTable('runs')
          .set({
            status: end.status,
            reason_code: end.reason?.code ?? null,
            reason_message: end.reason?.message ?? null,
            finished_at: end.finishedAt,
            report: end.report,
          })
          .where('id', '=', id)
          .execute();
        const { integrationId } = lease;
        await dropOldTexts(trx, clock.now());
        if (end.words)
          await keepWords(trx, integrationId, { id, now: end.finishedAt }, [end.words]);
        await writeRunRows(trx, { id, integrationId });
        const { keepRowsSince = null } = end;
        if (keepRowsSince !== null) await dropRunRows(trx, integrationId, keepRowsSince);
        if (end.reason?.code !== 'interrupted') await endRunRequest(trx, id);
      });
    },

    find(id: string): Promise<RunRecord | undefined> {
      return db
        .selectFrom('runs')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst()
        .then(maybeFromRow);
    },

    /** Runs, the newest first. */
    list({ integrationId, status, after, limit }: RunFilter): Promise<RunRecord[]> {
      let query = db.selectFrom('runs').selectAll();
      if (integrationId !== undefined) query = query.where('integration_id', '=', integrationId);
      if (status !== undefined) query = query.where('status', '=', status);
      if (after !== undefined) {
        query = query.where((eb) =>
          eb.or([
            eb('started_at', '<', after.startedAt),
            eb.and([eb('started_at', '=', after.startedAt), eb('id', '>', after.id)]),
          ]),
        );
      }
      return query
        .orderBy('started_at', 'desc')
        .orderBy('id')
        .limit(limit)
        .execute()
        .then(fromRows);
    },
  };
}

/** A run for several contacts names none of them: what it did to each says so. */
function contactOf(only: readonly string[] | null): string {
  const [first = ALL_CONTACTS, ...others] = only ?? [];
  return others.length > 0 ? SEVERAL_CONTACTS : first;
}

/** Two processes may have seen the same request: the run of the one that came first counts. */
async function requireFresh(trx: Trx, id: string): Promise<void> {
  const known = await trx.selectFrom('runs').select('id').where('id', '=', id).executeTakeFirst();
  if (!known) return;
  throw new RetriableError(`The run ${id} has begun in another process.`, {
    code: 'already_running',
    details: { run: id },
  });
}
