import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { startPostgresServer } from '../../test/helpers/postgres-server.ts';
import { exactly, type Figure, plain, type Scenario } from '../figure.ts';
import { type ForgetKind, killForgets } from '../forget.ts';

/** For each kind of CRM and each database. */
const KILLS = 50;

const KINDS: readonly ForgetKind[] = ['csv', 'salesforce', 'hubspot'];

export const forget: Scenario = {
  name: 'forget',
  title: `forget, SIGKILL at ${KILLS} random moments for each kind of CRM and both databases`,
  measure: measureForgets,
};

async function measureForgets(): Promise<Figure[]> {
  const server = await startPostgresServer();
  const databases = {
    sqlite: async (path: string) => `sqlite:${path}`,
    postgres: () => createDatabase(server.url),
  };
  const figures: Figure[] = [];
  try {
    for (const kind of KINDS) {
      for (const [name, create] of Object.entries(databases)) {
        const sums = await killForgets(kind, create, KILLS);
        const of = `${kind}, ${name}: `;
        figures.push(
          plain(`${of}kills`, sums.kills, ''),
          plain(`${of}persons`, sums.persons, ''),
          exactly(`${of}values left in the CRM`, sums.valuesLeft, '', 0),
          exactly(`${of}rows that name the person`, sums.rowsLeft, '', 0),
          exactly(`${of}values written back by a night`, sums.writtenBack, '', 0),
          exactly(`${of}receipts that are not true`, sums.untrueReceipts, '', 0),
          exactly(`${of}credits of the nights`, sums.creditsAfterwards, '', 0),
        );
      }
    }
  } finally {
    await server.stop();
  }
  return figures;
}

async function createDatabase(serverUrl: string): Promise<string> {
  const name = `forget_${randomBytes(4).toString('hex')}`;
  const client = new pg.Client(serverUrl);
  await client.connect();
  try {
    await client.query(`create database ${name}`);
  } finally {
    await client.end();
  }
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
