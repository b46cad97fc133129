import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server as TcpServer,
} from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import {
  exchange,
  MAX_ANSWER_BYTES,
  type Outgoing,
  type SendRequest,
  type Way,
} from '../../src/outbound/exchange.ts';
import { outboundSend } from '../../src/outbound/guard.ts';
import { holdTimeouts } from '../helpers/held-timeouts.ts';

const open: { close(): void }[] = [];
afterEach(() => {
  for (const server of open.splice(0)) server.close();
});

/** One is the product's own sender, and the other is fetch, which uses proxies. */
const SENDERS: [string, SendRequest][] = [
  ['node:http', outboundSend('anywhere')],
  ['fetch', globalThis.fetch],
];

describe.each(SENDERS)('an HTTP exchange by %s', (_, fetch) => {
  it('brings the whole answer, whatever its status', async () => {
    const url = await answering((_, response) => response.writeHead(418).end('short and stout'));
    expect(await ask(url)).toMatchObject({
      kind: 'answered',
      status: 418,
      text: 'short and stout',
    });
  });

  it('does not follow a redirect, so no token is sent to another address', async () => {
    const seen: string[] = [];
    const url = await answering(({ url: path = '' }, response) => {
      seen.push(path);
      response.writeHead(307, { location: '/elsewhere' }).end();
    });
    expect(await ask(url)).toMatchObject({ kind: 'answered', status: 307 });
    expect(seen).toEqual(['/']);
  });

  it('knows what certainly never left', async () => {
    const url = await answering(() => {});
    for (const server of open.splice(0)) server.close();
    expect(await ask(url)).toMatchObject({ kind: 'unsent' });
  });

  it('ends if no response arrives in time', async () => {
    const url = await answering(() => {});
    const outcome = await ask(url, { timeoutMs: 50 });
    expect(outcome).toMatchObject({ kind: 'broken', why: 'timeout', head: null });
  });

  it('ends at once when it is stopped, and after its grace if it has one', async () => {
    const url = await answering(() => {});
    const timeouts = holdTimeouts();
    const signal = AbortSignal.timeout(20);
    expect(await ask(url, { signal })).toMatchObject({ kind: 'broken', why: 'stop' });
    const stop = new AbortController();
    const gracious = await answering((_, response) => {
      stop.abort();
      timeouts.pass(4_900);
      response.end('done');
    });
    const late = ask(gracious, { signal: stop.signal, graceMs: 5_000 });
    expect(await late).toMatchObject({ kind: 'answered', text: 'done' });
  });

  it('says how an answer began that breaks off', async () => {
    const url = await answering((_, response) => {
      response.writeHead(402, { 'content-length': '100' }).write('{"detail', () => {
        response.destroy();
      });
    });
    const outcome = await ask(url);
    expect(outcome).toMatchObject({ kind: 'broken', why: 'connection', head: { status: 402 } });
  });

  it('reads no body beyond its limit', async () => {
    const url = await answering((_, response) => {
      const piece = Buffer.alloc(1024 * 1024, 'x');
      for (let bytes = 0; bytes <= MAX_ANSWER_BYTES; bytes += piece.length) response.write(piece);
      response.end();
    });
    expect(await ask(url)).toMatchObject({ kind: 'broken', why: 'size', head: { status: 200 } });
  });

  it('hands over a stream for as long as it flows, and ends one that stands still', async () => {
    const timeouts = holdTimeouts();
    let send = (_piece: string) => {};
    const url = await answering((_, response) => {
      send = (piece) => void response.write(piece);
      response.flushHeaders();
    });
    const outcome = await exchange(
      { fetch, timeoutMs: 150 },
      { method: 'GET', url, headers: {}, isStreamed: true },
    );
    if (outcome.kind !== 'opened') throw new Error(outcome.kind);
    const pieces = outcome.chunks[Symbol.asyncIterator]();
    for (let count = 0; count < 5; count += 1) {
      const piece = pieces.next();
      timeouts.pass(100);
      send('piece');
      expect(Buffer.from((await piece).value ?? []).toString()).toBe('piece');
    }
    const missing = pieces.next();
    timeouts.pass(150);
    await expect(missing).rejects.toThrow();
  });

  it('unpacks a compressed answer, and leaves an unknown encoding as it is', async () => {
    const url = await answering(({ url: path = '', headers }, response) => {
      const encoding = path.slice(1);
      expect(headers['accept-encoding']).toContain('gzip');
      response.setHeader('content-encoding', encoding);
      response.end(PACKED[encoding]?.('a text') ?? 'as it is');
    });
    for (const encoding of ['gzip', 'deflate', 'br']) {
      expect(await ask(`${url}${encoding}`)).toMatchObject({ kind: 'answered', text: 'a text' });
    }
    expect(await ask(`${url}unheard-of`)).toMatchObject({ text: 'as it is' });
  });

  it('counts a compressed answer as large as it becomes', async () => {
    const packed = gzipSync(Buffer.alloc(MAX_ANSWER_BYTES + 1));
    const url = await answering((_, response) => {
      response.setHeader('content-encoding', 'gzip').end(packed);
    });
    expect(await ask(url)).toMatchObject({ kind: 'broken', why: 'size' });
  });

  it('sends a text with its length, whatever the method, and a stream in pieces', async () => {
    const seen: unknown[] = [];
    const url = await answering(async (request, response) => {
      const { method, headers } = request;
      seen.push([method, headers['content-length'], await text(request)]);
      response.end();
    });
    for (const method of ['POST', 'DELETE']) await ask(url, {}, { method, body: 'grüße' });
    async function* pieces() {
      yield Buffer.from('one ');
      yield Buffer.from('two');
    }
    await ask(url, {}, { method: 'PUT', body: pieces });
    expect(seen).toEqual([
      ['POST', '7', 'grüße'],
      ['DELETE', '7', 'grüße'],
      ['PUT', undefined, 'one two'],
    ]);
  });

  it('is broken and not unsent if its own stream fails halfway', async () => {
    const url = await answering((request) => request.resume());
    async function* pieces() {
      yield Buffer.from('one');
      throw new Error('The file is gone.');
    }
    const outcome = await ask(url, {}, { method: 'PUT', body: pieces });
    expect(outcome).toMatchObject({ kind: 'broken', why: 'connection', head: null });
  });

  it('reads headers whatever their case', async () => {
    const url = await answering((_, response) => response.setHeader('Retry-After', '7').end());
    const outcome = await ask(url);
    if (outcome.kind !== 'answered') throw new Error(outcome.kind);
    const { headers } = outcome;
    expect([headers.get('Retry-After'), headers.get('retry-after')]).toEqual(['7', '7']);
    expect([headers.get('age'), headers.has('age'), headers.has('RETRY-AFTER')]).toEqual([
      null,
      false,
      true,
    ]);
  });

  it('knows that nothing left if the certificate is not valid', async () => {
    const requests: string[] = [];
    const server = createSecureServer(SELF_SIGNED, ({ url: path = '' }, response) => {
      requests.push(path);
      response.end();
    });
    const port = await listening(server);
    expect(await ask(`https://127.0.0.1:${port}/`)).toMatchObject({ kind: 'unsent' });
    expect(requests).toEqual([]);
  });

  it('sends no password of an address', async () => {
    const url = await answering((_, response) => response.end());
    const outcome = await ask(url.replace('http://', 'http://user:secret@'));
    expect(outcome).toMatchObject({ kind: 'broken', head: null });
  });

  function ask(url: string, way: Partial<Way> = {}, request: Partial<Outgoing> = {}) {
    const whole = { method: 'GET', url, headers: {}, ...request };
    return exchange({ fetch, timeoutMs: 5_000, ...way }, whole);
  }
});

it('knows that nothing left if no connection is established in time', async () => {
  const timeouts = holdTimeouts();
  // The server accepts the connection but never completes the handshake.
  const server = createTcpServer(() => setImmediate(() => timeouts.pass(10_000)));
  const port = await listening(server);
  const outcome = await exchange(
    { fetch: outboundSend('anywhere'), timeoutMs: 60_000 },
    { method: 'POST', url: `https://127.0.0.1:${port}/`, headers: {}, body: 'paid' },
  );
  expect(outcome).toMatchObject({ kind: 'unsent' });
});

it('uses a connection again', async () => {
  let connections = 0;
  const server = createServer((_, response) => response.end('done'));
  server.on('connection', () => {
    connections += 1;
  });
  const url = `http://127.0.0.1:${await listening(server)}/`;
  const way = { fetch: outboundSend('anywhere'), timeoutMs: 5_000 };
  for (let count = 0; count < 3; count += 1) {
    expect(await exchange(way, { method: 'GET', url, headers: {} })).toMatchObject({
      text: 'done',
    });
  }
  expect(connections).toBe(1);
});

const TLS = join(import.meta.dirname, '../fixtures/tls');

/** No system trusts this certificate. */
const SELF_SIGNED = {
  cert: readFileSync(join(TLS, 'certificate.pem')),
  key: readFileSync(join(TLS, 'key.pem')),
};

const PACKED: Readonly<Record<string, (text: string) => Buffer>> = {
  gzip: gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
};

async function answering(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  return `http://127.0.0.1:${await listening(server)}/`;
}

/** Starts the server until the end of the test. Returns its port. */
async function listening(server: Server | TcpServer): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  open.push({
    close() {
      server.close();
      if ('closeAllConnections' in server) server.closeAllConnections();
    },
  });
  return addressOf(server.address()).port;
}

function addressOf(address: AddressInfo | string | null): AddressInfo {
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return address;
}
