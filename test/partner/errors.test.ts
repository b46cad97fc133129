import { describe, expect, it } from 'vitest';
import { DonorSyncError } from '../../src/core/errors.ts';
import {
  blamedPersons,
  CreditsExhausted,
  chargedBy,
  PartnerKeyExpired,
  PartnerThrottled,
  PartnerValidationError,
} from '../../src/partner/errors.ts';
import {
  aClient,
  aPerson,
  createHastyClock,
  createNotedLog,
  rejectionOf,
  TEST_KEY,
} from './test-client.ts';
import { json, startService } from './test-service.ts';

const EXHAUSTED = {
  error: 'insufficient_partner_api_credits',
  message: 'No credits left',
  bucket: 'enhancements',
  available_credits: 0,
};

describe('the errors of the service document, section 7', () => {
  it.each([
    [400, { detail: 'Too many items' }, 'partner_bad_request', 'skippable'],
    [401, { detail: 'Key expired on 2026-11-19' }, 'partner_key_expired', 'configuration'],
    [402, EXHAUSTED, 'credits_exhausted', 'configuration'],
    [403, { message: 'Forbidden' }, 'partner_key_rejected', 'configuration'],
    [404, { detail: 'Not Found' }, 'partner_endpoint_missing', 'configuration'],
    [405, { detail: 'Method Not Allowed' }, 'partner_endpoint_missing', 'configuration'],
    [409, { detail: 'Conflict' }, 'partner_bad_request', 'skippable'],
    [422, { detail: [] }, 'partner_validation', 'skippable'],
    [429, { detail: 'Rate limit exceeded' }, 'partner_throttled', 'retriable'],
    [500, { detail: 'Internal Server Error' }, 'partner_server_error', 'retriable'],
  ])(
    'makes a %i to a submit a known kind that was not charged',
    async (status, body, code, kind) => {
      const { baseUrl } = await startService(json(body, status));
      const error = await rejectionOf(aClient(baseUrl).submitEnhancements([aPerson()]));
      expect(error).toMatchObject({ code, kind, details: { status, charged: 'no' } });
      expect(chargedBy(error)).toBe('no');
    },
  );

  it.each([502, 503, 504])('makes a lasting %i to a free call "unavailable"', async (status) => {
    const { baseUrl } = await startService(() => new Response('Bad Gateway', { status }));
    const error = await rejectionOf(aClient(baseUrl).readCredits());
    expect(error).toMatchObject({
      code: 'partner_unavailable',
      kind: 'retriable',
      details: { status },
    });
  });

  it('does not send to where a redirect points', async () => {
    const elsewhere = await startService(json({}));
    const { baseUrl } = await startService(
      () =>
        new Response(null, { status: 302, headers: { location: `${elsewhere.baseUrl}/credits` } }),
    );
    const error = await rejectionOf(aClient(baseUrl).readCredits());
    expect(error).toMatchObject({ code: 'partner_redirected', kind: 'configuration' });
    expect(elsewhere.received).toEqual([]);
  });
});

describe('PartnerKeyExpired', () => {
  it.each([
    ['Your API key expired on 2026-11-19. Please request a new key.', '2026-11-19'],
    ['API key expired on 2026-11-19T23:59:59Z and a new key is to be requested', '2026-11-19'],
    ['The key expired on November 19, 2026 and a new key must be requested.', '2026-11-19'],
    ['The key expired on 19 November 2026; request a new key.', '2026-11-19'],
    ['The key has expired.', null],
  ])('finds the day in "%s"', async (detail, expiredOn) => {
    const { baseUrl } = await startService(json({ detail }, 401));
    const error = await rejectionOf(aClient(baseUrl).test());
    expect(error).toBeInstanceOf(PartnerKeyExpired);
    expect(error).toMatchObject({ expiredOn });
  });
});

describe('CreditsExhausted', () => {
  it('says which bucket is empty and what is left in it', async () => {
    const { baseUrl } = await startService(json(EXHAUSTED, 402));
    const error = await rejectionOf(aClient(baseUrl).submitEnhancements([aPerson()]));
    expect(error).toMatchObject({ bucket: 'enhancements', availableCredits: 0 });
  });

  it('is recognized by its status though the body says nothing, and means the bucket that is charged', async () => {
    const { baseUrl } = await startService(() => new Response('', { status: 402 }));
    const error = await rejectionOf(aClient(baseUrl).submitEnhancements([aPerson()]));
    expect(error).toBeInstanceOf(CreditsExhausted);
    expect(error).toMatchObject({ bucket: 'enhancements', availableCredits: null });
  });
});

describe('PartnerValidationError', () => {
  it('tells which persons are to blame, each once and in order', async () => {
    const items = [
      { type: 'missing', loc: ['body', 'persons', 7, 'name', 'last'], msg: 'm', input: {} },
      { type: 'missing', loc: ['body', 'persons', 2, 'name'], msg: 'm', input: {} },
      { type: 'string_type', loc: ['body', 'persons', 7, 'addresses', 0], msg: 'm', input: 4 },
    ];
    const { baseUrl } = await startService(json({ detail: items }, 422));
    const error = await rejectionOf(aClient(baseUrl).submitEnhancements([aPerson()]));
    expect(error instanceof PartnerValidationError && blamedPersons(error)).toEqual([2, 7]);
  });

  it('blames no person when the whole request is wrong', () => {
    const loc = ['body', 'persons'];
    const error = new PartnerValidationError('POST /enhancements', [{ type: 'too_long', loc }]);
    expect(blamedPersons(error)).toEqual([]);
  });
});

describe('retrying', () => {
  it('waits 2, 4, 8 and 16 seconds on 429 and gives up after five tries', async () => {
    const clock = createHastyClock();
    const { baseUrl, received } = await startService(json({ detail: 'Rate limit exceeded' }, 429));
    const error = await rejectionOf(aClient(baseUrl, { clock }).submitEnhancements([aPerson()]));
    expect(error).toBeInstanceOf(PartnerThrottled);
    expect(received).toHaveLength(5);
    expectWaits(clock.slept, [2_000, 4_000, 8_000, 16_000]);
  });

  it('obeys Retry-After on 429', async () => {
    const clock = createHastyClock();
    const { baseUrl } = await startService(
      json({ detail: 'Rate limit exceeded' }, 429, { 'retry-after': '7' }),
      json({ status: 202, tracking_id_to_job_id: { 'tracking-1': 'job-1' }, meta: {} }, 202),
    );
    await aClient(baseUrl, { clock }).submitEnhancements([aPerson()]);
    expectWaits(clock.slept, [7_000]);
  });

  it('makes all who use the key wait after a 429, and none after a 503', async () => {
    const clock = { now: () => 1_000_000, monotonicMs: () => 0, sleep: async () => {} };
    const pauses: number[] = [];
    const pacer = {
      take: async () => () => {},
      pause: (ms: number) => pauses.push(ms),
      keepLimit() {},
    };
    const { baseUrl } = await startService(
      () => new Response('', { status: 503 }),
      json({}, 429, { 'retry-after': '3' }),
      json({}, 403),
    );
    await rejectionOf(aClient(baseUrl, { clock, pacer }).readCredits());
    expect(pauses).toEqual([3_000]);
  });

  it('rejects with the reason of the signal when a throttled submit is stopped', async () => {
    const stop = new AbortController();
    const { baseUrl, received } = await startService(json({}, 429));
    const onCall = () => stop.abort('shutting down');
    const submitted = aClient(baseUrl, { onCall }).submitEnhancements([aPerson()], stop.signal);
    expect(await rejectionOf(submitted)).toBe('shutting down');
    expect(received).toHaveLength(1);
  });

  it('gives up at once on a Retry-After of an hour, and says how long it is', async () => {
    const { baseUrl, received } = await startService(json({}, 429, { 'retry-after': '3600' }));
    const error = await rejectionOf(aClient(baseUrl).readCredits());
    expect(error).toMatchObject({ code: 'partner_throttled', retryAfterMs: 3_600_000 });
    expect(received).toHaveLength(1);
  });

  it('sends a submit once more after a documented 500, and then takes the answer', async () => {
    const { baseUrl, received } = await startService(
      json({ detail: 'Internal Server Error' }, 500),
      json({ status: 202, tracking_id_to_job_id: { 'tracking-1': 'job-1' }, meta: {} }, 202),
    );
    const submission = await aClient(baseUrl).submitEnhancements([aPerson()]);
    expect(submission.jobIds.get('tracking-1')).toBe('job-1');
    expect(received).toHaveLength(2);
  });

  it('tries a free call up to five times when a gateway answers', async () => {
    const { baseUrl, received } = await startService(() => new Response('', { status: 503 }));
    await rejectionOf(aClient(baseUrl).readCredits());
    expect(received).toHaveLength(5);
  });

  it('tells the counter about every request, the throttled ones marked', async () => {
    const calls: unknown[] = [];
    const { baseUrl } = await startService(json({}, 429), json({}, 403));
    await rejectionOf(aClient(baseUrl, { onCall: (call) => calls.push(call) }).readCredits());
    expect(calls).toEqual([
      { endpoint: 'GET /credits', status: 429, throttled: true, durationMs: expect.any(Number) },
      { endpoint: 'GET /credits', status: 403, throttled: false, durationMs: expect.any(Number) },
    ]);
  });
});

describe('discretion', () => {
  const person = aPerson({ firstName: 'Zebulon', lastName: 'Quartermain' });
  const personal = `Zebulon Quartermain of 12 Elm Street sent ${TEST_KEY}`;
  const item = {
    type: 'missing',
    loc: ['body', 'persons', 0, 'name'],
    msg: personal,
    input: personal,
  };

  it.each([
    [400, { detail: personal }],
    [401, { detail: `${personal}, expired on ${personal}` }],
    [402, { ...EXHAUSTED, message: personal }],
    [403, { message: personal }],
    [404, { detail: personal }],
    [422, { detail: [item] }],
    [429, { detail: personal }],
    [500, { detail: personal }],
    [503, { detail: personal }],
    [200, { message: personal, tracking_id_to_job_id: personal }],
    [200, `${personal} is no JSON`],
  ])('keeps the key and the person out of errors and logs of a %i', async (status, body) => {
    const log = createNotedLog();
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const { baseUrl } = await startService(
      () => new Response(text, { status, headers: { 'content-type': 'application/json' } }),
    );
    const client = aClient(baseUrl, { log });
    const lost = await rejectionOf(client.submitEnhancements([person]));
    const unread = await rejectionOf(client.readCredits());
    const kept = [...log.notes, ...everythingIn(lost), ...everythingIn(unread)].join('\n');
    expect(kept).toContain('/credits');
    expect(kept).not.toMatch(/Zebulon|Quartermain|Elm Street/);
    expect(kept).not.toContain(TEST_KEY);
  });
});

/** The tolerance of a few milliseconds covers the pacer's own waits. */
function expectWaits(slept: readonly number[], expected: readonly number[]): void {
  const longWaits = slept.filter((ms) => ms > 500).map((ms) => Math.round(ms / 500) * 500);
  expect(longWaits).toEqual(expected);
}

/** Returns everything in an error that a log or a report could show, including its causes. */
function everythingIn(error: unknown): string[] {
  if (!(error instanceof Error)) return [String(error)];
  const own = error instanceof DonorSyncError ? JSON.stringify(error) : '';
  const cause = error.cause === undefined ? [] : everythingIn(error.cause);
  return [error.message, error.stack ?? '', own, ...cause];
}
