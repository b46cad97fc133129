import { join } from 'node:path';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { unpackBrowser } from './browser/browser.ts';
import { buildProduct } from './helpers/built-product.ts';
import { type PostgresServer, startPostgresServer } from './helpers/postgres-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Responds to `POST /databases` with the URL of a fresh Postgres database, as text. */
    databasesUrl: string;
    /** The URL of a server that returns the path of an installed browser as plain text. */
    browserUrl: string;
    /** Responds with the path of the built program, as text. */
    programUrl: string;
    /** The databases that a test file uses in this run (vitest.config.ts). */
    databases: readonly ('sqlite' | 'postgres')[];
  }
}

/**
 * Provides one Postgres, one unpacked browser and one build of the product for the whole test run. The setup prepares
 * each of them when the first test file requests it. A test run that needs none of them therefore does not wait.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  // With this cache, a child process starts in half of the time. Workers inherit the variable and pass it on to their
  // children.
  process.env['NODE_COMPILE_CACHE'] = join(import.meta.dirname, '../node_modules/.cache/compiled');
  const shared = createShared();
  const server = serve({ fetch: shared.app.fetch, hostname: '127.0.0.1', port: 0 });
  const port = await new Promise<number>((resolve) => {
    server.on('listening', () => {
      const address = server.address();
      if (address !== null && typeof address === 'object') resolve(address.port);
    });
  });
  project.provide('databasesUrl', `http://127.0.0.1:${port}/databases`);
  project.provide('browserUrl', `http://127.0.0.1:${port}/browser`);
  project.provide('programUrl', `http://127.0.0.1:${port}/program`);
  return async () => {
    server.close();
    await shared.close();
  };
}

function createShared(): { app: Hono; close(): Promise<void> } {
  let started: Promise<PostgresServer> | undefined;
  let unpacked: Promise<string> | undefined;
  let built: ReturnType<typeof buildProduct> | undefined;
  let created = 0;

  const app = new Hono().post('/databases', async (c) => {
    started ??= startPostgresServer();
    const name = `test_${++created}`;
    const { url } = await started;
    await createDatabase(url, name);
    const databaseUrl = new URL(url);
    databaseUrl.pathname = `/${name}`;
    return c.text(databaseUrl.href);
  });
  app.get('/browser', async (c) => {
    unpacked ??= unpackBrowser();
    return c.text(await unpacked);
  });
  app.get('/program', async (c) => {
    built ??= buildProduct();
    return c.text((await built).main);
  });
  app.onError((error, c) => c.text(error.message, 500));

  return {
    app,
    async close() {
      await (await started?.catch(() => undefined))?.stop();
      await (await built?.catch(() => undefined))?.remove();
    },
  };
}

async function createDatabase(serverUrl: string, name: string): Promise<void> {
  const client = new pg.Client(serverUrl);
  await client.connect();
  try {
    await client.query(`create database ${name} template template0`);
  } finally {
    await client.end();
  }
}
