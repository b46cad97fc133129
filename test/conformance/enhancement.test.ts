import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ask, type Service, startService, UNKNOWN_ID } from './service.ts';

const HEX_32 = /^[0-9a-f]{32}$/;

/** Section 4.3 describes these two kinds of paths. */
const FORMS = [
  {
    form: 'A',
    submit: ['PUT', '/'],
    results: ['POST', '/'],
    batch: ['POST', '/progress'],
    progress: (id: string) => `/progress/${id}`,
  },
  {
    form: 'B',
    submit: ['POST', '/enhancements'],
    results: ['POST', '/enhancements/results/batch'],
    batch: ['POST', '/enhancements/progress/batch'],
    progress: (id: string) => `/enhancements/${id}/progress`,
  },
] as const;

const acceptedSchema = z.object({
  status: z.literal(202),
  message: z.string(),
  tracking_id_to_job_id: z.record(z.string(), z.string().regex(HEX_32)),
  meta: z.object({ requested: z.int(), processed: z.int() }),
});

const stateSchema = z.object({
  progress: z.object({ status: z.string(), pct_done: z.int().nullable() }),
  error: z.string().nullable(),
});

const resultSchema = z.object({
  status: z.literal(200),
  message: z.string(),
  job_id_to_state: z.record(
    z.string(),
    z.object({ progress: stateSchema.shape.progress, result: z.unknown() }),
  ),
});

describe.each(FORMS)('enhancement in form $form (sections 2.4, 2.5, 3 and 4.3)', (form) => {
  it('the service returns 202 for a submission, and maps tracking IDs to job IDs (2.4, 2.5)', async () => {
    const service = await startService();
    const [method, path] = form.submit;
    const persons = service.persons.slice(0, 3);
    const { status, body } = await ask(service, method, path, { persons });
    const accepted = acceptedSchema.parse(body);
    expect(status).toBe(202);
    expect(Object.keys(accepted.tracking_id_to_job_id)).toEqual(service.donorIds.slice(0, 3));
    expect(accepted.meta).toEqual({ requested: 3, processed: 3 });
  });

  it('the service accepts a person who has only a name (2.4)', async () => {
    const service = await startService();
    const [method, path] = form.submit;
    const persons = [{ name: { first: 'Ann', last: 'Lee' } }];
    expect((await ask(service, method, path, { persons })).status).toBe(202);
  });

  it('the service shows a percentage while a job is processing, and null once it is completed (2.5, 3)', async () => {
    const clock = aClock();
    const service = await startService({ jobTimeMs: 4000, clock: clock.read });
    const id = await submitOne(service, form);
    clock.advance(1000);
    const running = await readState(service, form.progress(id));
    expect(running).toEqual({
      progress: { status: 'processing', pct_done: expect.any(Number) },
      error: null,
    });
    clock.advance(3000);
    const ended = { progress: { status: 'completed', pct_done: null }, error: null };
    expect(await readState(service, form.progress(id))).toEqual(ended);
  });

  it('a job that finds no donor fails, and its error is set (3)', async () => {
    const service = await startService();
    const person = { tracking_id: 'x', name: { first: 'Zyxw', last: 'Qqq' } };
    const id = await submitOne(service, form, person);
    const { progress, error } = await readState(service, form.progress(id));
    expect(progress.status).toBe('failed');
    expect(error).toEqual(expect.any(String));
  });

  it('the service returns the progress of several jobs in one response (4.3)', async () => {
    const service = await startService();
    const id = await submitOne(service, form);
    const [method, path] = form.batch;
    for (const body of [[id], { job_ids: [id] }]) {
      expect(await ask(service, method, path, body)).toMatchObject({
        status: 200,
        body: { job_id_to_state: { [id]: { progress: { status: 'completed', pct_done: null } } } },
      });
    }
  });

  it('the service returns the state and the profile of each job as its results (2.5)', async () => {
    const service = await startService();
    const id = await submitOne(service, form);
    const [method, path] = form.results;
    const { body } = await ask(service, method, path, { job_ids: [id] });
    expect(resultSchema.parse(body).job_id_to_state[id]).toEqual({
      progress: { status: 'completed', pct_done: null },
      result: expect.objectContaining({ id: service.donorIds[0] }),
    });
  });

  it('the service shows the same jobs in both forms of the routes', async () => {
    const service = await startService();
    const id = await submitOne(service, form);
    for (const other of FORMS) {
      expect((await readState(service, other.progress(id))).progress.status).toBe('completed');
    }
  });

  it('the service returns 404 for a job that does not exist (7)', async () => {
    const service = await startService();
    expect(await ask(service, 'GET', form.progress(UNKNOWN_ID))).toEqual({
      status: 404,
      body: { detail: expect.any(String) },
    });
  });

  it('the service returns 400 for requests with too many people or job IDs (7.2, 8)', async () => {
    const service = await startService();
    const job_ids = (count: number) => ({ job_ids: Array(count).fill(UNKNOWN_ID) });
    const persons = (count: number) => ({ persons: manyPersons(count) });
    for (const [[method, path], fits, isTooMuch] of [
      [form.submit, persons(100), persons(101)],
      [form.results, job_ids(10), job_ids(11)],
      [form.batch, job_ids(1000), job_ids(1001)],
    ] as const) {
      expect((await ask(service, method, path, fits)).status).toBeLessThan(300);
      expect(await ask(service, method, path, isTooMuch)).toEqual({
        status: 400,
        body: { detail: expect.any(String) },
      });
    }
  });
});

describe('the donor profile (section 2.6)', () => {
  it('a profile has every documented field with its documented type', async () => {
    const service = await startService();
    const [, formB] = FORMS;
    const id = await submitOne(service, formB);
    const answer = await ask(service, 'POST', '/enhancements/results/batch', { job_ids: [id] });
    const profile = resultSchema.parse(answer.body).job_id_to_state[id]?.result;
    expect(profileSchema.safeParse(profile).error?.issues).toBeUndefined();
  });
});

const profileSchema = z.object({
  id: z.string().regex(HEX_32),
  name: z.object({ first: z.string(), middle: z.string().nullable(), last: z.string() }),
  service_url: z.url(),
  age: z.int(),
  net_worth_range: z.tuple([z.int(), z.int()]),
  political_stats: z.object({ capacity: z.number() }),
  nonprofit_stats: z.object({ capacity: z.number() }),
  education: z.array(z.object({ institution_name: z.string() })),
  work: z.array(z.object({ company_name: z.string() })),
  bio: z.array(z.string()),
});

describe('validation errors (section 2.8)', () => {
  it('validation errors contain the kind, the place, a message and the input of each mistake', async () => {
    const service = await startService();
    const persons = [{ name: { first: 'Ann', last: 'Lee' } }, { tracking_id: 'x' }];
    expect(await ask(service, 'POST', '/enhancements', { persons })).toEqual({
      status: 422,
      body: {
        detail: [
          {
            type: 'missing',
            loc: ['body', 'persons', 1, 'name'],
            msg: expect.any(String),
            input: { tracking_id: 'x' },
          },
        ],
      },
    });
  });
});

type Form = (typeof FORMS)[number];

async function submitOne(service: Service, form: Form, person = service.persons[0]) {
  const [method, path] = form.submit;
  const { body } = await ask(service, method, path, { persons: [person] });
  return z.string().parse(Object.values(acceptedSchema.parse(body).tracking_id_to_job_id)[0]);
}

async function readState(service: Service, path: string) {
  const { body } = await ask(service, 'GET', path);
  const progress = z.object({
    status: z.literal(200),
    message: z.string(),
    job_state: stateSchema,
  });
  return progress.parse(body).job_state;
}

function manyPersons(count: number): object[] {
  return Array.from({ length: count }, (_, index) => ({
    tracking_id: `p${index}`,
    name: { first: 'Ann', last: 'Lee' },
  }));
}

function aClock() {
  let nowMs = Date.parse('2026-07-01T12:00:00Z');
  return {
    read: () => nowMs,
    advance(ms: number): void {
      nowMs += ms;
    },
  };
}
