/** Tests requests through the proxies in the environment variables. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { describeProxies, readProxies } from '../../src/outbound/proxy.ts';

const ROOT = join(import.meta.dirname, '../..');

/** The certificate of a host that no resolver knows. Only the proxy can reach this host. */
const TLS = join(ROOT, 'test/fixtures/tls');
const CERTIFICATE = join(TLS, 'certificate.pem');
const HOST = 'crm.example.org';

const TOKEN = 'a-token-that-no-proxy-sees';
const NAME = 'Wilhelmina-Marked-Name';

const open: Server[] = [];
afterEach(() => {
  for (const server of open.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function listen<Kind extends Server>(server: Kind): Promise<number> {
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** Starts a HubSpot stand-in behind TLS, with one contact. Records the requests it receives. */
async function startHubspot() {
  const received: { path: string; token: string | undefined; body: string }[] = [];
  const options = { cert: readFileSync(CERTIFICATE), key: readFileSync(join(TLS, 'key.pem')) };
  const server = createTlsServer(options, async (request, response) => {
    const { url: path = '', headers } = request;
    received.push({ path, token: headers.authorization, body: await text(request) });
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ portalId: 1, results: [{ id: '1', properties: {} }] }));
  });
  return { port: await listen(server), received };
}

/** Starts a proxy that records all forwarded bytes. `refuses` is the status with which it refuses connections. */
async function startProxy(target: number, refuses?: number) {
  const asked: { host: string; password: string | undefined }[] = [];
  const bytes: Buffer[] = [];
  const plain: string[] = [];
  const server = createServer((request, response) => {
    plain.push(`${request.method} ${request.url}`);
    response.writeHead(502).end();
  });
  server.on('connect', (request, socket, head) => {
    asked.push({ host: request.url ?? '', password: request.headers['proxy-authorization'] });
    bytes.push(Buffer.from(JSON.stringify(request.headers)), head);
    if (refuses !== undefined) {
      socket.end(`HTTP/1.1 ${refuses} Refused\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    const there = connect(target, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      for (const [from, to] of [
        [socket, there],
        [there, socket],
      ] as const) {
        from.on('data', (chunk: Buffer) => bytes.push(chunk));
        from.on('error', () => to.destroy());
        from.pipe(to);
      }
    });
  });
  const port = await listen(server);
  return { port, asked, plain, seen: () => Buffer.concat(bytes).toString('latin1') };
}

/**
 * A program that writes a contact through the HubSpot connector, and sends a request as the service's client does.
 * Prints the results of both calls.
 */
const SEND = `
  const { createApi } = await import(${JSON.stringify(toUrl('connectors/hubspot/api.ts'))});
  const { createPacerRegistry } = await import(${JSON.stringify(toUrl('connectors/hubspot/pacers.ts'))});
  const { hubspotSettingsSchema } = await import(${JSON.stringify(toUrl('connectors/hubspot/settings.ts'))});
  const { testDeps } = await import(${JSON.stringify(toUrl('connectors/testing/conformance.ts'))});
  const { systemClock } = await import(${JSON.stringify(toUrl('src/core/clock.ts'))});
  const { exchange } = await import(${JSON.stringify(toUrl('src/outbound/exchange.ts'))});
  const { outboundFetch } = await import(${JSON.stringify(toUrl('src/outbound/guard.ts'))});
  const { url, token, name, reach } = JSON.parse(process.argv[1]);
  const settings = hubspotSettingsSchema.parse({ kind: 'hubspot', url, auth: { type: 'token', token } });
  const deps = { ...testDeps(), clock: { now: systemClock.now, sleep: async () => {} } };
  const pacers = createPacerRegistry(systemClock);
  const api = createApi(settings, deps, { fetch: outboundFetch(reach), random: () => 0, pacers });
  const end = await api.updateContacts([{ id: '1', properties: { firstname: name } }]).then(
    () => ({ sent: true }),
    ({ code, message }) => ({ sent: false, code, message }),
  );
  const request = { method: 'POST', url, headers: {}, body: '{}' };
  const { kind } = await exchange({ fetch: outboundFetch(reach), timeoutMs: 10_000 }, request);
  console.log(JSON.stringify({ ...end, kind }));
`;

const SENT = { sent: true, kind: 'answered' };

function toUrl(file: string): string {
  return pathToFileURL(join(ROOT, file)).href;
}

async function send(
  env: Readonly<Record<string, string>>,
  { url = `https://${HOST}`, reach = 'anywhere' }: { url?: string; reach?: unknown } = {},
): Promise<{ sent: boolean; kind: string; code?: string; message?: string }> {
  const order = JSON.stringify({ url, token: TOKEN, name: NAME, reach });
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', SEND, order], {
    env: { PATH, NODE_EXTRA_CA_CERTS: CERTIFICATE, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(await text(child.stdout));
}

describe('requests through a proxy', () => {
  it('lead through a tunnel in which the proxy sees neither a token nor a body', async () => {
    const hubspot = await startHubspot();
    const proxy = await startProxy(hubspot.port);
    const end = await send({ HTTPS_PROXY: `http://donor:secret@127.0.0.1:${proxy.port}` });
    expect(end).toEqual(SENT);
    const password = `Basic ${Buffer.from('donor:secret').toString('base64')}`;
    expect(new Set(proxy.asked.map((one) => JSON.stringify(one)))).toEqual(
      new Set([JSON.stringify({ host: `${HOST}:443`, password })]),
    );
    expect(proxy.plain).toEqual([]);
    const written = hubspot.received.find(({ path }) => path.endsWith('/batch/update'));
    expect(written).toMatchObject({ token: `Bearer ${TOKEN}` });
    expect(written?.body).toContain(NAME);
    expect(proxy.seen().length).toBeGreaterThan(1_000);
    for (const secret of [TOKEN, NAME, 'Bearer', '/crm/'])
      expect(proxy.seen()).not.toContain(secret);
  });

  it('are checked by their address if it was set in a browser, and pinned to none', async () => {
    const hubspot = await startHubspot();
    const proxy = await startProxy(hubspot.port);
    const env = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` };
    const reach = { named: { origins: [], hosts: [] } };
    expect(await send(env, { reach })).toEqual(SENT);
    for (const url of ['https://10.0.0.7', 'https://crm.internal', `http://${HOST}`]) {
      expect(await send(env, { reach, url })).toMatchObject({ code: 'address_refused' });
    }
    expect(new Set(proxy.asked.map(({ host }) => host))).toEqual(new Set([`${HOST}:443`]));
  });

  it.each([403, 407, 502])('were certainly not sent if the proxy answers %i', async (status) => {
    const hubspot = await startHubspot();
    const proxy = await startProxy(hubspot.port, status);
    expect(await send({ https_proxy: `127.0.0.1:${proxy.port}` })).toMatchObject({
      sent: false,
      kind: 'unsent',
      code: 'crm_unavailable',
    });
    expect(proxy.asked.length).toBeGreaterThan(0);
    expect(hubspot.received).toEqual([]);
  });

  it.each([
    ['hosts of NO_PROXY', { NO_PROXY: 'other.example.org, .example.org' }, `https://${HOST}`],
    ['this machine', {}, 'https://localhost:9'],
  ])('are not made for %s', async (_, more, url) => {
    const proxy = await startProxy(9);
    const address = `http://127.0.0.1:${proxy.port}`;
    const env = { HTTPS_PROXY: address, HTTP_PROXY: address, ...more };
    expect(await send(env, { url })).toMatchObject({ sent: false, code: 'crm_unavailable' });
    expect(proxy.asked).toEqual([]);
  });

  it('lead through the tunnel by plain http as well', async () => {
    const target = await listen(
      createServer((_, response) => response.end('{"portalId":1,"results":[]}')),
    );
    const proxy = await startProxy(target);
    const env = { HTTP_PROXY: `http://127.0.0.1:${proxy.port}` };
    expect(await send(env, { url: `http://${HOST}` })).toEqual(SENT);
    expect(proxy.plain).toEqual([]);
    expect(new Set(proxy.asked.map(({ host }) => host))).toEqual(new Set([`${HOST}:80`]));
  });

  it('are refused whole where the variable holds no address, without showing it', async () => {
    const end = await send({ HTTPS_PROXY: 'ftp://donor:secret@proxy' });
    expect(end).toMatchObject({ sent: false, code: 'proxy_invalid' });
    expect(JSON.stringify(end)).toContain('HTTPS_PROXY');
    expect(JSON.stringify(end)).not.toContain('secret');
  });
});

describe('the proxies of an environment', () => {
  it('are none without a variable, or with an empty one', () => {
    expect(readProxies({})).toBeNull();
    expect(readProxies({ HTTPS_PROXY: '', NO_PROXY: '*' })).toBeNull();
  });

  it('are read in either spelling, of which the lower one wins', () => {
    const env = { HTTPS_PROXY: 'http://upper.example.org', https_proxy: 'lower.example.org:3128' };
    expect(readProxies(env)).toMatchObject({ httpsProxy: 'http://lower.example.org:3128' });
  });

  it('are described without their passwords', () => {
    const env = { HTTPS_PROXY: 'http://donor:secret@proxy.example.org:3128' };
    const proxies = readProxies(env);
    expect(proxies && describeProxies(proxies)).toBe('proxy.example.org:3128 (HTTPS_PROXY)');
  });
});
