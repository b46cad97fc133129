/**
 * Creates the parts of an installation that do not belong to donor-sync. They are a reverse proxy with a certificate,
 * and a host name that leads to the proxy.
 */
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect, type Server } from 'node:net';
import { join } from 'node:path';

const TLS = join(import.meta.dirname, '../../fixtures/tls');

/** The address under which the colleagues in the walks reach donor-sync. */
export const ADDRESS = 'https://donors.example.org';

export interface HttpsFront {
  /** The address of a proxy for browsers, which resolves the host name to this machine. */
  proxy: string;
  close(): Promise<void>;
}

/** Forwards requests for the address to this server, as the reverse proxy on the address page does. */
export async function openHttpsFront(target: string): Promise<HttpsFront> {
  const [key, cert] = await Promise.all([
    readFile(join(TLS, 'key.pem')),
    readFile(join(TLS, 'certificate.pem')),
  ]);
  const front = createSecureServer({ key, cert }, (incoming, outgoing) =>
    passOn(new URL(target), incoming, outgoing),
  );
  const frontPort = await listen(front);
  const names = createServer();
  names.on('connect', (_, socket, head: Buffer) => {
    const onward = connect(frontPort, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      onward.write(head);
      onward.pipe(socket);
      socket.pipe(onward);
    });
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
  });
  const port = await listen(names);
  return {
    proxy: `http://127.0.0.1:${port}`,
    async close() {
      front.closeAllConnections();
      names.closeAllConnections();
      await Promise.all([front, names].map((server) => new Promise((end) => server.close(end))));
    },
  };
}

function passOn(
  { hostname, port }: URL,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): void {
  const { method, url: path } = incoming;
  const headers = {
    ...incoming.headers,
    ...{ 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https' },
  };
  const onward = request({ hostname, port, method, path, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  // When a browser leaves a page, its stream of messages ends, and the proxy must close the request to the server.
  outgoing.on('close', () => onward.destroy());
  onward.on('error', () => outgoing.destroy());
  incoming.pipe(onward);
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
