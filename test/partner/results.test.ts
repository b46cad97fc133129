import { describe, expect, it } from 'vitest';
import { aClient, rejectionOf } from './test-client.ts';
import { json, startService } from './test-service.ts';

const done = { status: 'completed', pct_done: null };
const wire = {
  id: 'd'.repeat(32),
  name: { first: 'Ada', middle: 'B.', last: 'Marlowe' },
  service_url: 'https://service.example/donors/1',
  age: 61,
  net_worth_range: [1_000_000, 5_000_000],
  political_stats: { capacity: 2_500.5, party: 'x' },
  nonprofit_stats: { capacity: 50_000 },
  education: [{ institution_name: 'State University', degree: 'BA' }],
  work: [{ company_name: 'Riverside Works' }, { company_name: 'Elm & Sons' }],
  bio: ['Sits on two boards.'],
  is_deceased: false,
};

describe('readResults', () => {
  it('reads profiles in our words, extra fields left out', async () => {
    expect(await resultOf({ progress: done, result: wire })).toEqual({
      state: 'completed',
      profile: {
        donorId: 'd'.repeat(32),
        name: { first: 'Ada', middle: 'B.', last: 'Marlowe' },
        profileUrl: 'https://service.example/donors/1',
        age: 61,
        isDeceased: false,
        netWorth: { low: 1_000_000, high: 5_000_000 },
        capacity: { political: 2_500.5, nonprofit: 50_000 },
        education: ['State University'],
        work: ['Riverside Works', 'Elm & Sons'],
        bio: ['Sits on two boards.'],
      },
    });
  });

  it('reads that a person has died', async () => {
    const dead = { ...wire, age: null, is_deceased: true };
    expect(await resultOf({ progress: done, result: dead })).toMatchObject({
      profile: { isDeceased: true, age: null },
    });
  });

  const empty = {
    donorId: 'd1',
    name: { first: null, middle: null, last: null },
    profileUrl: null,
    age: null,
    isDeceased: false,
    netWorth: null,
    capacity: { political: null, nonprofit: null },
    education: [],
    work: [],
    bio: [],
  };

  it.each([
    ['absent', {}],
    [
      'null',
      {
        name: null,
        service_url: null,
        age: null,
        is_deceased: null,
        net_worth_range: null,
        political_stats: null,
        nonprofit_stats: null,
        education: null,
        work: null,
        bio: null,
      },
    ],
    [
      'empty',
      {
        name: { first: '', middle: ' ', last: null },
        service_url: '',
        net_worth_range: [],
        political_stats: {},
        nonprofit_stats: { capacity: null },
        education: [{}],
        work: [{ company_name: null }],
        bio: ['', null],
      },
    ],
    ['half there', { net_worth_range: [null, 5_000_000] }],
  ])('gives no value to fields that are %s', async (_, fields) => {
    const result = await resultOf({ progress: done, result: { id: 'd1', ...fields } });
    expect(result).toEqual({ state: 'completed', profile: empty });
  });

  it('keeps a bad profile from failing the nine beside it, and names field and endpoint', async () => {
    const jobIds = Array.from({ length: 10 }, (_, index) => `job-${index}`);
    const states = jobIds.map((id) => [
      id,
      { progress: done, result: { ...wire, age: id === 'job-4' ? '61' : 61 } },
    ]);
    const { baseUrl } = await startService(json({ job_id_to_state: Object.fromEntries(states) }));
    const results = await aClient(baseUrl).readResults(jobIds);
    expect([...results.values()].filter(({ state }) => state === 'completed')).toHaveLength(9);
    expect(results.get('job-4')).toEqual({
      state: 'unreadable',
      problem:
        'POST /enhancements/results/batch: job_id_to_state.job-4.result.age is missing or malformed (number expected)',
    });
  });

  it.each([
    [{ progress: { status: 'processing', pct_done: 3 }, result: null }, { state: 'processing' }],
    [{ progress: { status: 'waiting' } }, { state: 'processing' }],
    [
      { progress: { status: 'failed' }, result: null, error: 'No donor found' },
      { state: 'failed', error: 'No donor found' },
    ],
    [{ progress: { status: 'failed' } }, { state: 'failed', error: null }],
  ])('reads %j as a job without a result', async (entry, expected) => {
    expect(await resultOf(entry)).toEqual(expected);
  });

  it.each([
    [{ progress: done, result: null }, 'result is missing'],
    [{ progress: done }, 'result is missing'],
    [{}, 'progress.status is missing'],
    [{ progress: done, result: { ...wire, id: undefined } }, 'result.id'],
    [{ progress: done, result: [] }, 'result'],
    [null, 'job_id_to_state.a'],
  ])('calls %j unreadable and says which field it lacks', async (entry, field) => {
    const result = await resultOf(entry);
    expect(result).toMatchObject({ state: 'unreadable', problem: expect.stringContaining(field) });
  });

  it('takes a job that the service does not know for vanished', async () => {
    const { baseUrl } = await startService(json({ job_id_to_state: {}, not_found: ['a'] }));
    expect(await aClient(baseUrl).readResults(['a'])).toEqual(
      new Map([['a', { state: 'vanished' }]]),
    );
  });

  it('refuses more than 10 jobs before it sends', async () => {
    const { baseUrl, received } = await startService(json({}));
    const jobIds = Array.from({ length: 11 }, (_, index) => `job-${index}`);
    expect(await rejectionOf(aClient(baseUrl).readResults(jobIds))).toBeInstanceOf(RangeError);
    expect(received).toEqual([]);
  });
});

async function resultOf(entry: unknown) {
  const { baseUrl } = await startService(json({ job_id_to_state: { a: entry } }));
  return (await aClient(baseUrl).readResults(['a'])).get('a');
}
