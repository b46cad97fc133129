import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { signatureHeaders } from '../../../sandbox/hubspot/webhooks/signature.ts';
import { silentLog } from '../../../src/core/log.ts';
import type { HttpEnv } from '../../../src/interfaces/api/request/context.ts';
import { answerError } from '../../../src/interfaces/api/request/errors.ts';
import { recordRequests } from '../../../src/interfaces/api/request/guards.ts';
import { startHttpServer } from '../../../src/interfaces/api/server.ts';
import { listRunRequests } from '../../../src/sync/statements/run-requests.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { until } from '../../jobs/runner-world.ts';
import { errorSchema, type HttpWorld, type HttpWorldOptions, openHttpWorld } from './http-world.ts';

const open = closedAfterTest((options?: HttpWorldOptions) =>
  openHttpWorld({ isIdle: true, ...options }),
);

const START = '/v1/integrations/riverside/runs';

/** Opens a connection that sends only the bytes from the test. */
async function connectTo({ url }: Pick<HttpWorld, 'url'>): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

/** Sends bytes. Returns all bytes that arrive before the other side closes the connection. */
async function sendRaw({ url }: HttpWorld, text: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let answer = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    answer += chunk;
  });
  socket.write(text);
  await once(socket, 'close');
  return answer;
}

describe('errors', () => {
  it('have one body, whatever goes wrong', async () => {
    const here = await open();
    const json = { 'content-type': 'application/json' };
    const cases: [number, string, string, Parameters<HttpWorld['request']>[1]][] = [
      [404, 'not_found', '/nothing', {}],
      [404, 'not_found', '/v1/runs/', {}],
      [405, 'method_not_allowed', '/v1/runs', { method: 'DELETE' }],
      [405, 'method_not_allowed', START, {}],
      [405, 'method_not_allowed', '/healthz', { method: 'POST' }],
      [413, 'body_too_large', START, { method: 'POST', headers: json, body: ' '.repeat(70_000) }],
      [415, 'body_not_json', START, { method: 'POST', body: 'x' }],
    ];
    for (const [status, code, path, options] of cases) {
      const answer = await here.request(path, options);
      const { error } = answer.read(errorSchema);
      expect([answer.status, error.code], path).toEqual([status, code]);
    }
    const refused = await here.request(START, { method: 'PUT' });
    expect(refused.headers.get('allow')).toBe('POST');
  });

  it('are the fault of callers whose addresses or forms are broken, and no alarm', async () => {
    const here = await open();
    for (const path of ['/v1/runs/%00', '/v1/runs?integration=%00', '/runs/%00', '/v1/holds/%00']) {
      expect((await here.request(path)).status, path).toBe(422);
    }
    expect((await here.request('/hooks/%00/x', { method: 'POST' })).status).toBe(422);
    const cursor = Buffer.from('[1,"\\u0000"]').toString('base64url');
    expect((await here.request(`/v1/runs?cursor=${cursor}`)).status).toBe(422);
    for (const type of ['multipart/form-data', 'multipart/form-data; boundary=x']) {
      const headers = { 'content-type': type };
      const answer = await here.request('/sign-in', { method: 'POST', headers, body: 'abc' });
      expect(answer.status, type).toBe(400);
    }
    expect(here.logLines.filter((line) => line.includes('"level":50'))).toEqual([]);
  });

  it('are none of ours if the caller goes away in the middle', async () => {
    const here = await open();
    const socket = connect(Number(new URL(here.url).port), '127.0.0.1');
    socket.write(`POST ${START} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`);
    socket.write('Content-Length: 50\r\n\r\n{');
    socket.end();
    await until(() => here.logLines.some((line) => line.includes('"msg":"http request"')));
    expect(here.logLines.join('')).toContain('"status":400');
    expect(here.logLines.join('')).not.toContain('failed inside');
  });

  it('show no internal details, only the request ID that is also in the log', async () => {
    const app = new Hono<HttpEnv>();
    const logged: unknown[] = [];
    const log = { ...silentLog, error: (facts: unknown) => void logged.push(facts) };
    app.onError((error, c) => answerError(error, c, log));
    app.use(recordRequests({ clock: { now: Date.now }, log }, () => {}));
    app.get('/broken', () => {
      throw new Error('the password is swordfish');
    });
    const answer = await app.request('/broken');
    expect(answer.status).toBe(500);
    const { error } = errorSchema.parse(await answer.json());
    expect(error.code).toBe('internal_error');
    expect(JSON.stringify(error)).not.toContain('swordfish');
    const requestId = answer.headers.get('x-request-id');
    expect(error.message).toContain(requestId);
    expect(logged).toEqual([expect.objectContaining({ requestId })]);
  });
});

describe('every response', () => {
  it('has strict security headers and a request ID, even if it is an error', async () => {
    const here = await open();
    for (const path of ['/v1/runs', '/docs', '/nothing', '/healthz']) {
      const { headers } = await here.request(path);
      expect(headers.get('content-security-policy'), path).toBe(
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      );
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('referrer-policy')).toBe('same-origin');
      expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
      expect(headers.get('strict-transport-security')).toBeNull();
    }
    expect((await here.request('/v1/runs')).headers.get('cache-control')).toBe('no-store');
  });

  it('tells browsers to use https for a year if the public address uses https', async () => {
    const here = await open({ publicUrl: 'https://sync.example.org' });
    const { headers } = await here.request('/healthz');
    expect(headers.get('strict-transport-security')).toBe('max-age=31536000');
  });
});

describe('names of the service', () => {
  it('are this machine, the public one and the bare address; others get 421', async () => {
    const here = await open({ publicUrl: 'https://sync.example.org' });
    const token = await here.addToken('viewer');
    const ask = (host: string, path = '/v1/runs') =>
      sendRaw(
        here,
        `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`,
      );
    for (const host of ['localhost', '127.0.0.1:9', '[::1]:1', 'sync.example.org', 'LOCALHOST']) {
      expect(await ask(host), host).toMatch(/^HTTP\/1.1 200/);
    }
    const strange = ['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', '', 'a@b'];
    for (const host of strange) {
      expect(await ask(host), host).not.toMatch(/^HTTP\/1.1 200/);
    }
    expect(await ask('evil.example')).toContain('421');
    // A monitoring system can reach the service by any host name.
    expect(await ask('10.0.0.7', '/healthz')).toMatch(/^HTTP\/1.1 200/);
  });
});

describe('abusive callers', () => {
  it('are refused if they send a large body, whether they state its size or not', async () => {
    const here = await open();
    const hook = await here.addHook();
    const megabytes = ' '.repeat(10 * 1_024 * 1_024);
    const answer = await here.request(hook, { method: 'POST', body: megabytes });
    expect(answer.status).toBe(413);
    const chunk = `${(70_000).toString(16)}\r\n${' '.repeat(70_000)}\r\n`;
    const unsized = await sendRaw(
      here,
      `POST ${START} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n${chunk}0\r\n\r\n`,
    );
    expect(unsized).toMatch(/^HTTP\/1.1 413/);
    expect(await listRunRequests(here.application.store.reader)).toEqual([]);
  });

  it('make room for others if they open connections and send nothing', async () => {
    const here = await open({ limits: { maxConnections: 2 } });
    const [first, second] = [await connectTo(here), await connectTo(here)];
    const closed = once(first.resume(), 'close');
    const third = await connectTo(here);
    await closed;
    third.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    expect(await text(third)).toMatch(/^HTTP\/1.1 200/);
    expect(second.destroyed).toBe(false);
  });

  it('are turned away if they open connections while all others are being answered', async () => {
    const app = new Hono<HttpEnv>();
    const answers: (() => void)[] = [];
    app.get('/slow', async (c) => {
      await new Promise<void>((resolve) => answers.push(resolve));
      return c.text('done');
    });
    const limits = { maxConnections: 100, maxConnectionsPerAddress: 2 };
    const server = await startHttpServer({ app, host: '127.0.0.1', port: 0, limits });
    const ask = () => fetch(`${server.url}/slow`);
    const slow = [ask(), ask()];
    await until(() => answers.length === 2);
    await expect(ask()).rejects.toThrow();
    for (const answer of answers) answer();
    for (const response of slow) expect(await (await response).text()).toBe('done');
    await server.close();
  });

  it('do not block other callers if they open many connections and send nothing', async () => {
    const here = await open({ limits: { headersTimeoutMs: 60_000, requestTimeoutMs: 60_000 } });
    const silent = await Promise.all(Array.from({ length: 1_000 }, () => connectTo(here)));
    for (const socket of silent) socket.on('error', () => {});
    // Some connections send the start of a request but never complete it.
    for (const socket of silent.slice(-200)) socket.write('GET / HTTP/1.1\r\nHost: loc');
    for (let round = 0; round < 3; round += 1) {
      const answer = await fetch(`${here.url}/healthz`, { headers: { connection: 'close' } });
      expect(answer.status).toBe(200);
    }
    // The allowed connections are still open. The server therefore did not close connections to send its responses.
    expect(silent.filter(({ closed }) => !closed).length).toBeGreaterThanOrEqual(490);
    for (const socket of silent) socket.destroy();
  });

  it('are cut off if they send a request too slowly', async () => {
    const here = await open({
      limits: { headersTimeoutMs: 400, requestTimeoutMs: 500, checkIntervalMs: 20 },
    });
    expect(await sendRaw(here, 'GET /healthz HTTP/1.1\r\nHost: local')).toMatch(/^HTTP\/1.1 408/);
    const head = `POST ${START} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{`;
    expect(await sendRaw(here, head)).not.toMatch(/^HTTP\/1.1 2/);
    expect((await here.request('/healthz')).status).toBe(200);
  });
});

describe('the log', () => {
  it('contains each request, but no token, key, name or webhook address', async () => {
    const here = await open({ isIdle: false, publicUrl: 'http://127.0.0.1:8787' });
    here.crm.addContact({ id: 'planted', firstName: 'Plantedfirst', lastName: 'Plantedlast' });
    const token = await here.addToken('admin');
    const secret = 'planted-client-secret';
    const hook = await here.addHook({ kind: 'hubspot', secret });
    const url = `http://127.0.0.1:8787${hook}?contact=planted`;
    const signed = { method: 'POST', url, body: '', timestampMs: Date.now() };
    const started = await here.request(`${hook}?contact=planted`, {
      method: 'POST',
      headers: signatureHeaders(secret, signed),
    });
    await here.untilEnded(started.read(z.object({ runId: z.string() })).runId);
    const cookie = 'donor_sync_session=planted-cookie';
    const headers = { cookie, 'idempotency-key': 'planted-key' };
    await here.request(START, { method: 'POST', token, headers, body: { contact: 'planted' } });
    await here.request('/v1/runs?cursor=planted-cursor', { token });
    await here.request('/v1/runs', { token: 'planted-wrong-token' });
    await here.request(`/planted-path/${token}`);
    await here.request(`${hook}x`, { method: 'POST' });

    const log = here.logLines.join('');
    expect(log).toContain('/hooks/:integration/:token');
    expect(log).toContain('"status":202');
    const refused = here.logLines.filter((line) => line.includes('"status":401'));
    expect(refused.length).toBeGreaterThan(0);
    // The number 30 is the level `info`, at which a service logs. The log contains refused requests but not
    // successful requests.
    expect(refused.filter((line) => !line.includes('"level":30'))).toEqual([]);
    const answered = here.logLines.filter((line) => line.includes('"status":20'));
    expect(answered.filter((line) => line.includes('"level":30'))).toEqual([]);
    const hookToken = hook.split('/').at(-1) ?? '';
    const secrets = [token, hookToken, here.service.apiKey, secret, 'Planted', 'planted-'];
    expect(secrets.filter((text) => text === '' || log.includes(text))).toEqual([]);
  });
});
