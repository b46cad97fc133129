import { Hono } from 'hono';
import { expect, it } from 'vitest';
import type { HttpEnv } from '../../../src/interfaces/api/request/context.ts';
import { startHttpServer } from '../../../src/interfaces/api/server.ts';

it('leaves alone what fetch answers with, by which connectors know a stream', async () => {
  const app = new Hono<HttpEnv>().get('/', (c) => c.text('here'));
  const server = await startHttpServer({ app, host: '127.0.0.1', port: 0 });
  const answer = await fetch(server.url);
  expect(await answer.text()).toBe('here');
  expect(answer).toBeInstanceOf(Response);
  await server.close();
});
