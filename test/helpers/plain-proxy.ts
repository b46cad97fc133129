import { createServer, type IncomingMessage, request } from 'node:http';

/** The options in which the proxy differs from a proxy that has only `proxy_pass`. */
export interface PlainProxyOptions {
  /** True to forward the host name of the request. By default, the proxy sends the address of the server behind it. */
  keepsHost?: boolean;
  /** The caller's address in `X-Forwarded-For`. With different addresses, a test can simulate many callers. */
  forwardedFor?: string;
}

/**
 * Opens a proxy on this machine that works like nginx without any `proxy_set_header`. It sends the address of the
 * server behind it as the host name, and adds no information about itself or the caller.
 */
export async function openPlainProxy(target: string, options: PlainProxyOptions = {}) {
  const { hostname, port, host } = new URL(target);
  const server = createServer((incoming, outgoing) => {
    const { method, url: path, headers } = incoming;
    const passed = { ...headers, connection: 'close', ...addedHeaders(incoming) };
    const onward = request({ hostname, port, method, path, headers: passed }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  const url = await new Promise<string>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      if (address === null || typeof address === 'string') throw new Error('There is no port.');
      resolve(`http://127.0.0.1:${address.port}`);
    });
  });
  return {
    url,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  function addedHeaders({ headers }: IncomingMessage): Record<string, string> {
    const before = [headers['x-forwarded-for'] ?? []].flat();
    return {
      ...(options.keepsHost ? {} : { host }),
      ...(options.forwardedFor === undefined
        ? {}
        : { 'x-forwarded-for': [...before, options.forwardedFor].join(', ') }),
    };
  }
}
