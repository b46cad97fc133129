/** Enhancement jobs and their states (service document, section 3). */

import { z } from 'zod';
import type { Database } from './database.ts';

/** Jobs are forgotten after seven days. */
export const JOB_RETENTION_MS = 7 * 24 * 3_600_000;

/** One job. Its outcome is settled when it is submitted and shown when it ends. */
export interface Job {
  /** 32 hexadecimal characters. */
  id: string;
  team: string;
  /** The donor that was found, as a number of the world; null where none was. */
  donorNumber: number | null;
  /** Why no donor was found. */
  error: string | null;
  /** How sure that is and why, for the caller; null for jobs of earlier versions. */
  match: JobMatch | null;
  submittedAtMs: number;
  /** Null for a job that never ends. */
  endsAtMs: number | null;
}

const likelySchema = z.object({
  donorNumber: z.number(),
  probability: z.number(),
  reasons: z.array(z.string()),
});

const jobMatchSchema = z.object({
  probability: z.number(),
  reasons: z.array(z.string()),
  runnerUp: likelySchema.nullable(),
});

/** What a job says of its match: how likely it is, why, and who else it could be. */
export type JobMatch = z.infer<typeof jobMatchSchema>;

/** How far a job is; `pct_done` is an integer percent while processing. */
export interface Progress {
  status: string;
  pct_done: number | null;
}

/** The jobs of all teams. */
export interface Jobs {
  /** Adds jobs, all or none, and forgets old ones. */
  add(jobs: readonly Job[]): void;
  /** A team's job; undefined for one that is unknown, forgotten, or another team's. */
  find(team: string, id: string): Job | undefined;
}

/** Opens the jobs of a database. */
export function createJobs(db: Database, clock: () => number): Jobs {
  const insert = db.prepare<[JobRow]>(
    `insert into jobs (id, team, donor_number, error, submitted_at_ms, ends_at_ms, match)
     values (@id, @team, @donorNumber, @error, @submittedAtMs, @endsAtMs, @match)`,
  );
  const forget = db.prepare<[number]>('delete from jobs where submitted_at_ms < ?');
  const select = db.prepare<[string, string, number], JobRow>(
    `select id, team, donor_number donorNumber, error, submitted_at_ms submittedAtMs,
            ends_at_ms endsAtMs, match
     from jobs where id = ? and team = ? and submitted_at_ms >= ?`,
  );
  return {
    add: db.transaction((jobs: readonly Job[]) => {
      forget.run(clock() - JOB_RETENTION_MS);
      for (const job of jobs) {
        insert.run({ ...job, match: JSON.stringify(job.match) });
      }
    }),
    find(team, id) {
      const row = select.get(id, team, clock() - JOB_RETENTION_MS);
      return row && { ...row, match: readMatch(row.match) };
    },
  };
}

type JobRow = Omit<Job, 'match'> & { match: string | null };

function readMatch(text: string | null): JobMatch | null {
  return jobMatchSchema.nullable().parse(JSON.parse(text ?? 'null'));
}

/** How long a job takes: between 0.6 and 1 times the longest time, as its id happens to be. */
export function jobDurationMs(id: string, longestMs: number): number {
  const chance = Number.parseInt(id.slice(0, 4), 16) / 0x1_0000;
  return Math.floor(longestMs * (0.6 + 0.4 * chance));
}

/** Whether a job has ended, be it completed or failed. */
export function hasEnded(job: Job, nowMs: number): boolean {
  return job.endsAtMs !== null && nowMs >= job.endsAtMs;
}

/** The progress of a job at a time; percents rise with time and never reach 100. */
export function progressOf(job: Job, nowMs: number): Progress {
  if (hasEnded(job, nowMs)) {
    return { status: job.error === null ? 'completed' : 'failed', pct_done: null };
  }
  const durationMs = job.endsAtMs === null ? undefined : job.endsAtMs - job.submittedAtMs;
  const share = durationMs === undefined ? 0.99 : (nowMs - job.submittedAtMs) / durationMs;
  return { status: 'processing', pct_done: Math.max(0, Math.floor(share * 100)) };
}
