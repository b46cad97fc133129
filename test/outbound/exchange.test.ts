import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { exchange, MAX_ANSWER_BYTES, type Way } from '../../src/outbound/exchange.ts';
import { holdTimeouts } from '../helpers/held-timeouts.ts';

const open: { close(): void }[] = [];
afterEach(() => {
  for (const server of open.splice(0)) server.close();
});

describe('an exchange', () => {
  it('brings the whole answer, whatever its status', async () => {
    const url = await answering((_, response) => response.writeHead(418).end('short and stout'));
    expect(await ask(url)).toMatchObject({
      kind: 'answered',
      status: 418,
      text: 'short and stout',
    });
  });

  it('does not follow a redirect, so that no token goes along', async () => {
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

  it('ends when no answer comes in time', async () => {
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
      { fetch: globalThis.fetch, timeoutMs: 150 },
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
});

function ask(url: string, way: Partial<Way> = {}) {
  const request = { method: 'GET', url, headers: {} };
  return exchange({ fetch: globalThis.fetch, timeoutMs: 5_000, ...way }, request);
}

async function answering(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  open.push({
    close() {
      server.close();
      server.closeAllConnections();
    },
  });
  const { port }: AddressInfo = addressOf(server.address());
  return `http://127.0.0.1:${port}/`;
}

function addressOf(address: AddressInfo | string | null): AddressInfo {
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return address;
}
