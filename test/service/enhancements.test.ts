import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createWorld } from '../../people/world.ts';
import { aClock } from '../testbed/a-clock.ts';
import { ask, jobIdsIn, personOf, startPartner, strangers, submit, submitOne } from './partner.ts';

const WEEK_MS = 7 * 24 * 3_600_000;
const JOB_ID = expect.stringMatching(/^[0-9a-f]{32}$/);

const FORMS = {
  A: {
    submit: ['PUT', ''],
    progress: (id: string) => `/progress/${id}`,
    progressBatch: '/progress',
    results: '',
  },
  'A with a trailing slash': {
    submit: ['PUT', '/'],
    progress: (id: string) => `/progress/${id}/`,
    progressBatch: '/progress/',
    results: '/',
  },
  B: {
    submit: ['POST', '/enhancements'],
    progress: (id: string) => `/enhancements/${id}/progress`,
    progressBatch: '/enhancements/progress/batch',
    results: '/enhancements/results/batch',
  },
} as const;

describe.each(Object.entries(FORMS))('enhancement in form %s (sections 2.5 and 4.3)', (_, form) => {
  it('takes a person from submit to profile', async () => {
    const world = createWorld({ seed: 1, donors: 50 });
    const partner = await startPartner({ world });
    const donor = world.donor(0);
    const [method, path] = form.submit;

    const accepted = await ask(partner, method, path, { persons: [personOf(donor)] });
    expect(accepted.status).toBe(202);
    expect(accepted.body).toEqual({
      status: 202,
      message: expect.any(String),
      tracking_id_to_job_id: { donor: JOB_ID },
      meta: { requested: 1, processed: 1 },
    });
    const { donor: id = '' } = jobIdsIn(accepted.body);
    const completed = { status: 'completed', pct_done: null };

    expect(await ask(partner, 'GET', form.progress(id))).toMatchObject({
      status: 200,
      body: {
        status: 200,
        message: expect.any(String),
        job_state: { progress: completed, error: null },
      },
    });
    for (const body of [[id], { job_ids: [id] }]) {
      expect(await ask(partner, 'POST', form.progressBatch, body)).toMatchObject({
        status: 200,
        body: {
          status: 200,
          message: expect.any(String),
          job_id_to_state: { [id]: { progress: completed, error: null } },
          not_found: [],
        },
      });
    }
    expect(await ask(partner, 'POST', form.results, { job_ids: [id] })).toMatchObject({
      status: 200,
      body: {
        status: 200,
        message: expect.any(String),
        job_id_to_state: {
          [id]: { progress: completed, result: { id: donor.id, name: donor.name } },
        },
      },
    });
  });

  it('answers 400, never 422, to each over-size request', async () => {
    const partner = await startPartner();
    const [method, path] = form.submit;
    const ids = (count: number) => Array.from({ length: count }, () => 7);
    for (const answer of [
      await ask(partner, method, path, { persons: Array(101).fill(null) }),
      await ask(partner, 'POST', form.progressBatch, ids(1001)),
      await ask(partner, 'POST', form.progressBatch, { job_ids: ids(1001) }),
      await ask(partner, 'POST', form.results, { job_ids: ids(11) }),
    ]) {
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual({ detail: expect.any(String) });
    }
  });

  it('accepts requests of just the greatest size', async () => {
    const partner = await startPartner();
    const [method, path] = form.submit;
    const ids = (count: number) => Array.from({ length: count }, (_, index) => `${index}`);
    const answers = [
      await ask(partner, method, path, { persons: strangers(100) }),
      await ask(partner, 'POST', form.progressBatch, ids(1000)),
      await ask(partner, 'POST', form.results, { job_ids: ids(10) }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([202, 200, 200]);
  });

  it('does not know jobs that do not exist', async () => {
    const partner = await startPartner();
    const unknown = 'f'.repeat(32);
    const progress = await ask(partner, 'GET', form.progress(unknown));
    expect(progress.status).toBe(404);
    expect(progress.body).toEqual({ detail: expect.any(String) });
    for (const answer of [
      await ask(partner, 'POST', form.progressBatch, [unknown]),
      await ask(partner, 'POST', form.results, { job_ids: [unknown] }),
    ]) {
      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject({ job_id_to_state: {}, not_found: [unknown] });
    }
  });
});

describe('the two forms of the paths', () => {
  it('lead to the same jobs', async () => {
    const partner = await startPartner();
    const id = await submitOne(partner, { name: { first: 'Zyxw', last: 'Qqq' } });
    expect((await ask(partner, 'GET', `/progress/${id}`)).status).toBe(200);
  });

  it.each([
    [{ a: true, b: false }, 'POST', '/enhancements', 'PUT', ''],
    [{ a: false, b: true }, 'PUT', '', 'POST', '/enhancements'],
  ])('can be switched off: %j', async (forms, deadMethod, deadPath, method, path) => {
    const partner = await startPartner({ forms });
    const body = { persons: strangers(1) };
    expect((await ask(partner, deadMethod, deadPath, body)).status).toBe(404);
    expect((await ask(partner, method, path, body)).status).toBe(202);
    const { paths } = z
      .object({ paths: z.record(z.string(), z.unknown()) })
      .parse((await ask(partner, 'GET', '/openapi.json')).body);
    expect(Object.hasOwn(paths, '/enhancements')).toBe(forms.b);
    expect(Object.hasOwn(paths, '/progress')).toBe(forms.a);
  });
});

describe('tracking ids (section 2.4)', () => {
  it('are made up where they are absent', async () => {
    const partner = await startPartner();
    const name = { first: 'Zyxw', last: 'Qqq' };
    const persons = [{ name }, { name, tracking_id: null }, { name, tracking_id: '' }];
    const ids = await submit(partner, persons);
    expect(new Set(Object.keys(ids)).size).toBe(3);
    expect(new Set(Object.values(ids)).size).toBe(3);
  });

  it('lead to a new job each time they are submitted', async () => {
    const partner = await startPartner();
    const first = await submit(partner, strangers(1));
    const second = await submit(partner, strangers(1));
    expect(first['p0']).not.toBe(second['p0']);
  });
});

describe('job states (section 3)', () => {
  it('processes with rising percents, within the job time, then completes', async () => {
    const clock = aClock();
    const world = createWorld({ seed: 1, donors: 50 });
    const partner = await startPartner({ world, jobTimeMs: 10_000, clock: clock.read });
    const id = await submitOne(partner, personOf(world.donor(0)));
    const percents: number[] = [];
    for (let ms = 0; ms < 6000; ms += 1000) {
      const progress = await progressOf(partner, id);
      expect(progress.status).toBe('processing');
      percents.push(z.number().int().min(0).max(99).parse(progress.pct_done));
      clock.advance(1000);
    }
    expect(percents).toEqual(percents.toSorted((a, b) => a - b));
    expect(percents[0]).toBe(0);
    expect(percents.at(-1)).toBeGreaterThanOrEqual(50);
    clock.advance(4000);
    expect(await progressOf(partner, id)).toEqual({ status: 'completed', pct_done: null });
  });

  it('has no result while it processes', async () => {
    const world = createWorld({ seed: 1, donors: 50 });
    const partner = await startPartner({ world, jobTimeMs: 10_000, clock: aClock().read });
    const id = await submitOne(partner, personOf(world.donor(0)));
    const { body } = await ask(partner, 'POST', '/enhancements/results/batch', { job_ids: [id] });
    expect(body).toMatchObject({
      job_id_to_state: { [id]: { progress: { status: 'processing' }, result: null } },
    });
  });

  it('fails with an error, and only at its end, when no donor is found', async () => {
    const clock = aClock();
    const partner = await startPartner({ jobTimeMs: 1000, clock: clock.read });
    const id = await submitOne(partner, { name: { first: 'Zyxw', last: 'Qqq' } });
    const path = `/enhancements/${id}/progress`;
    expect((await ask(partner, 'GET', path)).body).toMatchObject({
      job_state: { progress: { status: 'processing', pct_done: 0 }, error: null },
    });
    clock.advance(1000);
    expect((await ask(partner, 'GET', path)).body).toMatchObject({
      job_state: {
        progress: { status: 'failed', pct_done: null },
        error: expect.stringMatching(/no donor/i),
      },
    });
    const { body } = await ask(partner, 'POST', '/enhancements/results/batch', { job_ids: [id] });
    expect(body).toMatchObject({
      job_id_to_state: { [id]: { progress: { status: 'failed' }, result: null } },
    });
  });

  it('is kept for seven days and then forgotten', async () => {
    const clock = aClock();
    const partner = await startPartner({ clock: clock.read });
    const id = await submitOne(partner, { name: { first: 'Zyxw', last: 'Qqq' } });
    const path = `/enhancements/${id}/progress`;
    clock.advance(WEEK_MS);
    expect((await ask(partner, 'GET', path)).status).toBe(200);
    clock.advance(1);
    expect((await ask(partner, 'GET', path)).status).toBe(404);
  });
});

async function progressOf(partner: Awaited<ReturnType<typeof startPartner>>, id: string) {
  const { body } = await ask(partner, 'GET', `/enhancements/${id}/progress`);
  return z
    .object({
      job_state: z.object({
        progress: z.object({ status: z.string(), pct_done: z.number().nullable() }),
      }),
    })
    .parse(body).job_state.progress;
}
