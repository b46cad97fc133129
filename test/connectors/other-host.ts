import { createServer } from 'node:http';

/** A request that reached a host that must not receive any. */
export interface Strayed {
  method: string;
  url: string;
  authorization: string | undefined;
}

/** Starts a host that is not the CRM. It records all requests and answers them with success. */
export async function openOtherHost() {
  const strayed: Strayed[] = [];
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    strayed.push({ method, url, authorization: headers.authorization });
    request.resume();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ totalSize: 0, done: true, records: [], results: [] }));
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('There is no port.'));
      else resolve(address.port);
    });
  });
  return {
    strayed,
    port,
    url: `http://127.0.0.1:${port}`,
    /** Returns a `fetch` for a network in which every host name except `crm` resolves to this host. */
    fetchBeside: (crm: string): typeof globalThis.fetch =>
      function fetchThrough(input, init) {
        const wanted = new URL(input instanceof Request ? input.url : input);
        if (wanted.origin === crm) return fetch(wanted, init);
        return fetch(`http://127.0.0.1:${port}${wanted.pathname}${wanted.search}`, init);
      },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
