/** A webhook receiver on this machine, like an app's receiver. */

import { createServer } from 'node:http';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { listen } from '../../../../testbed/serving.ts';

const eventsSchema = z.array(
  z.looseObject({
    eventId: z.number(),
    attemptNumber: z.number(),
    subscriptionType: z.string(),
    objectId: z.number(),
  }),
);

/** A request that the receiver got. */
export interface Received {
  method: string;
  /** The full address of the request. */
  url: string;
  headers: Record<string, string | string[] | undefined>;
  body: string;
  events: z.output<typeof eventsSchema>;
}

/** A receiver that records every request. */
export interface Receiver {
  url: string;
  received: readonly Received[];
  /** Sets the response to later requests. The initial status is 204. */
  answerWith(status: number, headers?: Record<string, string>): void;
}

/** Starts a receiver, and closes it after the test. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  let answer: { status: number; headers: Record<string, string> } = { status: 204, headers: {} };
  let origin = '';
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const body = Buffer.concat(chunks).toString('utf8');
    received.push({
      method: request.method ?? '',
      url: origin + (request.url ?? ''),
      headers: request.headers,
      body,
      events: eventsSchema.parse(JSON.parse(body)),
    });
    response.writeHead(answer.status, answer.headers).end();
  });
  origin = await listen(server, '127.0.0.1', 0);
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    url: `${origin}/hooks/hubspot?of=a%2Fb%20c`,
    received,
    answerWith(status, headers = {}) {
      answer = { status, headers };
    },
  };
}
