import type { MiddlewareHandler } from 'hono';
import type { HttpEnv } from './context.ts';
import { HttpError } from './http-error.ts';
import { hostnameOf, isLoopbackName, ownAddressOf } from './peer.ts';

/**
 * Refuses requests for names that are not ours, with 421. A page of a stranger can make its own
 * name lead to this machine (DNS rebinding) and would be taken for a page of ours. Names of this
 * machine, the public one and the bare address that was called are ours; the port does not matter,
 * since tunnels and containers change it and no stranger gains by that.
 */
export function requireKnownHost(publicUrl: string): MiddlewareHandler<HttpEnv> {
  const { hostname: publicName } = new URL(publicUrl);
  return async (c, next) => {
    const hostname = hostnameOf(c);
    const isOurs =
      isLoopbackName(hostname) || hostname === publicName || hostname === ownAddressOf(c);
    if (isOurs) return next();
    throw new HttpError(
      421,
      'host_unknown',
      'This service does not answer under that name. Its settings name it in server.publicUrl.',
    );
  };
}
