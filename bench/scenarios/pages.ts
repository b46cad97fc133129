/** Measures the home page and the page of a run, with 10,000 clients and 1,000,000 rows of runs. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { z } from 'zod';
import { startPostgresServer } from '../../test/helpers/postgres-server.ts';
import { atMost, type Figure, round, type Scenario } from '../figure.ts';
import { createDatabase } from '../postgres-database.ts';
import { PROGRAM } from '../program.ts';

const INTEGRATIONS = 10_000;
const NIGHTS = 14;
const LARGE_RUN_ROWS = 200_000;
const ROWS_OF_OTHERS = 100;
const OTHER_RUNS = 8_000;
const LARGE_RUN = 'run-00000-13';
const MOST_MS = 150;
const MOST_KB = 100;

/** A pause (ms) that is longer than the time for which viewers share the data of all clients. */
const APART_MS = 1_200;
const LOOKS = 9;

export const pages: Scenario = {
  name: 'pages',
  title: `Pages with ${INTEGRATIONS} integrations, ${INTEGRATIONS * NIGHTS} runs and 1,000,000 rows of runs`,
  async measure() {
    const server = await startPostgresServer();
    try {
      return [
        ...(await measureOn('sqlite', 'sqlite:store.db')),
        ...(await measureOn('postgres', await createDatabase(server.url, 'pages'))),
      ];
    } finally {
      await server.stop();
    }
  },
};

async function measureOn(kind: 'sqlite' | 'postgres', database: string): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'donor-sync-pages-'));
  const settings = join(folder, 'donor-sync.yaml');
  try {
    await writeFile(settings, settingsOf(database));
    if (kind === 'postgres') await ask(['migrate'], settings);
    const { token } = tokenSchema.parse(
      await ask(['tokens', 'create', '--role', 'owner', '--name', 'bench'], settings),
    );
    if (kind === 'sqlite') seedSqlite(join(folder, 'store.db'));
    else await seedPostgres(database);
    return await measureServed(kind, settings, token);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** With Postgres, the encryption key must be given explicitly. */
const ENVIRONMENT = {
  ...process.env,
  DONOR_SYNC_SECRET_KEY: randomBytes(32).toString('base64'),
};

const tokenSchema = z.looseObject({ token: z.string() });

function settingsOf(database: string): string {
  const integrations = Array.from(
    { length: INTEGRATIONS },
    (_, place) => `  - id: client-${nameOf(place)}
    name: "Community Foundation ${nameOf(place)}"
    schedule: { cron: "0 2 1 1 *", timezone: ${ZONES[place % ZONES.length]} }
    partner: { baseUrl: "https://service.example", apiKey: "key-${place}" }
    budget: { perMonth: 1000 }
    crm: { kind: csv, path: in-${place}.csv, output: out-${place}.csv, columns: { id: Id, firstName: First, lastName: Last, addresses: [Address] } }
`,
  );
  return `database: "${database}"\nintegrations:\n${integrations.join('')}`;
}

const ZONES = ['America/Chicago', 'America/New_York', 'Europe/London', 'UTC'];

function nameOf(place: number): string {
  return String(place).padStart(5, '0');
}

/** Returns SQL statements for SQLite and Postgres. `numbers` is a table of numbers from 0. */
function statements(now: number, numbers: (count: number) => string): string[] {
  const dayMs = 86_400_000;
  const pad = (value: string) => `substr('00000' || (${value}), -5)`;
  const padded = (value: string) => `right('00000' || (${value})::text, 5)`;
  const name = numbers(1).includes('generate_series') ? padded : pad;
  const report = JSON.stringify({
    ...{ id: 'ID', integration: 'INTEGRATION', trigger: 'schedule', status: 'succeeded' },
    ...{ reason: null, startedAt: new Date(now).toISOString() },
    finishedAt: new Date(now + 60_000).toISOString(),
    contacts: {
      ...{ read: 100, chosen: 90, submitted: 90, enhanced: 80, written: 80 },
      ...{ unchanged: 0, skipped: 10, failed: 10, held: 0, waiting: 0 },
    },
    credits: {
      enhancements: { spent: 3, remaining: 1_000 },
      networks: { spent: 0, remaining: 1_000 },
    },
    ...{ networks: [], calls: { partner: 30, crm: 20, throttled: 0 } },
  });
  const runId = `'run-' || ${name('i.n')} || '-' || substr('0' || k.n, -2)`;
  const pgRunId = `'run-' || ${name('i.n')} || '-' || right('0' || k.n::text, 2)`;
  const id = name === padded ? pgRunId : runId;
  const status = `case when k.n = 13 and i.n % 100 = 7 then 'failed' when k.n = 13 and i.n % 50 = 3 then 'incomplete' else 'succeeded' end`;
  const code = `case when k.n = 13 and i.n % 100 = 7 then 'unexpected_error' when k.n = 13 and i.n % 50 = 3 then 'crm_unavailable' end`;
  const startedAt = `${now} - (14 - k.n) * ${dayMs} + i.n`;
  return [
    `insert into integrations (id, run_epoch, last_run)
     select 'client-' || ${name('i.n')}, 14, 'run-' || ${name('i.n')} || '-13' from ${numbers(INTEGRATIONS)} i`,
    `insert into runs (id, integration_id, epoch, "trigger", contact, "full", status, reason_code, reason_message,
       started_at, finished_at, read_count, chosen_count, submitted_count, enhanced_count, shared_count,
       spent_enhancements, fresh_count, report, reasons)
     select ${id}, 'client-' || ${name('i.n')}, k.n + 1, 'schedule', '', 0, ${status}, ${code}, ${code},
       ${startedAt}, ${startedAt} + 60000, 100, 90, 90, 80, 0, 3, 0,
       replace(replace('${report}', '"ID"', '"' || ${id} || '"'), 'INTEGRATION', 'client-' || ${name('i.n')}),
       '{"fields_written":80,"crm_refused":10,"opted_out":10}'
     from ${numbers(INTEGRATIONS)} i cross join ${numbers(NIGHTS)} k`,
    `insert into run_rows (run_id, place, crm_id, reason, detail, at)
     select '${LARGE_RUN}', case when k.n % 1000 = 1 then 1 else 4 end, '0035e000' || k.n,
       case when k.n % 1000 = 1 then 'crm_refused' when k.n % 5000 = 2 then 'fields_written_some_unfit' else 'fields_written' end,
       null, ${now} from ${numbers(LARGE_RUN_ROWS)} k`,
    `insert into run_rows (run_id, place, crm_id, reason, detail, at)
     select 'run-' || ${name('i.n + 1')} || '-13', 4, 'c-' || k.n, 'fields_written', null, ${now}
     from ${numbers(OTHER_RUNS)} i cross join ${numbers(ROWS_OF_OTHERS)} k`,
    `insert into submissions (id, integration_id, run_id, partner_key, slot, mapping, state, persons, charged, balance_before, intended_at)
     select 's-' || i.n || '-' || k.n, 'client-' || ${name('i.n')}, 'run-' || ${name('i.n')} || '-13', 'key', 1, 'mapping', 'closed', 3, 3, 1000,
       ${startedAt} from ${numbers(INTEGRATIONS)} i cross join ${numbers(NIGHTS)} k`,
    `insert into questions (id, integration_id, crm_id, tracking_id, kind, opened_at)
     select 'h-' || i.n, 'client-' || ${name('i.n * 10')}, 'c-' || i.n, 't-' || i.n, 'name_mismatch', ${now}
     from ${numbers(INTEGRATIONS / 10)} i`,
  ];
}

function seedSqlite(path: string): void {
  const db = new Sqlite(path);
  const numbers = (count: number) =>
    `(with recursive numbers(n) as (select 0 union all select n + 1 from numbers where n < ${count - 1}) select n from numbers)`;
  for (const statement of statements(Date.now(), numbers)) db.exec(statement);
  db.exec('analyze');
  db.close();
}

async function seedPostgres(url: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  const numbers = (count: number) => `(select generate_series(0, ${count - 1}) as n)`;
  for (const statement of statements(Date.now(), numbers)) await client.query(statement);
  await client.query('analyze');
  await client.end();
}

const readySchema = z.object({ ready: z.literal(true), url: z.string() });

async function measureServed(kind: string, settings: string, token: string): Promise<Figure[]> {
  const words = ['serve', '--port', '0', '--json', '--config', settings];
  const serving = spawn(process.execPath, [PROGRAM, ...words], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: ENVIRONMENT,
  });
  try {
    const [line] = await once(createInterface(serving.stdout), 'line');
    const { url } = readySchema.parse(JSON.parse(String(line)));
    const figures: Figure[] = [];
    for (const [name, path] of Object.entries(PATHS)) {
      figures.push(...(await measurePage(`${kind}: ${name}`, url + path, token)));
    }
    figures.push(await measureWeight(`${kind}: home over the wire`, url, token));
    return figures;
  } finally {
    const exited = once(serving, 'exit');
    serving.kill('SIGTERM');
    await exited;
  }
}

const PATHS = {
  home: '/',
  'home, searched': '/?q=00123',
  'home, clients that need attention': '/?show=needs',
  'home, the last page': '/?from=9975',
  runs: '/runs',
  'runs that failed': '/runs?status=failed',
  'runs by webhook (none)': '/runs?trigger=webhook',
  'the largest run': `/runs/${LARGE_RUN}`,
  'its rarest reason': `/runs/${LARGE_RUN}?reason=fields_written_some_unfit`,
  'its IDs with this prefix': `/runs/${LARGE_RUN}?contact=0035e00019999`,
  find: '/v1/find?q=foundation%200012',
} as const;

async function measurePage(name: string, url: string, token: string): Promise<Figure[]> {
  const times: number[] = [];
  // The first request loads the code of the pages.
  await fetchPage(url, token);
  for (let look = 0; look < LOOKS; look += 1) {
    await sleep(APART_MS);
    const startedAt = performance.now();
    await fetchPage(url, token);
    times.push(performance.now() - startedAt);
  }
  times.sort((a, b) => a - b);
  return [atMost(name, round(times[Math.floor(LOOKS / 2)] ?? 0), 'ms', MOST_MS)];
}

/** Returns the number of bytes in the transferred response, and its body. */
function fetchPage(url: string, token: string): Promise<{ bytes: number; body: string }> {
  const headers = { authorization: `Bearer ${token}`, 'accept-encoding': 'gzip' };
  return new Promise((resolve, reject) => {
    get(url, { headers }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('error', reject);
      answer.on('end', () => {
        if (answer.statusCode !== 200) reject(new Error(`${url} answered ${answer.statusCode}`));
        const whole = Buffer.concat(parts);
        resolve({
          bytes: whole.byteLength,
          body: answer.headers['content-encoding'] === 'gzip' ? '' : whole.toString(),
        });
      });
    }).on('error', reject);
  });
}

/** Measures the home page and all files that it loads. */
async function measureWeight(name: string, url: string, token: string): Promise<Figure> {
  const headers = { authorization: `Bearer ${token}` };
  const page = await (await fetch(url, { headers })).text();
  const assets = new Set(
    [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, at]) => at),
  );
  let bytes = (await fetchPage(`${url}/`, token)).bytes;
  for (const asset of assets) bytes += (await fetchPage(`${url}${asset}`, token)).bytes;
  return atMost(name, round(bytes / 1_000), 'kB', MOST_KB);
}

/** Runs a command with `--json`, and returns the parsed output. */
async function ask(words: string[], settings: string): Promise<unknown> {
  const child = spawn(process.execPath, [PROGRAM, ...words, '--json', '--config', settings], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: ENVIRONMENT,
  });
  return JSON.parse(await text(child.stdout));
}
