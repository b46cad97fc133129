import { describe, expect, it } from 'vitest';
import { aClient, createHastyClock, rejectionOf } from '../test-client.ts';
import { json, startRawService, startService, startTestService } from '../test-service.ts';

const JOB = { jobId: 'j1', networkId: 'n1', donorIds: ['d1', 'd2'] };
const BALANCES = { donors: 1, enhancements: 2, exports: 3, lists: 4, networks: 5, searches: 6 };

describe('networks.addMembers', () => {
  it('names each donor once, because each costs a credit', async () => {
    const { baseUrl, received } = await startService(json({ job_id: 'j1' }, 202));
    const job = await aClient(baseUrl).networks.addMembers('n1', ['d1', 'd2', 'd1']);
    expect(job).toEqual(JOB);
    expect(received).toMatchObject([
      { method: 'POST', path: '/networks/n1/members/batch', body: { donor_ids: ['d1', 'd2'] } },
    ]);
  });

  it('refuses more than a hundred donors without asking', async () => {
    const { baseUrl, received } = await startService(json({ job_id: 'j1' }, 202));
    const donorIds = Array.from({ length: 101 }, (_, index) => `d${index}`);
    const error = await rejectionOf(aClient(baseUrl).networks.addMembers('n1', donorIds));
    expect(error).toBeInstanceOf(RangeError);
    expect(received).toEqual([]);
  });

  it('says which bucket is empty', async () => {
    const { baseUrl } = await startService(json({ available_credits: 0 }, 402));
    const error = await rejectionOf(aClient(baseUrl).networks.addMembers('n1', ['d1']));
    expect(error).toMatchObject({
      code: 'credits_exhausted',
      bucket: 'networks',
      availableCredits: 0,
      details: { endpoint: 'POST /networks/{id}/members/batch', status: 402 },
    });
  });

  it('is lost, and sent once, when the connection breaks', async () => {
    const service = await startRawService((socket) => socket.resetAndDestroy());
    const error = await rejectionOf(aClient(service.baseUrl).networks.addMembers('n1', ['d1']));
    expect(error).toMatchObject({ code: 'answer_lost', bucket: 'networks' });
    expect(service.requests()).toBe(1);
  });

  it('is lost when no job is named, because its credits are spent', async () => {
    const { baseUrl } = await startService(json({ message: 'accepted' }, 202));
    const error = await rejectionOf(aClient(baseUrl).networks.addMembers('n1', ['d1']));
    expect(error).toMatchObject({ code: 'answer_lost', bucket: 'networks' });
    expect(String(error)).toContain('job_id is missing');
  });
});

describe('networks.readBulkAdd', () => {
  it.each(['queued', 'processing', 'Indexing'])('takes "%s" as running', async (status) => {
    const { baseUrl } = await startService(json({ job_id: 'j1', status, progress: 3, total: 9 }));
    expect(await aClient(baseUrl).networks.readBulkAdd('j1')).toEqual({
      state: 'running',
      done: 3,
      total: 9,
    });
  });

  it.each([
    ['beside a number', { status: 200, job_state: { progress: { status: 'processing' } } }],
    ['under progress', { progress: { status: 'processing' } }],
  ])('finds the status %s', async (_, body) => {
    const { baseUrl } = await startService(json(body));
    expect(await aClient(baseUrl).networks.readBulkAdd('j1')).toMatchObject({ state: 'running' });
  });

  it('tells the outcome of each donor', async () => {
    const results = {
      added_ids: ['a'],
      already_member_ids: ['b'],
      not_found_ids: ['c'],
      failed_ids: ['d'],
      unpaid_ids: ['e'],
    };
    const { baseUrl } = await startService(json({ status: 'completed', results }));
    const outcomes = new Map([
      ['a', 'added'],
      ['b', 'alreadyMember'],
      ['c', 'notFound'],
      ['d', 'failed'],
      ['e', 'unpaid'],
    ]);
    expect(await aClient(baseUrl).networks.readBulkAdd('j1')).toEqual({
      state: 'completed',
      outcomes,
    });
  });

  it('tells why it failed, and what it did before', async () => {
    const body = { status: 'failed', error: 'out of order', results: { added_ids: ['a'] } };
    const { baseUrl } = await startService(json(body));
    expect(await aClient(baseUrl).networks.readBulkAdd('j1')).toEqual({
      state: 'failed',
      error: 'out of order',
      outcomes: new Map([['a', 'added']]),
    });
  });

  it('says that the job has vanished', async () => {
    const { baseUrl } = await startService(json({ detail: 'Job not found' }, 404));
    expect(await aClient(baseUrl).networks.readBulkAdd('j1')).toEqual({ state: 'vanished' });
  });

  it('names the status when it is lacking', async () => {
    const { baseUrl } = await startService(json({ job_id: 'j1', progress: 3 }));
    const error = await rejectionOf(aClient(baseUrl).networks.readBulkAdd('j1'));
    expect(String(error)).toContain('GET /networks/jobs/{id} cannot be read: status is missing');
  });
});

describe('networks.followBulkAdd', () => {
  it('looks every three seconds until the job has ended', async () => {
    const clock = createHastyClock();
    const results = { added_ids: ['d1', 'd2', 'of another job'] };
    const { baseUrl, received } = await startService(
      json({ status: 'queued' }),
      json({ status: 'processing' }),
      json({ status: 'completed', results }),
    );
    const outcomes = await aClient(baseUrl, { clock }).networks.followBulkAdd(JOB);
    expect(Object.fromEntries(outcomes)).toEqual({ d1: 'added', d2: 'added' });
    expect(clock.slept).toEqual([3_000, 3_000]);
    expect(received).toHaveLength(3);
  });

  it.each([
    ['a completed job', json({ status: 'completed', results: { added_ids: ['d1'] } })],
    ['a failed job', json({ status: 'failed', results: { added_ids: ['d1'] } })],
    ['results of another form', json({ status: 'completed', results: ['d1'] })],
    ['a vanished job', json({ detail: 'Job not found' }, 404)],
  ])('searches the network for those that %s does not name', async (_, progress) => {
    const member = { in_network: true, networks: [{ id: 'n0' }, { id: 'n1' }] };
    const { baseUrl } = await startTestService(({ path }) => {
      if (path.startsWith('/networks/jobs/')) return progress();
      if (path === '/credits') return Response.json(BALANCES);
      return Response.json(path.includes('/d1/') ? member : { in_network: false });
    });
    const outcomes = await aClient(baseUrl).networks.followBulkAdd(JOB);
    expect(Object.fromEntries(outcomes)).toEqual({ d1: 'added', d2: 'failed' });
  });

  it('says that a donor is unknown when the service does', async () => {
    const { baseUrl } = await startTestService(({ path }) => {
      if (path.startsWith('/networks/jobs/')) return Response.json({ status: 'completed' });
      if (path === '/credits') return Response.json(BALANCES);
      return Response.json({ detail: 'Donor not found' }, { status: 404 });
    });
    const outcomes = await aClient(baseUrl).networks.followBulkAdd(JOB);
    expect(Object.fromEntries(outcomes)).toEqual({ d1: 'notFound', d2: 'notFound' });
  });

  it('gives up after half an hour, and names the job', async () => {
    const clock = createHastyClock();
    const { baseUrl } = await startService(json({ status: 'processing' }));
    const error = await rejectionOf(aClient(baseUrl, { clock }).networks.followBulkAdd(JOB));
    expect(error).toMatchObject({
      code: 'partner_bulk_add_unfinished',
      kind: 'retriable',
      jobId: 'j1',
    });
    expect(clock.slept.reduce((sum, ms) => sum + ms)).toBe(30 * 60_000);
  });

  it('stops with the reason of its signal', async () => {
    const stop = new AbortController();
    const { baseUrl, received } = await startService(() => {
      stop.abort('shutting down');
      return Response.json({ status: 'processing' });
    });
    const followed = aClient(baseUrl).networks.followBulkAdd(JOB, stop.signal);
    expect(await rejectionOf(followed)).toBe('shutting down');
    expect(received).toHaveLength(1);
  });
});
