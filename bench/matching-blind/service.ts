/**
 * Runs the service under test. The benchmark uses only the service's command line and its HTTP interface on 127.0.0.1.
 */

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { Contact } from './contact.ts';
import { type ListFiles, readMarkers } from './donor-list.ts';

const PROGRAM = join(import.meta.dirname, '..', '..', 'src', 'main.ts');
const MEGABYTE = 1024 * 1024;
const PERSONS_PER_SUBMIT = 100;
const JOBS_PER_RESULT = 10;
const JOBS_PER_PROGRESS = 1_000;
const DONORS_PER_BATCH = 100;
const POLL_MS = 100;
const LONGEST_WAIT_MS = 20 * 60_000;
const REQUESTS_AT_ONCE = 4;

const candidateSchema = z.object({
  donor_id: z.string(),
  probability: z.number(),
  reasons: z.array(z.string()),
});
const matchSchema = z.object({
  probability: z.number(),
  reasons: z.array(z.string()),
  runner_up: candidateSchema.nullable(),
});
const donorSchema = z.object({ id: z.string(), bio: z.array(z.string()) }).loose();
const acceptedSchema = z.object({ tracking_id_to_job_id: z.record(z.string(), z.string()) });
const progressSchema = z.object({
  job_id_to_state: z.record(
    z.string(),
    z.object({ progress: z.object({ status: z.string() }), error: z.string().nullable() }),
  ),
});
const resultsSchema = z.object({
  job_id_to_state: z.record(
    z.string(),
    z.object({ result: donorSchema.nullable(), match: matchSchema.nullable() }),
  ),
});
const batchSchema = z.object({ donors: z.array(donorSchema) });
const searchSchema = z.object({
  donors: z.array(z.object({ id: z.string() })),
  next_cursor: z.string().nullable(),
});
const importSchema = z.object({
  people: z.number(),
  added: z.number(),
  toReview: z.number(),
  joined: z.number(),
});
const reviewSchema = z.object({
  pairs: z.array(z.object({ keys: z.array(z.string()), otherKeys: z.array(z.string()) })),
});
const undoneSchema = z.object({
  undone: z.array(z.object({ id: z.string(), restored: z.string() })),
});

export type Donor = z.infer<typeof donorSchema>;

/** The service's response for one contact. */
export interface Answer {
  /** The IDs of the matched donor's rows. The list is empty if no donor was matched. */
  matched: string[];
  /** The probability of the matched donor, or null. */
  probability: number | null;
  reasons: string[];
  runnerUp: { keys: string[]; probability: number; reasons: string[] } | null;
  error: string | null;
}

export interface RunningService {
  submit(contacts: Contact[]): Promise<Answer[]>;
  readDonors(ids: string[]): Promise<Donor[]>;
  /** Returns all donors of the service that live in the given states. */
  listDonors(states: string[]): Promise<Donor[]>;
  stop(): Promise<void>;
}

/** Imports a list. `otherPeople` states that equal rows are different people. */
export async function importList(
  db: string,
  files: ListFiles,
  source: string,
  otherPeople = false,
): Promise<z.infer<typeof importSchema>> {
  const flags = ['--roles', files.roles, '--source', source];
  if (otherPeople) flags.push('--other-people');
  return importSchema.parse(await runCommand(db, ['import', 'csv', files.donors, ...flags]));
}

export async function countDonors(db: string): Promise<number> {
  return z.object({ donors: z.number() }).parse(await runCommand(db, ['stats'])).donors;
}

/** Returns the pairs on the review list, each with the IDs of its two rows in their lists. */
export async function listReview(db: string): Promise<z.infer<typeof reviewSchema>['pairs']> {
  return reviewSchema.parse(await runCommand(db, ['review', 'list'])).pairs;
}

export async function undoJoins(db: string, ids: string[]) {
  return undoneSchema.parse(await runCommand(db, ['join', '--undo', ...ids])).undone;
}

/** Runs a command of the service and returns its JSON output. */
async function runCommand(db: string, words: string[]): Promise<unknown> {
  const args = [PROGRAM, 'service', ...words, '--db', db, '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    maxBuffer: 512 * MEGABYTE,
  });
  return JSON.parse(stdout);
}

/** Starts the service on a free port, with a team that has enough credits. */
export async function startService(db: string): Promise<RunningService> {
  const team = `judge-${Date.now()}`;
  await runCommand(db, ['teams', 'add', team, '--credits', '10000000']);
  const issued = await runCommand(db, ['keys', 'issue', team]);
  const { apiKey } = z.object({ apiKey: z.string() }).parse(issued);
  const flags = ['service', 'serve', '--db', db, '--port', '0', '--rate', '0', '--json'];
  const child = spawn(process.execPath, [PROGRAM, ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface(child.stdout), 'line');
  const { baseUrl } = z.object({ baseUrl: z.string() }).parse(JSON.parse(String(line)));

  async function send(path: string, body: unknown): Promise<unknown> {
    const response = await fetch(baseUrl + path, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} responded with ${response.status}: ${text}`);
    return JSON.parse(text);
  }

  async function readDonors(ids: string[]): Promise<Donor[]> {
    const batches = await inParallel(split(ids, DONORS_PER_BATCH), async (donor_ids) =>
      batchSchema.parse(await send('/donors/batch', { donor_ids })),
    );
    return batches.flatMap((batch) => batch.donors);
  }

  async function submit(contacts: Contact[]): Promise<Answer[]> {
    const accepted = await inParallel(split(contacts, PERSONS_PER_SUBMIT), async (batch) => {
      const persons = batch.map(({ first, last, addresses, employers }, index) => ({
        tracking_id: String(index),
        name: { first, last },
        addresses,
        employers,
      }));
      const { tracking_id_to_job_id: jobs } = acceptedSchema.parse(
        await send('/enhancements', { persons }),
      );
      return batch.map((_, index) => jobs[String(index)] ?? '');
    });
    const jobs = accepted.flat();
    const errors = await waitForJobs(jobs);
    const results = await inParallel(split(jobs, JOBS_PER_RESULT), async (job_ids) =>
      resultsSchema.parse(await send('/enhancements/results/batch', { job_ids })),
    );
    const states = new Map(results.flatMap((result) => Object.entries(result.job_id_to_state)));
    const runnersUp = [...states.values()].flatMap((state) => state.match?.runner_up ?? []);
    const ids = [...new Set(runnersUp.map((candidate) => candidate.donor_id))];
    const keys = new Map((await readDonors(ids)).map(({ id, bio }) => [id, readMarkers(bio)]));
    return jobs.map((job) => {
      const { result, match } = states.get(job) ?? { result: null, match: null };
      const candidate = match?.runner_up ?? null;
      return {
        matched: result ? readMarkers(result.bio) : [],
        probability: result && match ? match.probability : null,
        reasons: match?.reasons ?? [],
        runnerUp: candidate && {
          keys: keys.get(candidate.donor_id) ?? [],
          probability: candidate.probability,
          reasons: candidate.reasons,
        },
        error: errors.get(job) ?? null,
      };
    });
  }

  /** Waits until all jobs have ended, and returns the error of each failed job. */
  async function waitForJobs(jobs: string[]): Promise<Map<string, string>> {
    const errors = new Map<string, string>();
    const until = Date.now() + LONGEST_WAIT_MS;
    let open = jobs;
    while (open.length > 0) {
      if (Date.now() > until) throw new Error(`${open.length} jobs have not ended.`);
      const states = await inParallel(split(open, JOBS_PER_PROGRESS), async (batch) =>
        progressSchema.parse(await send('/enhancements/progress/batch', batch)),
      );
      open = [];
      for (const [job, state] of states.flatMap((reply) => Object.entries(reply.job_id_to_state))) {
        if (state.progress.status === 'processing') open.push(job);
        if (state.error !== null) errors.set(job, state.error);
      }
      if (open.length > 0) await wait(POLL_MS);
    }
    return errors;
  }

  async function listDonors(states: string[]): Promise<Donor[]> {
    const ids: string[] = [];
    for (const state of states) {
      let cursor: string | null = null;
      do {
        const body = { filters: { state }, limit: 500, ...(cursor === null ? {} : { cursor }) };
        const page = searchSchema.parse(await send('/search', body));
        ids.push(...page.donors.map((donor) => donor.id));
        if (page.next_cursor === cursor && cursor !== null) {
          throw new Error(`The search for donors in ${state} does not advance.`);
        }
        cursor = page.next_cursor;
      } while (cursor !== null);
    }
    return readDonors([...new Set(ids)]);
  }

  return {
    submit,
    readDonors,
    listDonors,
    async stop() {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}

function split<T>(list: T[], size: number): T[][] {
  const batches: T[][] = [];
  for (let at = 0; at < list.length; at += size) batches.push(list.slice(at, at + size));
  return batches;
}

/** Runs the work for several entries at a time, and returns the results in the order of the entries. */
async function inParallel<T, R>(list: T[], work: (entry: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const entries = list.entries();
  async function takeNext(): Promise<void> {
    for (const [index, entry] of entries) results[index] = await work(entry);
  }
  await Promise.all(Array.from({ length: REQUESTS_AT_ONCE }, takeNext));
  return results;
}
