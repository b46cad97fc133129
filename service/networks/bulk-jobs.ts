/** Stores jobs that add many donors to a network (service document, section 2.3). */

import { z } from '@hono/zod-openapi';
import type { Database } from '../database.ts';
import { JOB_RETENTION_MS, jobDurationMs } from '../jobs.ts';

const QUEUED_SHARE = 0.1;

const ids = z.array(z.string());

/** The schema of a job's progress and results. */
export const bulkJobSchema = z
  .object({
    job_id: z.string(),
    status: z.string().openapi({ description: 'queued, processing, completed or failed' }),
    progress: z
      .number()
      .int()
      .openapi({ description: 'Number of donors that have been processed' }),
    total: z.number().int().openapi({ description: 'Number of donors in the request' }),
    results: z
      .object({
        added_ids: ids,
        already_member_ids: ids,
        not_found_ids: ids,
        failed_ids: ids,
        unpaid_ids: ids.openapi({
          description: 'Not processed because the bucket did not have enough credits',
        }),
      })
      .openapi({
        description: 'Each donor ends up in one of these lists; they are complete when the job is',
      }),
  })
  .openapi('BulkAddJob');

/** A job in the form in which the response contains it. */
export type BulkJob = z.infer<typeof bulkJobSchema>;

/** The result of adding one donor. */
export type Outcome = 'added' | 'already_member' | 'not_found' | 'failed' | 'unpaid';

/** A request for a bulk job. */
export interface BulkOrder {
  team: string;
  networkId: string;
  donorIds: readonly string[];
  /** The number of donors that the team paid for, from the start of the list. The job leaves out all other donors. */
  paid: number;
  /** True if the service must simulate a job that never ends. */
  hangs: boolean;
  /** The number of donors after which the job must fail, or null if it must not fail. */
  failsAfter: number | null;
  /** Every nth donor fails. The number is n, or null if no donor must fail. */
  failsEvery: number | null;
}

export interface DueItem {
  job: number;
  position: number;
  team: string;
  networkId: string;
  donorId: string;
  /** True if the service must simulate a failure for the donor. */
  isDoomed: boolean;
}

/** The jobs of all teams. */
export interface BulkJobs {
  /** Stores a job, deletes old jobs, and returns the ID of the new job. */
  add(order: BulkOrder): string;
  /** Returns a team's job. Returns undefined if the job is unknown, was deleted or belongs to a different team. */
  find(team: string, id: string): BulkJob | undefined;
  /** Returns the first donor that is due. */
  nextDue(): DueItem | undefined;
  /** Returns the time of the next donor, or undefined if no donor is left. */
  nextDueAtMs(): number | undefined;
  /** Stores the result for a donor. */
  settle(item: DueItem, outcome: Outcome): void;
  fail(item: DueItem): void;
}

export interface BulkJobsOptions {
  clock: () => number;
  /** Returns 32 random hexadecimal characters. */
  createId: () => string;
  /** The maximum duration of a job, unless the work itself takes longer. */
  jobTimeMs: number;
}

/** Opens the bulk jobs in a database. */
export function createBulkJobs(db: Database, options: BulkJobsOptions): BulkJobs {
  const { clock, createId, jobTimeMs } = options;
  const sql = prepareStatements(db);
  return {
    add: db.transaction((order: BulkOrder) => {
      forgetOld(sql, clock() - JOB_RETENTION_MS);
      const id = createId();
      const submittedAtMs = clock();
      const durationMs = jobDurationMs(id, jobTimeMs);
      const startsAtMs = submittedAtMs + Math.ceil(durationMs * QUEUED_SHARE);
      const { team, networkId } = order;
      const fails = Number(order.failsAfter !== null);
      const row = { id, team, networkId, submittedAtMs, startsAtMs, fails };
      const job = sql.insert.run(row).lastInsertRowid;
      for (const item of toItems(order, startsAtMs, submittedAtMs + durationMs)) {
        sql.insertItem.run({ ...item, job });
      }
      return id;
    }),
    find(team, id) {
      const row = sql.find.get(id, team, clock() - JOB_RETENTION_MS);
      return row && toJob(row, sql.items.all(row.number), clock());
    },
    nextDue() {
      const row = sql.nextDue.get({ nowMs: clock() });
      return row && { ...row, isDoomed: row.isDoomed === 1 };
    },
    nextDueAtMs: () => sql.nextDueAt.get()?.dueAtMs,
    settle({ job, position }, outcome) {
      sql.settle.run(outcome, job, position);
    },
    fail({ job }) {
      sql.fail.run(job);
    },
  };
}

type Statements = ReturnType<typeof prepareStatements>;

interface JobRow {
  id: string;
  team: string;
  networkId: string;
  submittedAtMs: number;
  startsAtMs: number;
  /** 1 for a job that fails. */
  fails: number;
}

interface ItemRow {
  position: number;
  donorId: string;
  /** The time at which the donor is added (epoch ms). Null if the job never ends. */
  dueAtMs: number | null;
  isDoomed: number;
  /** The result, or null if the donor has not been processed yet. */
  outcome: Outcome | null;
}

function prepareStatements(db: Database) {
  return {
    insert: db.prepare<[JobRow]>(
      `insert into network_jobs (id, team, network_id, submitted_at_ms, starts_at_ms, fails)
       values (@id, @team, @networkId, @submittedAtMs, @startsAtMs, @fails)`,
    ),
    insertItem: db.prepare<[ItemRow & { job: number | bigint }]>(
      `insert into network_job_items
       values (@job, @position, @donorId, @dueAtMs, @isDoomed, @outcome)`,
    ),
    forgetItems: db.prepare<[number]>(
      `delete from network_job_items
       where job in (select number from network_jobs where submitted_at_ms < ?)`,
    ),
    forget: db.prepare<[number]>('delete from network_jobs where submitted_at_ms < ?'),
    find: db.prepare<[string, string, number], JobRow & { number: number }>(
      `select number, id, team, network_id networkId, submitted_at_ms submittedAtMs,
              starts_at_ms startsAtMs, fails
       from network_jobs where id = ? and team = ? and submitted_at_ms >= ?`,
    ),
    items: db.prepare<[number], ItemRow>(
      `select position, donor_id donorId, due_at_ms dueAtMs, is_doomed isDoomed, outcome
       from network_job_items where job = ? order by position`,
    ),
    // If the clock was set back to a time before the submission, the job is not delayed.
    nextDue: db.prepare<[{ nowMs: number }], Omit<DueItem, 'isDoomed'> & { isDoomed: number }>(
      `select job, position, team, network_id networkId, donor_id donorId, is_doomed isDoomed
       from network_job_items join network_jobs on number = job
       where outcome is null and due_at_ms is not null
         and (due_at_ms <= @nowMs or submitted_at_ms > @nowMs)
       order by due_at_ms, job, position limit 1`,
    ),
    nextDueAt: db.prepare<[], { dueAtMs: number }>(
      `select due_at_ms dueAtMs from network_job_items
       where outcome is null and due_at_ms is not null order by due_at_ms limit 1`,
    ),
    settle: db.prepare<[Outcome, number, number]>(
      'update network_job_items set outcome = ? where job = ? and position = ?',
    ),
    fail: db.prepare<[number]>('update network_jobs set fails = 1 where number = ?'),
  };
}

function forgetOld(sql: Statements, beforeMs: number): void {
  sql.forgetItems.run(beforeMs);
  sql.forget.run(beforeMs);
}

/** Returns the paid donors, with times that are evenly distributed between start and end. */
function toItems(order: BulkOrder, startsAtMs: number, endsAtMs: number): ItemRow[] {
  const { donorIds, paid, hangs, failsAfter, failsEvery } = order;
  return donorIds.map((donorId, position) => {
    const isPaid = position < paid;
    const dueAtMs = Math.ceil(startsAtMs + ((endsAtMs - startsAtMs) * (position + 1)) / paid);
    const isDoomed =
      (failsAfter !== null && position >= failsAfter) ||
      (failsEvery !== null && (position + 1) % failsEvery === 0);
    return {
      position,
      donorId,
      dueAtMs: isPaid && !hangs ? dueAtMs : null,
      isDoomed: Number(isDoomed),
      outcome: isPaid ? null : 'unpaid',
    };
  });
}

function toJob(row: JobRow, items: readonly ItemRow[], nowMs: number): BulkJob {
  const isOpen = items.some(({ outcome }) => outcome === null);
  const ended = row.fails === 1 ? 'failed' : 'completed';
  const running = nowMs < row.startsAtMs ? 'queued' : 'processing';
  const idsOf = (outcome: Outcome) =>
    items.filter((item) => item.outcome === outcome).map(({ donorId }) => donorId);
  return {
    job_id: row.id,
    status: isOpen ? running : ended,
    progress: items.filter(({ outcome }) => outcome !== null).length,
    total: items.length,
    results: {
      added_ids: idsOf('added'),
      already_member_ids: idsOf('already_member'),
      not_found_ids: idsOf('not_found'),
      failed_ids: idsOf('failed'),
      unpaid_ids: idsOf('unpaid'),
    },
  };
}
