import { createRoute, z } from '@hono/zod-openapi';
import { batchErrors, commonErrors, creditErrors, json, notFoundError } from './errors.ts';
import { profileSchema } from './profile.ts';
import { limitItems } from './validation.ts';

const MAX_PERSONS = 100;
const MAX_PROGRESS_IDS = 1000;
const MAX_RESULT_IDS = 10;

/** The method and the path of an endpoint, relative to the base URL. */
export interface Endpoint {
  method: 'get' | 'post' | 'put';
  path: string;
}

/**
 * The four endpoints of enhancement, with one form of their paths (service document, section 4.3). A fifth endpoint
 * explains a match.
 */
export type FormEndpoints = Record<
  'submit' | 'progress' | 'explanation' | 'progressBatch' | 'results',
  Endpoint
>;

const PERSON_EXAMPLE = {
  tracking_id: 'C000001',
  name: { first: 'Dianne', last: 'Hogan' },
  addresses: ['2511 Blackberry St, Brooklyn, NY 11269'],
  employers: ['Corvfell Engineering'],
};

const personSchema = z
  .object({
    tracking_id: z
      .string()
      .nullish()
      .openapi({ description: "The caller's own identifier; generated if it is absent" }),
    name: z
      .object({ first: z.string().nullish(), last: z.string().nullish() })
      .refine((name) => hasText(name.first) || hasText(name.last), {
        message: 'a name needs a first or a last name',
      }),
    addresses: z.array(z.string()).nullish(),
    employers: z.array(z.string()).nullish(),
  })
  .openapi('Person', { example: PERSON_EXAMPLE });

/** A submitted person (section 2.4), of whom only the name is required. */
export type SubmittedPerson = z.infer<typeof personSchema>;

const submitSchema = z
  .object({
    persons: z
      .array(personSchema)
      .min(1)
      .superRefine(refuseRepeatedTrackingIds)
      .openapi({
        maxItems: MAX_PERSONS,
        example: [PERSON_EXAMPLE],
      }),
  })
  .openapi('EnhancementRequest');

const jobIdsSchema = z.array(z.string()).openapi({ example: ['0123456789abcdef0123456789abcdef'] });

const progressSchema = z
  .object({
    status: z.string().openapi({ description: 'processing, completed or failed' }),
    pct_done: z.number().int().nullable(),
  })
  .openapi('Progress');

const jobStateSchema = z
  .object({ progress: progressSchema, error: z.string().nullable() })
  .openapi('JobState');

const likelihood = {
  probability: z
    .number()
    .min(0)
    .max(1)
    .openapi({ description: 'Probability that this is the right donor' }),
  reasons: z.array(z.string()).openapi({
    description: 'The reasons for and against this donor, and whether the donor has died',
  }),
};

/** The schema of a match, a field that the service's document does not mention. */
const matchSchema = z.object({
  ...likelihood,
  runner_up: z
    .object({ donor_id: z.string(), ...likelihood })
    .nullable()
    .openapi({
      description: 'The second likeliest donor; the likeliest donor if no match was found',
    }),
});

/** The certainty of a match, as the response contains it. */
export type ShownMatch = z.infer<typeof matchSchema>;

const notFoundIds = z.array(z.string()).openapi({ description: 'Job ids that do not exist' });

/** Creates the route that submits people. The request costs credits. */
export function submitRoute(endpoint: Endpoint) {
  return createRoute({
    ...endpoint,
    tags: ['Enhancement'],
    summary: 'Submit people',
    description: `One credit of the enhancements bucket per person, at most ${MAX_PERSONS}. When the balance is short, as many are processed as it covers, from the front.`,
    middleware: [limitItems('persons', MAX_PERSONS)],
    request: { body: { required: true, ...json(submitSchema) } },
    responses: {
      202: {
        description: 'Jobs are created.',
        ...json(
          z
            .object({
              status: z.int(),
              message: z.string(),
              tracking_id_to_job_id: z.record(z.string(), z.string()),
              meta: z.object({
                requested: z.number().int(),
                processed: z.number().int(),
                partial: z.boolean().optional(),
                partial_reason: z.string().optional(),
              }),
            })
            .openapi('EnhancementAccepted'),
        ),
      },
      ...creditErrors,
      ...batchErrors,
    },
  });
}

/** Creates the route that reads one job's progress. */
export function progressRoute(endpoint: Endpoint) {
  return createRoute({
    ...endpoint,
    tags: ['Enhancement'],
    summary: 'Progress of a job',
    description: 'Free.',
    request: { params: z.object({ job_id: z.string() }) },
    responses: {
      200: {
        description: 'Its state.',
        ...json(
          z
            .object({ status: z.int(), message: z.string(), job_state: jobStateSchema })
            .openapi('EnhancementProgress'),
        ),
      },
      ...notFoundError,
      ...commonErrors,
    },
  });
}

/** Creates the route that explains one job's match. */
export function explanationRoute(endpoint: Endpoint) {
  return createRoute({
    ...endpoint,
    tags: ['Enhancement'],
    summary: 'Why a job matched its donor, or no donor',
    description:
      "Free. This endpoint exists only in this implementation, not in the service's own document. The match is null while the job is running.",
    request: { params: z.object({ job_id: z.string() }) },
    responses: {
      200: {
        description: 'The state of the job, and the probability of its match.',
        ...json(
          z
            .object({
              status: z.int(),
              message: z.string(),
              job_state: jobStateSchema,
              donor_id: z.string().nullable(),
              match: matchSchema.nullable(),
            })
            .openapi('EnhancementExplanation'),
        ),
      },
      ...notFoundError,
      ...commonErrors,
    },
  });
}

/** Creates the route that reads many jobs' progress. */
export function progressBatchRoute(endpoint: Endpoint) {
  return createRoute({
    ...endpoint,
    tags: ['Enhancement'],
    summary: 'Progress of many jobs',
    description: `Free; at most ${MAX_PROGRESS_IDS} job ids, as a bare array or under job_ids.`,
    middleware: [limitItems('job_ids', MAX_PROGRESS_IDS)],
    request: {
      body: {
        required: true,
        ...json(
          z
            .union([jobIdsSchema, z.object({ job_ids: jobIdsSchema })])
            .openapi({ example: { job_ids: ['0123456789abcdef0123456789abcdef'] } }),
        ),
      },
    },
    responses: {
      200: {
        description: 'The state of each job.',
        ...json(
          z
            .object({
              status: z.int(),
              message: z.string(),
              job_id_to_state: z.record(z.string(), jobStateSchema),
              not_found: notFoundIds,
            })
            .openapi('EnhancementProgressBatch'),
        ),
      },
      ...batchErrors,
    },
  });
}

export function resultsRoute(endpoint: Endpoint) {
  return createRoute({
    ...endpoint,
    tags: ['Enhancement'],
    summary: 'Results of jobs',
    description: `Free; at most ${MAX_RESULT_IDS} job ids. The result is null unless a job is completed.`,
    middleware: [limitItems('job_ids', MAX_RESULT_IDS)],
    request: { body: { required: true, ...json(z.object({ job_ids: jobIdsSchema })) } },
    responses: {
      200: {
        description: 'State and profile of each job.',
        ...json(
          z
            .object({
              status: z.int(),
              message: z.string(),
              job_id_to_state: z.record(
                z.string(),
                z.object({
                  progress: progressSchema,
                  // With `nullable`, the document would require a value that is both the named schema and null.
                  result: z.union([profileSchema, z.null()]),
                  match: matchSchema.nullable(),
                }),
              ),
              not_found: notFoundIds,
            })
            .openapi('EnhancementResults'),
        ),
      },
      ...batchErrors,
    },
  });
}

function hasText(text: string | null | undefined): boolean {
  return (text ?? '').trim() !== '';
}

/** Throws if a tracking ID is repeated. The response maps tracking IDs to jobs, so each ID must be unique. */
function refuseRepeatedTrackingIds(
  persons: readonly SubmittedPerson[],
  context: z.RefinementCtx,
): void {
  const seen = new Set<string>();
  for (const [index, { tracking_id: trackingId }] of persons.entries()) {
    if (trackingId == null) {
      continue;
    }
    if (seen.has(trackingId)) {
      const message = 'the tracking id is used more than once in this request';
      context.addIssue({ code: 'custom', path: [index, 'tracking_id'], message });
    }
    seen.add(trackingId);
  }
}
