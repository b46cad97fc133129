/** Enhancement jobs and their states (service document, section 3). */

import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Database } from './database.ts';

/** The time (ms) after which jobs are deleted. The service deletes jobs after seven days. */
export const JOB_RETENTION_MS = 7 * 24 * 3_600_000;

const personSchema = z.object({
  first: z.string(),
  last: z.string(),
  addresses: z.array(z.string()),
  employers: z.array(z.string()),
});

/** The details for matching a person, which the service deletes as soon as it has matched the person. */
export type JobPerson = z.infer<typeof personSchema>;

/** A submitted job. */
export interface NewJob {
  /** The ID as 32 hexadecimal characters. */
  id: string;
  team: string;
  person: JobPerson;
  /** The ledger line of the job's payment, or null if the job cost nothing. */
  charge: number | null;
  submittedAtMs: number;
  /** The time at which the job ends (epoch ms), or null for a job that never ends. */
  endsAtMs: number | null;
}

export interface Job {
  id: string;
  team: string;
  /** True if the matcher has processed the person, even if it found no donor. */
  isMatched: boolean;
  /** The number of the donor that the matcher found, or null. */
  donorNumber: number | null;
  /** True if the job's donor was later separated into two people. */
  isMixed: boolean;
  /** The reason why no donor was found. */
  error: string | null;
  /** The certainty of the match and the reasons, as the caller sees them. Null for jobs from earlier versions. */
  match: JobMatch | null;
  submittedAtMs: number;
  /** The time at which the job ends (epoch ms), or null for a job that never ends. */
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

export type JobMatch = z.infer<typeof jobMatchSchema>;

export type JobOutcome = Pick<Job, 'id' | 'donorNumber' | 'error' | 'match'>;

/** The state of a job. While the job is processing, `pct_done` is an integer percentage. */
export interface Progress {
  status: string;
  pct_done: number | null;
}

/** The jobs of all teams. */
export interface Jobs {
  /** Adds either all of the jobs or none of them, and deletes old jobs. */
  add(jobs: readonly NewJob[]): void;
  /** Returns a team's job, or undefined if it is unknown, was deleted, or belongs to another team. */
  find(team: string, id: string): Job | undefined;
  /** Returns the jobs whose people have not been matched yet. The oldest job comes first. */
  unmatched(): { id: string; team: string }[];
  /** Returns a job's person, or undefined if the job was matched or deleted. */
  person(id: string): JobPerson | undefined;
  /** Stores either all outcomes or none of them, and deletes the people's details. */
  finish(outcomes: readonly JobOutcome[]): void;
}

/** Opens the job store in a database. */
export function createJobs(db: Database, clock: () => number): Jobs {
  const insert = db.prepare<[string, string, number, number | null, number | null, string]>(
    `insert into jobs (id, team, submitted_at_ms, ends_at_ms, charge, person)
     values (?, ?, ?, ?, ?, ?)`,
  );
  const forget = db.prepare<[number]>('delete from jobs where submitted_at_ms < ?');
  const select = db.prepare<[string, string, number], JobRow>(
    `select id, team, donor_number donorNumber, error, submitted_at_ms submittedAtMs,
            ends_at_ms endsAtMs, match, person is null isMatched, is_mixed isMixed
     from jobs where id = ? and team = ? and submitted_at_ms >= ?`,
  );
  const unmatched = db.prepare<[], { id: string; team: string }>(
    'select id, team from jobs where person is not null order by submitted_at_ms, charge, id',
  );
  const person = db
    .prepare<[string], string>('select person from jobs where id = ? and person is not null')
    .pluck();
  const finish = db.prepare<[Omit<JobOutcome, 'match'> & { match: string }]>(
    `update jobs set person = null, donor_number = @donorNumber, error = @error, match = @match
     where id = @id and person is not null`,
  );
  return {
    add: db.transaction((jobs: readonly NewJob[]) => {
      forget.run(clock() - JOB_RETENTION_MS);
      for (const { id, team, submittedAtMs, endsAtMs, charge, person: details } of jobs) {
        insert.run(id, team, submittedAtMs, endsAtMs, charge, JSON.stringify(details));
      }
    }),
    find(team, id) {
      const row = select.get(id, team, clock() - JOB_RETENTION_MS);
      return (
        row && {
          ...row,
          isMatched: row.isMatched === 1,
          isMixed: row.isMixed === 1,
          match: readMatch(row.match),
        }
      );
    },
    unmatched: () => unmatched.all(),
    person(id) {
      const text = person.get(id);
      return text === undefined ? undefined : personSchema.parse(JSON.parse(text));
    },
    finish: db.transaction((outcomes: readonly JobOutcome[]) => {
      for (const outcome of outcomes) {
        finish.run({ ...outcome, match: JSON.stringify(outcome.match) });
      }
    }),
  };
}

type JobRow = Omit<Job, 'match' | 'isMatched' | 'isMixed'> & {
  match: string | null;
  isMatched: number;
  isMixed: number;
};

function readMatch(text: string | null): JobMatch | null {
  return jobMatchSchema.nullable().parse(JSON.parse(text ?? 'null'));
}

/**
 * Creates the ID of a new job. The ID has 32 hexadecimal characters, and the first twelve contain the time. With random
 * IDs, each new job would change a different page of the database.
 */
export function createJobId(nowMs: number): string {
  const time = Math.trunc(nowMs).toString(16).padStart(12, '0').slice(-12);
  return time + randomBytes(10).toString('hex');
}

/**
 * Returns the duration of a job. The duration is 60 % to 100 % of the maximum and depends on the end of the job's ID.
 */
export function jobDurationMs(id: string, longestMs: number): number {
  const chance = Number.parseInt(id.slice(-4), 16) / 0x1_0000;
  return Math.floor(longestMs * (0.6 + 0.4 * chance));
}

/** Returns true if a job has completed or failed. */
export function hasEnded(job: Job, nowMs: number): boolean {
  return job.isMatched && isDue(job, nowMs);
}

/** Returns true if a job's time has come. If the clock was set back, the job is not delayed. */
export function isDue(
  { endsAtMs, submittedAtMs }: Pick<Job, 'endsAtMs' | 'submittedAtMs'>,
  nowMs: number,
): boolean {
  return endsAtMs !== null && (nowMs >= endsAtMs || nowMs < submittedAtMs);
}

/** Returns a job's progress at a given time. The percentage increases with time but never reaches 100. */
export function progressOf(job: Job, nowMs: number): Progress {
  if (hasEnded(job, nowMs)) {
    return { status: job.error === null ? 'completed' : 'failed', pct_done: null };
  }
  const durationMs = job.endsAtMs === null ? 0 : job.endsAtMs - job.submittedAtMs;
  const share = durationMs <= 0 ? ALMOST : (nowMs - job.submittedAtMs) / durationMs;
  return {
    status: 'processing',
    pct_done: Math.floor(Math.max(0, Math.min(share, ALMOST)) * 100),
  };
}

const ALMOST = 0.99;
