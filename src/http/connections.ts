/** How many connections a server keeps, and which of them make room for new ones. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type IsTrustedProxy, networkOf } from './request/client-address.ts';
import { withoutMapping } from './request/peer.ts';

export interface ConnectionLimits {
  /** Open connections in all. */
  maxConnections: number;
  /** Open connections from one address (of IPv6, from one network of 64 bits). */
  maxConnectionsPerAddress: number;
}

/** A connection as it is known here. */
interface Connection {
  address: string;
  /** The request that is being answered. */
  request: IncomingMessage | null;
}

/**
 * Keeps to the limits. A new connection that would go beyond one takes the place of the one that has
 * been silent for longest: that has no request, or not the whole of one. So connections that say
 * nothing keep no caller out, and what is being answered is never cut. If all are being answered, the
 * new one is closed. A trusted proxy brings many callers and has no limit of its own.
 */
export function limitConnections(
  server: Pick<Server, 'on'>,
  { maxConnections, maxConnectionsPerAddress }: ConnectionLimits,
  isTrustedProxy: IsTrustedProxy,
): void {
  /** The one that has rested for longest first. */
  const connections = new Map<Socket, Connection>();
  const counts = new Map<string, number>();

  server.on('connection', (socket: Socket) => {
    const peer = withoutMapping(socket.remoteAddress ?? '');
    const address = networkOf(peer);
    if (!isTrustedProxy(peer) && (counts.get(address) ?? 0) >= maxConnectionsPerAddress) {
      if (!closeOneSilent(address)) return void socket.destroy();
    }
    if (connections.size >= maxConnections && !closeOneSilent(null)) return void socket.destroy();
    connections.set(socket, { address, request: null });
    counts.set(address, (counts.get(address) ?? 0) + 1);
    socket.once('close', () => forget(socket));
  });

  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const connection = connections.get(socket);
    if (connection === undefined) return;
    connection.request = request;
    response.once('close', () => {
      connection.request = null;
      // From now on it rests, behind all that do so already.
      if (connections.delete(socket)) connections.set(socket, connection);
    });
  });

  function forget(socket: Socket): void {
    const connection = connections.get(socket);
    if (connection === undefined) return;
    connections.delete(socket);
    const left = (counts.get(connection.address) ?? 1) - 1;
    if (left === 0) counts.delete(connection.address);
    else counts.set(connection.address, left);
  }

  /** Closes the connection that has been silent for longest, of one address or of all. */
  function closeOneSilent(address: string | null): boolean {
    for (const [socket, connection] of connections) {
      if (address !== null && connection.address !== address) continue;
      if (connection.request?.complete) continue;
      forget(socket);
      socket.destroy();
      return true;
    }
    return false;
  }
}
