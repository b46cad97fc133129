/** Shared helpers for the tests of the vendors' libraries. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { DonorSyncError } from '../../src/core/errors.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** Responds with JSON. A string is sent unchanged. */
export function answerJson(status: number, body: unknown): Answer {
  return (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

/** Starts a server on loopback. */
export async function listen(handle: Answer): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return {
    url: `http://127.0.0.1:${address.port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/**
 * Returns all strings of an error that a message or a log can show. The CRM's messages are stored separately for
 * users who decide.
 */
export function textsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const details = error instanceof DonorSyncError ? JSON.stringify(error.details) : '';
  return [error.message, error.stack, details, textsOf(error.cause)].join('\n');
}
