/** Simulates several machines that share one Postgres server. The machines are processes on a single real machine. */

import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'csv-stringify/sync';
import pg from 'pg';
import { type Host, type HostedSync, kill, startOn } from '../test/helpers/hosts.ts';
import { type PostgresServer, startPostgresServer } from '../test/helpers/postgres-server.ts';
import { controlService, type ServiceControl } from '../test/helpers/service-control.ts';
import { type NeighbourOptions, startNeighbour } from './neighbour.ts';
import { createDatabase } from './postgres-database.ts';
import { PROGRAM } from './program.ts';

export interface Machine {
  host: Host;
  command: readonly string[];
  child: ChildProcess;
}

export interface Park {
  database: string;
  server: PostgresServer;
  service: ServiceControl;
  /** Starts a process of the product. */
  start(host: Host, command: readonly string[]): Machine;
  /** Adds this number of new people to each client's contact list. */
  grow(each: number): Promise<void>;
  close(machines: readonly Machine[]): Promise<void>;
}

export interface ParkOptions {
  /** The IDs of the clients, each of which has its own service key, so clients do not share a rate limit. */
  ids: readonly string[];
  hasOwnKeys: boolean;
  schedule: { cron: string; jitterMs?: number };
  /** The total number of people in the contact lists of all clients. */
  contacts: number;
  neighbour: Omit<NeighbourOptions, 'donors'>;
}

/**
 * Opens a Postgres server, a service, and a folder with settings and empty contact lists. The database has already
 * been migrated.
 */
export async function openPark(options: ParkOptions): Promise<Park> {
  const { ids, contacts, hasOwnKeys } = options;
  const server = await startPostgresServer();
  const neighbour = await startNeighbour({ donors: contacts, ...options.neighbour });
  const service = controlService(neighbour);
  const folder = await mkdtemp(join(tmpdir(), 'donor-sync-machines-'));
  const database = await createDatabase(server.url, 'machines');
  const settings = join(folder, 'donor-sync.yaml');
  const sync: HostedSync = {
    program: PROGRAM,
    settings,
    env: { DONOR_SYNC_SECRET_KEY: randomBytes(32).toString('base64') },
  };
  const integrations = [];
  for (const id of ids) {
    const apiKey = hasOwnKeys
      ? await service.issueKey({ credits: { enhancements: contacts } })
      : neighbour.apiKey;
    integrations.push(integrationOf(id, { baseUrl: neighbour.baseUrl, apiKey }, options.schedule));
    await writeFile(join(folder, `${id}.csv`), stringify([HEADER]));
  }
  // JSON is also valid YAML.
  await writeFile(settings, JSON.stringify({ database, integrations }));
  const people = (await service.people(contacts)).map(
    ({ id, firstName, lastName, addresses, employers }) => [
      ...[id, firstName, lastName],
      ...[addresses[0] ?? '', employers[0] ?? ''],
    ],
  );
  await once(startOn({ name: 'setup', clockAheadMs: 0 }, sync, ['migrate']), 'exit');
  return {
    database,
    server,
    service,
    start: (host, command) => ({ host, command, child: startOn(host, sync, command) }),
    async grow(each) {
      for (const id of ids) {
        await appendFile(join(folder, `${id}.csv`), stringify(people.splice(0, each)));
      }
    },
    async close(machines) {
      for (const { child } of machines) {
        if (child.exitCode === null && child.signalCode === null) await kill(child);
      }
      await neighbour.stop();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const HEADER = ['Id', 'First', 'Last', 'Address', 'Employer'];

function integrationOf(
  id: string,
  partner: { baseUrl: string; apiKey: string },
  schedule: ParkOptions['schedule'],
) {
  const columns = {
    ...{ id: 'Id', firstName: 'First', lastName: 'Last' },
    ...{ addresses: ['Address'], employers: ['Employer'] },
  };
  return {
    id,
    partner,
    crm: { kind: 'csv', path: `${id}.csv`, output: `${id}-out.csv`, columns },
    schedule: { ...schedule, timezone: 'UTC' },
    guards: { trial: { size: 0 } },
    settleAfterMs: 5_000,
  };
}

export async function query<Row extends pg.QueryResultRow>(
  database: string,
  text: string,
): Promise<Row[]> {
  const client = new pg.Client(database);
  // The database server may be stopped while the query is running.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Returns the only value in a query's result. */
export async function numberOf(database: string, text: string): Promise<number> {
  const [row] = await query<Record<string, string>>(database, text);
  return Number(Object.values(row ?? {})[0]);
}

/** Counts the contacts for which credits were spent twice. */
export const PAID_TWICE = `select count(*) from (select 1 from jobs where state <> 'unpaid' and shared_from is null
  group by integration_id, crm_id having count(*) > 1) as twice`;

export const SETTLED = "select count(*) from contacts where state in ('settled', 'held')";
