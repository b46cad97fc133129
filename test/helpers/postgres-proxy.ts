import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { z } from 'zod';

/** A proxy in front of a Postgres server. A test can make the connections fail. */
export interface PostgresProxy {
  /** The address with which a client connects to the same database through the proxy. */
  url: string;
  /** For this time (ms), cuts all connections and accepts no new connections. */
  goAway(ms: number): void;
  /**
   * Cuts the connection once, when the proxy receives a query that contains `at`. The connection is cut before the
   * server receives the query, or after the server has executed it. With `within`, the connection is cut only in a
   * transaction that has also sent a query with this text. Afterwards, no client can connect for `awayMs`.
   */
  cut(where: Cut): void;
  /** Returns the number of connections that have been cut. */
  cuts(): number;
  close(): Promise<void>;
}

export interface Cut {
  at: string;
  moment: 'before' | 'after';
  within?: string;
  awayMs?: number;
}

const addressSchema = z.object({ port: z.number() });

export async function startPostgresProxy(target: string): Promise<PostgresProxy> {
  const { hostname, port } = new URL(target);
  const pairs = new Set<[Socket, Socket]>();
  let cutting: Cut | null = null;
  let awayUntil = 0;
  let cuts = 0;

  const server = createServer((client) => {
    if (performance.now() < awayUntil) {
      client.resetAndDestroy();
      return;
    }
    join(client, connect({ host: hostname, port: Number(port) }));
  });

  function join(client: Socket, backend: Socket): void {
    const pair: [Socket, Socket] = [client, backend];
    pairs.add(pair);
    let asked = '';
    let isLast = false;
    for (const socket of pair) {
      // If one side closes its connection, the proxy also closes the connection to the other side. The kind of error
      // makes no difference.
      socket.on('error', () => undefined);
      socket.on('close', () => drop(pair));
    }
    client.on('data', (data) => {
      const text = data.toString('latin1');
      // A query ends with a zero byte. A separate query starts a transaction.
      asked = text.includes('begin\0') ? text : asked + text;
      const struck = strikes(text, asked);
      if (struck?.moment === 'before') return goAwayFor(struck);
      isLast = struck !== null;
      backend.write(data);
    });
    backend.on('data', (data) => {
      if (!isLast) client.write(data);
      else if (cutting !== null) goAwayFor(cutting);
    });
  }

  function strikes(text: string, asked: string): Cut | null {
    if (cutting === null || !text.includes(cutting.at)) return null;
    const { within = '' } = cutting;
    return asked.includes(within) ? cutting : null;
  }

  function goAwayFor({ awayMs = 0 }: Cut): void {
    cutting = null;
    cuts += 1;
    goAway(awayMs);
  }

  function goAway(ms: number): void {
    awayUntil = performance.now() + ms;
    for (const pair of pairs) drop(pair);
  }

  function drop(pair: [Socket, Socket]): void {
    pairs.delete(pair);
    for (const socket of pair) socket.destroy();
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(target);
  url.port = String(addressSchema.parse(server.address()).port);
  return {
    url: url.href,
    goAway,
    cut(where) {
      cutting = where;
    },
    cuts: () => cuts,
    close: () => close(server, () => goAway(0)),
  };
}

async function close(server: Server, drop: () => void): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  drop();
  await closed;
}
