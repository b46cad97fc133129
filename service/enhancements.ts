/**
 * The enhancement endpoints (service document, sections 2.4, 2.5 and 4.3). The endpoints create jobs for submitted
 * people and return profiles. The document describes two forms of the endpoints' paths, which lead to the same jobs.
 */

import type { OpenAPIHono } from '@hono/zod-openapi';
import type { PartnerEnv } from './context.ts';
import type { Donor, World } from './donor.ts';
import {
  explanationRoute,
  type FormEndpoints,
  progressBatchRoute,
  progressRoute,
  resultsRoute,
  type ShownMatch,
  type SubmittedPerson,
  submitRoute,
} from './enhancement-api.ts';
import {
  createJobId,
  hasEnded,
  type Job,
  type Jobs,
  jobDurationMs,
  type NewJob,
  progressOf,
} from './jobs.ts';
import type { MatchingWorker } from './matching-worker.ts';
import type { ChargedEndpoint } from './metering.ts';
import { toProfile } from './profile.ts';
import { createRouter } from './router.ts';
import type { CommitTogether } from './shared-commits.ts';
import { TWO_PEOPLE } from './two-people.ts';
import { countItems } from './validation.ts';

/** Selects the forms of the enhancement paths that the service offers, which are both forms by default. */
export interface PathForms {
  /** True to offer the paths at the base URL: PUT /, GET /progress/{job_id}, POST /progress and POST /. */
  a: boolean;
  /** True to offer paths under /enhancements. */
  b: boolean;
}

export interface EnhancementOptions {
  forms: PathForms;
  commitTogether: CommitTogether;
  jobs: Jobs;
  matching: MatchingWorker;
  world: World;
  clock: () => number;
  /** Returns 32 random hexadecimal characters. */
  createId: () => string;
  /** Returns the maximum duration of a job. */
  jobTimeMs: () => number;
}

/** Returns the prices of enhancements, which are one credit for each person. */
export function chargedEnhancements(forms: PathForms): ChargedEndpoint[] {
  const items = (body: unknown) => (Array.isArray(body) ? 0 : countItems(body, 'persons'));
  const submits: Record<keyof PathForms, ChargedEndpoint> = {
    a: { method: 'PUT', path: /^$/, bucket: 'enhancements', items },
    b: { method: 'POST', path: /^\/enhancements$/, bucket: 'enhancements', items },
  };
  return [...(forms.a ? [submits.a] : []), ...(forms.b ? [submits.b] : [])];
}

/** Creates the enhancement endpoints. */
export function enhancementRoutes(options: EnhancementOptions): OpenAPIHono<PartnerEnv> {
  const router = createRouter();
  if (options.forms.b) {
    addForm(router, options, FORM_B);
  }
  if (options.forms.a) {
    addForm(router, options, FORM_A);
  }
  return router;
}

const FORM_A: FormEndpoints = {
  submit: { method: 'put', path: '/' },
  progress: { method: 'get', path: '/progress/{job_id}' },
  explanation: { method: 'get', path: '/explanation/{job_id}' },
  progressBatch: { method: 'post', path: '/progress' },
  results: { method: 'post', path: '/' },
};

const FORM_B: FormEndpoints = {
  submit: { method: 'post', path: '/enhancements' },
  progress: { method: 'get', path: '/enhancements/{job_id}/progress' },
  explanation: { method: 'get', path: '/enhancements/{job_id}/explanation' },
  progressBatch: { method: 'post', path: '/enhancements/progress/batch' },
  results: { method: 'post', path: '/enhancements/results/batch' },
};

function addForm(
  router: OpenAPIHono<PartnerEnv>,
  options: EnhancementOptions,
  form: FormEndpoints,
): void {
  router.openapi(submitRoute(form.submit), async (c) =>
    c.json(await submitPersons(options, c.req.valid('json').persons, c.var), 202),
  );
  router.openapi(progressRoute(form.progress), async (c) => {
    const job = await findJob(options, c.req.valid('param').job_id, c.var);
    return 'detail' in job
      ? c.json(job, 404)
      : c.json(
          { status: 200, message: 'Progress retrieved', job_state: stateOf(options, job, c.var) },
          200,
        );
  });
  router.openapi(explanationRoute(form.explanation), async (c) => {
    const job = await findJob(options, c.req.valid('param').job_id, c.var);
    return 'detail' in job
      ? c.json(job, 404)
      : c.json(
          {
            status: 200,
            message: 'Explanation retrieved',
            job_state: stateOf(options, job, c.var),
            donor_id: foundBy(options, job)?.id ?? null,
            match: matchOf(options, job),
          },
          200,
        );
  });
  router.openapi(progressBatchRoute(form.progressBatch), async (c) => {
    const body = c.req.valid('json');
    const ids = Array.isArray(body) ? body : body.job_ids;
    return c.json(await readProgress(options, ids, c.var), 200);
  });
  router.openapi(resultsRoute(form.results), async (c) =>
    c.json(await readResults(options, c.req.valid('json').job_ids, c.var), 200),
  );
}

type RequestVariables = Pick<
  PartnerEnv['Variables'],
  'key' | 'fault' | 'charged' | 'chargeId' | 'settle'
>;

/** Settles the charge and creates a job for each paid person, in one transaction. A worker matches the people later. */
async function submitPersons(
  options: EnhancementOptions,
  persons: readonly SubmittedPerson[],
  variables: RequestVariables,
) {
  const { fault, settle } = variables;
  const { team } = variables.key;
  const paid = persons.slice(0, variables.charged);
  const chosen = fault?.kind === 'processFewer' ? paid.slice(0, fault.processed) : paid;
  const submitted = chosen.map((person) => ({
    trackingId: person.tracking_id ?? options.createId(),
    job: newJob(options, person, variables),
  }));
  await options.commitTogether(() => {
    options.jobs.add(submitted.map(({ job }) => job));
    settle(submitted.length);
  });
  options.matching.take(
    team,
    submitted.map(({ job }) => job.id),
  );
  return {
    status: 202,
    message: 'Enhancement jobs created',
    tracking_id_to_job_id: Object.fromEntries(
      submitted.map(({ trackingId, job }) => [trackingId, job.id]),
    ),
    meta: {
      requested: persons.length,
      processed: submitted.length,
      ...(paid.length < persons.length
        ? { partial: true, partial_reason: 'insufficient_credits' }
        : {}),
    },
  };
}

function newJob(
  options: EnhancementOptions,
  { name, addresses, employers }: SubmittedPerson,
  { key, fault, chargeId }: RequestVariables,
): NewJob {
  const submittedAtMs = options.clock();
  const id = createJobId(submittedAtMs);
  const endsAtMs =
    fault?.kind === 'jobsNeverEnd' ? null : submittedAtMs + jobDurationMs(id, options.jobTimeMs());
  const person = {
    first: name.first ?? '',
    last: name.last ?? '',
    addresses: addresses ?? [],
    employers: employers ?? [],
  };
  return { id, team: key.team, person, charge: chargeId, submittedAtMs, endsAtMs };
}

async function findJob(
  options: EnhancementOptions,
  id: string,
  variables: RequestVariables,
): Promise<Job | { detail: string }> {
  const { found, mixed } = await findJobs(options, [id], variables);
  return found[0] ?? { detail: mixed.includes(id) ? TWO_PEOPLE : 'Job not found' };
}

function shownProgress(options: EnhancementOptions, job: Job, { fault }: RequestVariables) {
  const progress = progressOf(job, options.clock());
  return fault?.kind === 'jobState' ? { ...progress, status: fault.state } : progress;
}

function stateOf(options: EnhancementOptions, job: Job, variables: RequestVariables) {
  const error = hasEnded(job, options.clock()) ? job.error : null;
  return { progress: shownProgress(options, job, variables), error };
}

async function readProgress(
  options: EnhancementOptions,
  ids: readonly string[],
  variables: RequestVariables,
) {
  const { found, not_found } = await findJobs(options, ids, variables);
  const job_id_to_state = Object.fromEntries(
    found.map((job) => [job.id, stateOf(options, job, variables)]),
  );
  return { status: 200, message: 'Progress retrieved', job_id_to_state, not_found };
}

async function readResults(
  options: EnhancementOptions,
  ids: readonly string[],
  variables: RequestVariables,
) {
  const { found, not_found } = await findJobs(options, ids, variables);
  const job_id_to_state = Object.fromEntries(
    found.map((job) => [
      job.id,
      {
        progress: shownProgress(options, job, variables),
        result: resultOf(options, job),
        match: matchOf(options, job),
      },
    ]),
  );
  return { status: 200, message: 'Results retrieved', job_id_to_state, not_found };
}

async function findJobs(
  options: EnhancementOptions,
  ids: readonly string[],
  { key, fault }: RequestVariables,
): Promise<{ found: Job[]; not_found: string[]; mixed: string[] }> {
  await options.matching.catchUp(key.team, ids);
  const jobs = ids.map((id) =>
    fault?.kind === 'jobsVanish' ? undefined : options.jobs.find(key.team, id),
  );
  return {
    found: jobs.filter((job) => job !== undefined).filter((job) => !job.isMixed),
    not_found: ids.filter((_, index) => jobs[index]?.isMixed !== false),
    mixed: ids.filter((_, index) => jobs[index]?.isMixed === true),
  };
}

function resultOf(options: EnhancementOptions, job: Job) {
  const donor = foundBy(options, job);
  return donor === null ? null : toProfile(donor, options.clock());
}

/** Returns the donor of a completed job, or null if no donor was found. */
function foundBy({ world, clock }: EnhancementOptions, job: Job): Donor | null {
  return job.donorNumber !== null && hasEnded(job, clock()) ? world.donor(job.donorNumber) : null;
}

/** Returns a job's match. A match is visible only after the job has ended. */
function matchOf(options: EnhancementOptions, job: Job): ShownMatch | null {
  if (job.match === null || !hasEnded(job, options.clock())) return null;
  const { probability, reasons, runnerUp } = job.match;
  return {
    probability: rounded(probability),
    reasons,
    runner_up: runnerUp && {
      donor_id: options.world.donor(runnerUp.donorNumber).id,
      probability: rounded(runnerUp.probability),
      reasons: runnerUp.reasons,
    },
  };
}

function rounded(probability: number): number {
  return Math.round(probability * 10_000) / 10_000;
}
