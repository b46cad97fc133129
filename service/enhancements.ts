/**
 * Enhancement (service document, sections 2.4, 2.5 and 4.3): persons in, jobs, profiles out. The
 * document names two forms of the paths; both lead to the same jobs.
 */

import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Donor, World } from '../people/world.ts';
import type { PartnerEnv } from './context.ts';
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
import type { PartnerFault } from './faults.ts';
import { hasEnded, type Job, type Jobs, jobDurationMs, progressOf } from './jobs.ts';
import type { Matcher } from './matcher/matcher.ts';
import type { ChargedEndpoint } from './metering.ts';
import { toProfile } from './profile.ts';
import { createRouter } from './router.ts';
import { createSlices, type Slices } from './slices.ts';
import { countItems } from './validation.ts';

/** Which forms of the enhancement paths exist; both by default. */
export interface PathForms {
  /** At the base URL itself: PUT /, GET /progress/{job_id}, POST /progress, POST /. */
  a: boolean;
  /** Under /enhancements. */
  b: boolean;
}

/** What the endpoints of enhancement need. */
export interface EnhancementOptions {
  forms: PathForms;
  jobs: Jobs;
  matcher: Matcher;
  world: World;
  clock: () => number;
  /** Gives 32 random hexadecimal characters. */
  createId: () => string;
  /** No job takes longer than this. */
  jobTimeMs: () => number;
}

/** What enhancement charges: one credit of its bucket for each person. */
export function chargedEnhancements(forms: PathForms): ChargedEndpoint[] {
  const items = (body: unknown) => (Array.isArray(body) ? 0 : countItems(body, 'persons'));
  const submits: Record<keyof PathForms, ChargedEndpoint> = {
    a: { method: 'PUT', path: /^$/, bucket: 'enhancements', items },
    b: { method: 'POST', path: /^\/enhancements$/, bucket: 'enhancements', items },
  };
  return [...(forms.a ? [submits.a] : []), ...(forms.b ? [submits.b] : [])];
}

/** The endpoints of enhancement. */
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
  router.openapi(submitRoute(form.submit), async (c) => {
    const accepted = await submitPersons(options, c.req.valid('json').persons, c.var);
    c.set('processed', accepted.meta.processed);
    return c.json(accepted, 202);
  });
  router.openapi(progressRoute(form.progress), (c) => {
    const job = findJob(options, c.req.valid('param').job_id, c.var);
    return job === undefined
      ? c.json({ detail: 'Job not found' }, 404)
      : c.json(
          { status: 200, message: 'Progress retrieved', job_state: stateOf(options, job, c.var) },
          200,
        );
  });
  router.openapi(explanationRoute(form.explanation), (c) => {
    const job = findJob(options, c.req.valid('param').job_id, c.var);
    return job === undefined
      ? c.json({ detail: 'Job not found' }, 404)
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
  router.openapi(progressBatchRoute(form.progressBatch), (c) => {
    const body = c.req.valid('json');
    return c.json(readProgress(options, Array.isArray(body) ? body : body.job_ids, c.var), 200);
  });
  router.openapi(resultsRoute(form.results), (c) =>
    c.json(readResults(options, c.req.valid('json').job_ids, c.var), 200),
  );
}

type RequestVariables = Pick<PartnerEnv['Variables'], 'key' | 'fault' | 'charged'>;

async function submitPersons(
  options: EnhancementOptions,
  persons: readonly SubmittedPerson[],
  variables: RequestVariables,
) {
  const { fault } = variables;
  const { team } = variables.key;
  const paid = persons.slice(0, variables.charged);
  const chosen = fault?.kind === 'processFewer' ? paid.slice(0, fault.processed) : paid;
  const submitted: { trackingId: string; job: Job }[] = [];
  const slices = createSlices();
  for (const person of chosen) {
    const trackingId = person.tracking_id ?? options.createId();
    const job = await createJob(options, person, { team, fault, slices });
    submitted.push({ trackingId, job });
  }
  options.jobs.add(submitted.map(({ job }) => job));
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

/** The match is made at once, so that progress and results only have to look. */
async function createJob(
  options: EnhancementOptions,
  person: SubmittedPerson,
  { team, fault, slices }: { team: string; fault: PartnerFault | undefined; slices: Slices },
): Promise<Job> {
  const id = options.createId();
  const submittedAtMs = options.clock();
  const endsAtMs =
    fault?.kind === 'jobsNeverEnd' ? null : submittedAtMs + jobDurationMs(id, options.jobTimeMs());
  const sought = {
    first: person.name.first ?? '',
    last: person.name.last ?? '',
    addresses: person.addresses ?? [],
    employers: person.employers ?? [],
  };
  const match = await options.matcher.matchInSlices(sought, slices);
  const { donorNumber } = match;
  const error = donorNumber === null ? (match.reasons[0] ?? null) : null;
  return { id, team, donorNumber, error, match, submittedAtMs, endsAtMs };
}

function findJob(
  options: EnhancementOptions,
  id: string,
  { key, fault }: RequestVariables,
): Job | undefined {
  return fault?.kind === 'jobsVanish' ? undefined : options.jobs.find(key.team, id);
}

function shownProgress(options: EnhancementOptions, job: Job, { fault }: RequestVariables) {
  const progress = progressOf(job, options.clock());
  return fault?.kind === 'jobState' ? { ...progress, status: fault.state } : progress;
}

function stateOf(options: EnhancementOptions, job: Job, variables: RequestVariables) {
  const error = hasEnded(job, options.clock()) ? job.error : null;
  return { progress: shownProgress(options, job, variables), error };
}

function readProgress(
  options: EnhancementOptions,
  ids: readonly string[],
  variables: RequestVariables,
) {
  const { found, not_found } = findJobs(options, ids, variables);
  const job_id_to_state = Object.fromEntries(
    found.map((job) => [job.id, stateOf(options, job, variables)]),
  );
  return { status: 200, message: 'Progress retrieved', job_id_to_state, not_found };
}

function readResults(
  options: EnhancementOptions,
  ids: readonly string[],
  variables: RequestVariables,
) {
  const { found, not_found } = findJobs(options, ids, variables);
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

function findJobs(
  options: EnhancementOptions,
  ids: readonly string[],
  variables: RequestVariables,
): { found: Job[]; not_found: string[] } {
  const jobs = ids.map((id) => findJob(options, id, variables));
  return {
    found: jobs.filter((job) => job !== undefined),
    not_found: ids.filter((_, index) => jobs[index] === undefined),
  };
}

function resultOf(options: EnhancementOptions, job: Job) {
  const donor = foundBy(options, job);
  return donor === null ? null : toProfile(donor, options.clock());
}

/** The donor of a job that has ended; null where none was found. */
function foundBy({ world, clock }: EnhancementOptions, job: Job): Donor | null {
  return job.donorNumber !== null && hasEnded(job, clock()) ? world.donor(job.donorNumber) : null;
}

/** Shown when the job has ended, as the result is. */
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
