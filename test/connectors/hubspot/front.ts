import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

/** This response replaces HubSpot's own response. */
export interface OddAnswer {
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
  /** The response contains this string instead of a JSON body. */
  text?: string;
}

/**
 * Returns the response that replaces the account's response, or null to keep the account's response. Its argument is
 * the account's response.
 */
export type Substitute = (
  url: string,
  body: unknown,
) => OddAnswer | null | Promise<OddAnswer | null>;

/** Starts a proxy in front of an account. The proxy answers some requests itself and forwards the others. */
export async function openFront(baseUrl: string, answer: Substitute) {
  const server = createServer(async (request, response) => {
    const { status, headers, body, text: said } = await pass(baseUrl, request, answer);
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(said ?? JSON.stringify(body ?? null));
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
}

async function pass(
  baseUrl: string,
  request: IncomingMessage,
  answer: Substitute,
): Promise<OddAnswer> {
  const { method = 'GET', url = '/', headers } = request;
  const sent = await text(request);
  const reply = await fetch(`${baseUrl}${url}`, {
    method,
    headers: {
      authorization: headers.authorization ?? '',
      'content-type': headers['content-type'] ?? 'application/json',
    },
    ...(sent === '' ? {} : { body: sent }),
  });
  const body: unknown = await reply.json();
  return (await answer(url, body)) ?? { status: reply.status, body };
}
