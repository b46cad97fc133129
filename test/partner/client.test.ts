import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type PartnerSandbox, startPartnerSandbox } from '../../sandbox/partner/index.ts';
import { systemClock } from '../../src/core/clock.ts';
import { ConfigurationError } from '../../src/core/errors.ts';
import { silentLog } from '../../src/core/log.ts';
import { createPartnerClient, type PartnerClient } from '../../src/partner/client.ts';
import { chargedBy } from '../../src/partner/errors.ts';
import type { JobResult } from '../../src/partner/results.ts';
import { aClient, aPerson, rejectionOf } from './test-client.ts';

describe('createPartnerClient', () => {
  const deps = { clock: systemClock, log: silentLog };

  it.each(['', 'partners.example', 'ftp://x/v1', 'https://u:secret@x/v1', 'https://x/v1?key=1'])(
    'refuses "%s" as a base URL',
    (baseUrl) => {
      expect(() => createPartnerClient({ ...deps, baseUrl, apiKey: 'k' })).toThrow(
        ConfigurationError,
      );
    },
  );

  it.each(['', ' ', 'two\nlines', 'bad key', 'ключ'])(
    'refuses a malformed key without quoting it',
    (apiKey) => {
      const create = () =>
        createPartnerClient({ ...deps, baseUrl: 'https://x/v1/partners', apiKey });
      expect(create).toThrow(
        'partner.apiKey is empty or has characters that never occur in a key. Copy it again.',
      );
    },
  );
});

describe.each([
  ['both path forms', { a: true, b: true }],
  ['the form at the base URL alone', { a: true, b: false }],
  ['the form under /enhancements alone', { a: false, b: true }],
])('a client of a service with %s', (_, forms) => {
  let sandbox: PartnerSandbox;
  beforeAll(async () => {
    sandbox = await startPartnerSandbox({
      donors: 200,
      jobTimeMs: 10,
      rate: 0,
      credits: 30,
      forms,
    });
  });
  afterAll(() => sandbox.close());

  it('goes the whole way of a contact', async () => {
    const client = aClient(`${sandbox.baseUrl}/`, { apiKey: sandbox.apiKey });
    await client.test();
    const { findings, published } = await client.discover();
    expect(published).toBe(true);
    expect(findings.every(({ source }) => source === 'published')).toBe(true);
    const { submission, results } = await enhance(client, await peopleOf(sandbox, 10));
    expect(submission).toMatchObject({ requested: 10, processed: 10, partialReason: null });
    const profiles = [...results.values()].filter(({ state }) => state === 'completed');
    expect(profiles.length).toBeGreaterThan(0);
    expect(profiles[0]).toMatchObject({
      profile: { donorId: expect.stringMatching(/^[0-9a-f]{32}$/) },
    });
  });

  it('does the same without having read the description of the service', async () => {
    const client = aClient(sandbox.baseUrl, { apiKey: sandbox.apiKey });
    const before = await client.readCredits();
    const { results } = await enhance(client, await peopleOf(sandbox, 3));
    expect(results.size).toBe(3);
    expect((await client.readCredits()).enhancements).toBe(before.enhancements - 3);
  });

  it('is given how many persons the last credits paid for, and then that they are gone', async () => {
    const client = aClient(sandbox.baseUrl, { apiKey: sandbox.apiKey });
    const { enhancements } = await client.readCredits();
    const people = await peopleOf(sandbox, enhancements + 5);
    const submission = await client.submitEnhancements(people);
    expect(submission).toMatchObject({ processed: enhancements, requested: enhancements + 5 });
    expect(submission.partialReason).not.toBeNull();
    expect([...submission.jobIds.keys()]).toEqual(
      people.slice(0, enhancements).map(({ trackingId }) => trackingId),
    );
    const error = await rejectionOf(client.submitEnhancements(people));
    expect(error).toMatchObject({
      code: 'credits_exhausted',
      bucket: 'enhancements',
      availableCredits: 0,
    });
  });
});

describe('a client of a service with faults', () => {
  let sandbox: PartnerSandbox;
  beforeAll(async () => {
    sandbox = await startPartnerSandbox({ donors: 200, jobTimeMs: 10, rate: 0 });
  });
  afterAll(() => sandbox.close());

  it.each([
    [{ kind: 'resetBefore' }, 0],
    [{ kind: 'resetAfter' }, 1],
    [{ kind: 'truncate' }, 1],
    [{ kind: 'contentType' }, 1],
    [{ kind: 'gatewayError', status: 502 }, 0],
  ])(
    'cannot tell whether a submit that met %j was charged, and sends it once',
    async (fault, spent) => {
      const client = aClient(sandbox.baseUrl, { apiKey: sandbox.apiKey });
      const before = await client.readCredits();
      await playFaults(sandbox, [{ on: { path: '/enhancements' }, fault }]);
      const error = await rejectionOf(client.submitEnhancements([aPerson()]));
      await playFaults(sandbox, []);
      expect(chargedBy(error)).toBe('unknown');
      expect((await client.readCredits()).enhancements).toBe(before.enhancements - spent);
    },
  );

  it('gets through a documented 500 and is charged once', async () => {
    const client = aClient(sandbox.baseUrl, { apiKey: sandbox.apiKey });
    const before = await client.readCredits();
    await playFaults(sandbox, [
      { on: { path: '/enhancements' }, nth: 1, fault: { kind: 'error' } },
    ]);
    await client.submitEnhancements([aPerson()]);
    await playFaults(sandbox, []);
    expect((await client.readCredits()).enhancements).toBe(before.enhancements - 1);
  });

  it.each([
    'resetBefore',
    'resetAfter',
    'truncate',
    'contentType',
    'error',
    'throttle',
    'extraFields',
  ])('reads results though every other answer meets "%s"', async (kind) => {
    const client = aClient(sandbox.baseUrl, { apiKey: sandbox.apiKey });
    await playFaults(sandbox, [
      { on: { path: '/enhancements/*/batch' }, every: 2, fault: { kind } },
    ]);
    const { results } = await enhance(client, await peopleOf(sandbox, 5));
    await playFaults(sandbox, []);
    expect(results.size).toBe(5);
  });

  it('takes vanished jobs and unknown states for what they are', async () => {
    const client = aClient(sandbox.baseUrl, { apiKey: sandbox.apiKey });
    const { jobIds } = await client.submitEnhancements([aPerson()]);
    const ids = [...jobIds.values()];
    await playFaults(sandbox, [{ fault: { kind: 'jobsVanish' } }]);
    expect([...(await client.readProgress(ids)).values()]).toEqual([{ state: 'vanished' }]);
    expect([...(await client.readResults(ids)).values()]).toEqual([{ state: 'vanished' }]);
    await playFaults(sandbox, [{ fault: { kind: 'jobState', state: 'queued' } }]);
    expect([...(await client.readProgress(ids)).values()]).toMatchObject([{ state: 'processing' }]);
    await playFaults(sandbox, []);
  });

  it('blames the one person without a name', async () => {
    const client = aClient(sandbox.baseUrl, { apiKey: sandbox.apiKey });
    const people = [
      aPerson({ trackingId: 't1' }),
      aPerson({ trackingId: 't2', firstName: '', lastName: '' }),
    ];
    const error = await rejectionOf(client.submitEnhancements(people));
    expect(error).toMatchObject({
      code: 'partner_validation',
      items: [{ loc: ['body', 'persons', 1, 'name'] }],
    });
  });
});

describe('a client at its default pace', () => {
  it('meets no 429 of the documented limit, with many callers at once', async () => {
    const sandbox = await startPartnerSandbox({ donors: 50 });
    const throttled: boolean[] = [];
    const client = createPartnerClient({
      baseUrl: sandbox.baseUrl,
      apiKey: sandbox.apiKey,
      clock: systemClock,
      log: silentLog,
      onCall: (call) => throttled.push(call.throttled),
    });
    await Promise.all(Array.from({ length: 40 }, () => client.readCredits()));
    await sandbox.close();
    expect(throttled).toEqual(Array.from({ length: 40 }, () => false));
  });
});

const peopleSchema = z.object({
  people: z.array(z.object({ firstName: z.string().nullable(), lastName: z.string().nullable() })),
});

/** Returns the first people in the sandbox's contact list, in the form for a submission. */
async function peopleOf(sandbox: PartnerSandbox, count: number) {
  const reply = await fetch(`${sandbox.rootUrl}/_sandbox/people?limit=${count}`);
  const { people } = peopleSchema.parse(await reply.json());
  return people.map(({ firstName, lastName }, index) =>
    aPerson({
      trackingId: `t${index}`,
      firstName: firstName ?? 'A',
      lastName: lastName ?? 'B',
      addresses: [],
      employers: [],
    }),
  );
}

/** The maximum number of polls. The jobs in these tests need far fewer. */
const MAX_POLLS = 1_000;

async function enhance(client: PartnerClient, people: ReturnType<typeof aPerson>[]) {
  const submission = await client.submitEnhancements(people);
  const ids = [...submission.jobIds.values()];
  let running = true;
  for (let poll = 0; poll < MAX_POLLS && running; poll++) {
    await systemClock.sleep(10);
    const progress = await client.readProgress(ids);
    running = [...progress.values()].some(({ state }) => state === 'processing');
  }
  const results: Map<string, JobResult> = await client.readResults(ids);
  return { submission, results };
}

async function playFaults(sandbox: PartnerSandbox, rules: readonly unknown[]): Promise<void> {
  const reply = await fetch(`${sandbox.rootUrl}/_sandbox/faults`, {
    method: 'PUT',
    body: JSON.stringify(rules),
    headers: { 'content-type': 'application/json' },
  });
  expect(reply.status).toBe(200);
}
