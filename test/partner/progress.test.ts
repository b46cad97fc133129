import { describe, expect, it } from 'vitest';
import { aClient, createNotedLog, rejectionOf } from './test-client.ts';
import { json, startService, startTestService } from './test-service.ts';

const running = { progress: { status: 'processing', pct_done: 40 }, error: null };
const done = { progress: { status: 'completed', pct_done: null }, error: null };
const failed = { progress: { status: 'failed', pct_done: null }, error: 'No donor found' };

describe('readProgress', () => {
  const states = { a: running, b: done, c: failed };
  const expected = new Map<string, unknown>([
    ['a', { state: 'processing', pctDone: 40 }],
    ['b', { state: 'completed' }],
    ['c', { state: 'failed', error: 'No donor found' }],
    ['d', { state: 'vanished' }],
  ]);

  it.each([
    [
      'under job_id_to_state',
      { status: 200, message: 'ok', job_id_to_state: states, not_found: ['d'] },
    ],
    ['keyed by job id', { ...states, not_found: ['d'] }],
    [
      'in a list',
      [
        { job_id: 'a', ...running },
        { job_id: 'b', ...done },
        { job_id: 'c', ...failed },
      ],
    ],
    [
      'in a list, each as for one job',
      [
        { job_id: 'a', job_state: running },
        { job_id: 'b', job_state: done },
        { job_id: 'c', job_state: failed },
      ],
    ],
  ])('reads states %s', async (_, reply) => {
    const { baseUrl } = await startService(json(reply));
    expect(await aClient(baseUrl).readProgress(['a', 'b', 'c', 'd'])).toEqual(expected);
  });

  it.each(['queued', 'PROCESSING', 'almost_done'])('takes "%s" for running', async (status) => {
    const { baseUrl } = await startService(
      json({ job_id_to_state: { a: { progress: { status } } } }),
    );
    const progress = await aClient(baseUrl).readProgress(['a']);
    expect(progress.get('a')).toEqual({ state: 'processing', pctDone: null });
  });

  it('knows the documented states however they are written', async () => {
    const { baseUrl } = await startService(
      json({ job_id_to_state: { a: { progress: { status: ' Completed' } } } }),
    );
    expect((await aClient(baseUrl).readProgress(['a'])).get('a')).toEqual({ state: 'completed' });
  });

  it.each(['100%', { of: 100 }])(
    'sees that a job has ended although its percent is %j',
    async (pct_done) => {
      const { baseUrl } = await startService(
        json({ job_id_to_state: { a: { progress: { status: 'completed', pct_done } } } }),
      );
      expect((await aClient(baseUrl).readProgress(['a'])).get('a')).toEqual({ state: 'completed' });
    },
  );

  it('believes the state of a job that is also listed as not found', async () => {
    const { baseUrl } = await startService(
      json({ job_id_to_state: { a: done }, not_found: ['a'] }),
    );
    expect((await aClient(baseUrl).readProgress(['a'])).get('a')).toEqual({ state: 'completed' });
  });

  it('takes jobs that it did not get round to for running', async () => {
    const { baseUrl, received } = await startTestService(({ body }) => {
      const [first = ''] = idsIn(body);
      return Response.json({ job_id_to_state: { [first]: done } });
    });
    const progress = await aClient(baseUrl).readProgress(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
    expect(received).toHaveLength(5);
    expect(progress.get('e')).toEqual({ state: 'completed' });
    expect(progress.get('g')).toEqual({ state: 'processing', pctDone: null });
  });

  it('keeps the error of a job whatever its form', async () => {
    const error = { reason: 'no_match' };
    const { baseUrl } = await startService(json({ job_id_to_state: { a: { ...failed, error } } }));
    const progress = await aClient(baseUrl).readProgress(['a']);
    expect(progress.get('a')).toEqual({ state: 'failed', error: '{"reason":"no_match"}' });
  });

  it('asks again for jobs that a reply leaves out, and for those alone', async () => {
    const { baseUrl, received } = await startTestService(({ body }) => {
      const ids = idsIn(body).slice(0, 2);
      return Response.json({ job_id_to_state: Object.fromEntries(ids.map((id) => [id, running])) });
    });
    const progress = await aClient(baseUrl).readProgress(['a', 'b', 'c', 'd', 'e']);
    expect([...progress.values()].every(({ state }) => state === 'processing')).toBe(true);
    expect(received.map(({ body }) => idsIn(body))).toEqual([
      ['a', 'b', 'c', 'd', 'e'],
      ['c', 'd', 'e'],
      ['e'],
    ]);
  });

  it('takes a job that is left out twice for vanished', async () => {
    const { baseUrl, received } = await startService(json({ job_id_to_state: {} }));
    const progress = await aClient(baseUrl).readProgress(['a']);
    expect(progress.get('a')).toEqual({ state: 'vanished' });
    expect(received).toHaveLength(2);
  });

  it('finds the one unknown job for which a service refuses the whole batch', async () => {
    const { baseUrl } = await startTestService(({ body }) => {
      const ids = idsIn(body);
      if (ids.includes('gone')) return Response.json({ detail: 'Job not found' }, { status: 404 });
      return Response.json({ job_id_to_state: Object.fromEntries(ids.map((id) => [id, done])) });
    });
    const client = aClient(baseUrl);
    await client.readProgress(['a']);
    const progress = await client.readProgress(['a', 'b', 'gone', 'c', 'd']);
    expect(progress.get('gone')).toEqual({ state: 'vanished' });
    for (const id of ['a', 'b', 'c', 'd']) expect(progress.get(id)).toEqual({ state: 'completed' });
  });

  it('does not take jobs for vanished because a gateway answers 404', async () => {
    const { baseUrl } = await startService(
      json({ job_id_to_state: { a: running } }),
      () => new Response('no route', { status: 404 }),
    );
    const client = aClient(baseUrl);
    await client.readProgress(['a']);
    const error = await rejectionOf(client.readProgress(['a']));
    expect(error).toMatchObject({ code: 'partner_endpoint_missing' });
  });

  it('looks at a job again later when only its entry is malformed', async () => {
    const log = createNotedLog();
    const { baseUrl } = await startService(
      json({ job_id_to_state: { a: { progress: {} }, b: done } }),
    );
    const progress = await aClient(baseUrl, { log }).readProgress(['a', 'b']);
    expect(progress.get('a')).toEqual({ state: 'processing', pctDone: null });
    expect(progress.get('b')).toEqual({ state: 'completed' });
    expect(log.notes.join()).toContain('progress.status');
  });

  it.each([
    [{ status: 200, message: 'ok' }, 'job_id_to_state'],
    [{ job_id_to_state: 7 }, 'job_id_to_state'],
    [[{ id: 'a' }], '0.job_id'],
    ['fine', 'the body'],
  ])('names the endpoint and the field of %j', async (reply, field) => {
    const { baseUrl } = await startService(json(reply));
    const error = await rejectionOf(aClient(baseUrl).readProgress(['a']));
    expect(error).toMatchObject({ code: 'partner_reply_unreadable' });
    expect(String(error)).toContain('POST /enhancements/progress/batch');
    expect(String(error)).toContain(field);
  });

  it('asks for a job that is named twice once, and for no job not at all', async () => {
    const { baseUrl, received } = await startService(json({ job_id_to_state: { a: done } }));
    const client = aClient(baseUrl);
    expect((await client.readProgress(['a', 'a'])).size).toBe(1);
    expect((await client.readProgress([])).size).toBe(0);
    expect(received.map(({ body }) => body)).toEqual([{ job_ids: ['a'] }]);
  });

  it('refuses more than 1,000 jobs before it sends', async () => {
    const { baseUrl, received } = await startService(json({}));
    const jobIds = Array.from({ length: 1_001 }, (_, index) => `job-${index}`);
    expect(await rejectionOf(aClient(baseUrl).readProgress(jobIds))).toBeInstanceOf(RangeError);
    expect(received).toEqual([]);
  });
});

describe('readJobProgress', () => {
  it('reads the reply for one job', async () => {
    const { baseUrl } = await startService(
      json({ status: 200, message: 'ok', job_state: running }),
    );
    expect(await aClient(baseUrl).readJobProgress('a')).toEqual({
      state: 'processing',
      pctDone: 40,
    });
  });

  it('takes a job for vanished once the path is known to be right', async () => {
    const { baseUrl } = await startService(
      json({ job_state: done }),
      json({ detail: 'Job not found' }, 404),
    );
    const client = aClient(baseUrl);
    await client.readJobProgress('a');
    expect(await client.readJobProgress('b')).toEqual({ state: 'vanished' });
  });

  it('names the field that is missing', async () => {
    const { baseUrl } = await startService(json({ job_state: {} }));
    const error = await rejectionOf(aClient(baseUrl).readJobProgress('a'));
    expect(String(error)).toContain('job_state.progress');
  });

  it('escapes what is no plain job id', async () => {
    const { baseUrl, received } = await startService(json({ job_state: done }));
    await aClient(baseUrl).readJobProgress('../credits?x');
    expect(received[0]?.path).toBe('/enhancements/..%2Fcredits%3Fx/progress');
  });
});

function idsIn(body: unknown): string[] {
  const { job_ids: ids } = Object(body);
  return Array.isArray(ids) ? ids.map(String) : [];
}
