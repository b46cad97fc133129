import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { type PostgresServer, startPostgresServer } from './helpers/postgres-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers `POST /databases` with the URL of a fresh Postgres database, as text. */
    databasesUrl: string;
    /** The databases that this run of a test file works on (vitest.config.ts). */
    databases: readonly ('sqlite' | 'postgres')[];
  }
}

/**
 * One Postgres for the whole run of the tests. It is started when the first test file asks for
 * a database, so that runs without any do not wait for it.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const databases = createDatabases();
  const server = serve({ fetch: databases.app.fetch, hostname: '127.0.0.1', port: 0 });
  const port = await new Promise<number>((resolve) => {
    server.on('listening', () => {
      const address = server.address();
      if (address !== null && typeof address === 'object') resolve(address.port);
    });
  });
  project.provide('databasesUrl', `http://127.0.0.1:${port}/databases`);
  return async () => {
    server.close();
    await databases.close();
  };
}

function createDatabases(): { app: Hono; close(): Promise<void> } {
  let started: Promise<PostgresServer> | undefined;
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
  app.onError((error, c) => c.text(error.message, 500));

  return { app, close: async () => (await started?.catch(() => undefined))?.stop() };
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
