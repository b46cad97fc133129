import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { createPacer } from '../../src/partner/key-pace.ts';
import { holdTimeouts } from '../helpers/held-timeouts.ts';
import { aClient, aPerson, rejectionOf } from './test-client.ts';
import {
  deadBaseUrl,
  json,
  rawAnswer,
  startRawService,
  startService,
  startTestService,
} from './test-service.ts';

const BALANCES = { donors: 1, enhancements: 2, exports: 3, lists: 4, networks: 5, searches: 6 };
const ACCEPTED = {
  status: 202,
  message: 'ok',
  tracking_id_to_job_id: { 'tracking-1': 'job-1' },
  meta: {},
};

describe('a submit', () => {
  it('counts as not charged when no server listens, and is left to the caller', async () => {
    let calls = 0;
    const client = aClient(await deadBaseUrl(), { onCall: () => (calls += 1) });
    const error = await rejectionOf(client.submitEnhancements([aPerson()]));
    expect(calls).toBe(1);
    expect(error).toMatchObject({
      code: 'partner_unavailable',
      kind: 'retriable',
      details: { charged: 'no' },
    });
  });

  it('counts as not charged when the name of the host is unknown', async () => {
    const client = aClient('http://nowhere.invalid/v1/partners');
    const error = await rejectionOf(client.submitEnhancements([aPerson()]));
    expect(error).toMatchObject({ code: 'partner_unavailable', details: { charged: 'no' } });
  });

  it.each([
    ['resets the connection', (socket: { resetAndDestroy(): void }) => socket.resetAndDestroy()],
    ['closes the connection', (socket: { end(): void }) => socket.end()],
  ])('is lost, and sent once, when the service %s without an answer', async (_, answer) => {
    const service = await startRawService(answer);
    const error = await rejectionOf(aClient(service.baseUrl).submitEnhancements([aPerson()]));
    expect(error).toMatchObject({
      code: 'answer_lost',
      kind: 'fatal',
      details: { charged: 'unknown' },
    });
    expect(service.requests()).toBe(1);
  });

  it('is lost, and sent once, when a kept connection is closed under it', async () => {
    const service = await startRawService((socket, request) => {
      if (request === 1) socket.write(rawAnswer(JSON.stringify(BALANCES)));
      else socket.resetAndDestroy();
    });
    const client = aClient(service.baseUrl);
    await client.readCredits();
    const error = await rejectionOf(client.submitEnhancements([aPerson()]));
    expect(error).toMatchObject({ code: 'answer_lost' });
    expect(service.requests()).toBe(2);
  });

  it('is lost when its answer is cut short', async () => {
    const body = JSON.stringify(ACCEPTED);
    const service = await startRawService((socket) => {
      socket.end(rawAnswer(body.slice(0, 40), body.length, '202 Accepted'));
    });
    const error = await rejectionOf(aClient(service.baseUrl).submitEnhancements([aPerson()]));
    expect(error).toMatchObject({ code: 'answer_lost' });
    expect(service.requests()).toBe(1);
  });

  it('is refused, not lost, when only the explanation of a 402 is cut short', async () => {
    const service = await startRawService((socket) => {
      socket.end(rawAnswer('{"err', 100, '402 Payment Required'));
    });
    const error = await rejectionOf(aClient(service.baseUrl).submitEnhancements([aPerson()]));
    expect(error).toMatchObject({ code: 'credits_exhausted' });
  });

  it('is lost when no answer comes in time', async () => {
    const timeouts = holdTimeouts();
    const service = await startRawService(() => timeouts.pass(50));
    const client = aClient(service.baseUrl, { submitTimeoutMs: 50 });
    const error = await rejectionOf(client.submitEnhancements([aPerson()]));
    expect(error).toMatchObject({ code: 'answer_lost' });
    expect(service.requests()).toBe(1);
  });

  it('is lost when only the head of its answer comes in time', async () => {
    const service = await startRawService((socket) => socket.write(rawAnswer('{', 100)));
    const client = aClient(service.baseUrl, { submitTimeoutMs: 100 });
    const error = await rejectionOf(client.submitEnhancements([aPerson()]));
    expect(error).toMatchObject({ code: 'answer_lost' });
  });

  it.each([
    ['a 502', () => new Response('Bad Gateway', { status: 502 })],
    ['a 504', json({ detail: 'Gateway Timeout' }, 504)],
    ['a 500 that is not the documented one', () => new Response('<h1>Oops</h1>', { status: 500 })],
    [
      'a page instead of JSON',
      () => new Response('<html>', { headers: { 'content-type': 'text/html' } }),
    ],
    [
      'JSON that says it is a page',
      () => new Response(JSON.stringify(ACCEPTED), { headers: { 'content-type': 'text/html' } }),
    ],
    ['an empty 202', () => new Response(null, { status: 202 })],
    ['a 202 without ids', json({ status: 202, message: 'ok' }, 202)],
    ['a 202 with the ids of others', json({ ...ACCEPTED, tracking_id_to_job_id: { x: 'y' } }, 202)],
    ['a 303', () => new Response(null, { status: 303, headers: { location: '/' } })],
  ])('is lost, and sent once, when the answer is %s', async (_, answer) => {
    const { baseUrl, received } = await startService(answer);
    const error = await rejectionOf(aClient(baseUrl).submitEnhancements([aPerson()]));
    expect(error).toMatchObject({ code: 'answer_lost', details: { charged: 'unknown' } });
    expect(received).toHaveLength(1);
  });

  it('is lost when it is stopped on its way', async () => {
    const stop = new AbortController();
    const service = await startRawService(() => stop.abort('shutting down'));
    const error = await rejectionOf(
      aClient(service.baseUrl).submitEnhancements([aPerson()], stop.signal),
    );
    expect(error).toMatchObject({ code: 'answer_lost' });
  });

  it('rejects with the reason of its signal when it is stopped before it leaves', async () => {
    const { baseUrl, received } = await startService(json(ACCEPTED, 202));
    const submitted = aClient(baseUrl).submitEnhancements(
      [aPerson()],
      AbortSignal.abort('shutting down'),
    );
    expect(await rejectionOf(submitted)).toBe('shutting down');
    expect(received).toEqual([]);
  });
});

describe('a free call', () => {
  it('is sent again when the connection is reset', async () => {
    const service = await startRawService((socket, request) => {
      if (request < 3) socket.resetAndDestroy();
      else socket.write(rawAnswer(JSON.stringify(BALANCES)));
    });
    expect(await aClient(service.baseUrl).readCredits()).toEqual(BALANCES);
    expect(service.requests()).toBe(3);
  });

  it('is sent again when its answer is cut short', async () => {
    const body = JSON.stringify(BALANCES);
    const service = await startRawService((socket, request) => {
      if (request === 1) socket.end(rawAnswer(body.slice(0, 20), body.length));
      else socket.write(rawAnswer(body));
    });
    expect(await aClient(service.baseUrl).readCredits()).toEqual(BALANCES);
  });

  it('is sent again when its answer is no JSON', async () => {
    const { baseUrl } = await startService(() => new Response('<html>'), json(BALANCES));
    expect(await aClient(baseUrl).readCredits()).toEqual(BALANCES);
  });

  it('is unavailable when each try takes too long', async () => {
    const timeouts = holdTimeouts();
    const service = await startRawService(() => timeouts.pass(50));
    const error = await rejectionOf(
      aClient(service.baseUrl, { requestTimeoutMs: 50 }).readCredits(),
    );
    expect(error).toMatchObject({ code: 'partner_unavailable', details: { status: null } });
    expect(service.requests()).toBe(5);
  });

  it('rejects with the reason of its signal when it is stopped on its way', async () => {
    const stop = new AbortController();
    const service = await startRawService(() => stop.abort('shutting down'));
    expect(await rejectionOf(aClient(service.baseUrl).readCredits(stop.signal))).toBe(
      'shutting down',
    );
    expect(service.requests()).toBe(1);
  });

  it('does not read a body without end', async () => {
    const chunk = new Uint8Array(1024 * 1024);
    const endless = () =>
      new Response(new ReadableStream({ pull: (controller) => controller.enqueue(chunk) }));
    const { baseUrl } = await startService(endless, json(BALANCES));
    const statuses: unknown[] = [];
    const client = aClient(baseUrl, { onCall: ({ status }) => statuses.push(status) });
    expect(await client.readCredits()).toEqual(BALANCES);
    expect(statuses).toEqual([200, 200]);
  });
});

describe('the line', () => {
  it('keeps its connections for the calls that follow', async () => {
    const service = await startRawService((socket) =>
      socket.write(rawAnswer(JSON.stringify(BALANCES))),
    );
    const client = aClient(service.baseUrl);
    for (let call = 0; call < 10; call++) await client.readCredits();
    expect(service.requests()).toBe(10);
    // The next call can start a moment before the previous call's connection is free.
    expect(service.connections()).toBeLessThanOrEqual(2);
  });

  it('leaves nothing behind on a signal that lives longer than the calls', async () => {
    const { baseUrl } = await startService(json(BALANCES));
    const { signal } = new AbortController();
    const client = aClient(baseUrl, {
      pacer: createPacer({ clock: systemClock, ratePerSecond: 100 }),
    });
    await Promise.all(Array.from({ length: 10 }, () => client.readCredits(signal)));
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('sends the key with every request', async () => {
    const { baseUrl, received } = await startTestService(() => Response.json(BALANCES));
    await aClient(baseUrl, { apiKey: '  padded-key ' }).readCredits();
    expect(received).toEqual([
      { method: 'GET', path: '/credits', query: '', apiKey: 'padded-key', body: undefined },
    ]);
  });
});
