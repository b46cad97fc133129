import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** The request at which the proxy kills the caller. */
export interface KillPoint {
  method: string;
  path: RegExp;
  /**
   * With `before`, the proxy kills the caller before it forwards the request. With `after`, the proxy kills the caller
   * after the service has processed the request, but before the caller receives the response.
   */
  when: 'before' | 'after';
}

/** A proxy on this machine that kills its caller once, at a request that the test chooses. */
export interface KillingProxy {
  url: string;
  /** Waits for the request. The promise resolves after the caller has been killed. */
  killAt(point: KillPoint, kill: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

export async function openKillingProxy(target: string): Promise<KillingProxy> {
  const { hostname, port } = new URL(target);
  let armed: { point: KillPoint; kill: () => Promise<void> } | null = null;
  const server = createServer(async (incoming, outgoing) => {
    const { method = '', url: path = '', headers } = incoming;
    const body = await buffer(incoming);
    const hit = armed !== null && isAt(armed.point, method, path) ? armed : null;
    if (hit !== null) armed = null;
    if (hit?.point.when === 'before') return cut(outgoing, hit.kill);
    const passed = { ...headers, connection: 'close' };
    const onward = request({ hostname, port, method, path, headers: passed }, async (answer) => {
      const reply = await buffer(answer);
      if (hit !== null) return cut(outgoing, hit.kill);
      const { 'transfer-encoding': _, ...named } = answer.headers;
      outgoing.writeHead(answer.statusCode ?? 502, named).end(reply);
    });
    onward.on('error', () => outgoing.destroy());
    onward.end(body);
  });
  return {
    url: await listen(server),
    killAt: (point, kill) =>
      new Promise((resolve) => {
        armed = { point, kill: () => kill().then(resolve) };
      }),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function isAt(point: KillPoint, method: string, path: string): boolean {
  return point.method === method && point.path.test(path);
}

async function cut(outgoing: ServerResponse<IncomingMessage>, kill: () => Promise<void>) {
  await kill();
  outgoing.destroy();
}

function listen(server: ReturnType<typeof createServer>): Promise<string> {
  return new Promise((resolve, reject) => {
    server.on('error', reject).listen(0, '127.0.0.1', () => {
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('There is no port.'));
      else resolve(`http://127.0.0.1:${address.port}`);
    });
  });
}
