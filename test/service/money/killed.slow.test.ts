import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { createWorld } from '../../../people/world.ts';
import { openDatabase } from '../../../service/database.ts';
import { openBeside, openTeamKeys, openTeams, verify } from '../../../service/operation/index.ts';
import { aDatabaseFile } from '../../testbed/a-database-file.ts';
import { importWorld } from './people.ts';

const KILLS = Number(process.env['SERVICE_KILLS'] ?? 12);
const CALLERS = 6;
const BATCH = 30;
const PERSONS = 10;
const GRANTED = 1_000_000;
const TEAM = 'riverside';

/** On a busy machine, a kill and a restart take a few seconds. At the end, all jobs have to be matched. */
vi.setConfig({ testTimeout: 120_000 + KILLS * 6_000 });

it('charges exactly the work that it accepted, however often it is killed', async () => {
  const file = await aDatabaseFile();
  const { apiKey, ids } = await prepare(file);
  const ledger = new CallersLedger();
  for (let kill = 0; kill < KILLS; kill += 1) {
    const server = await serve(file);
    const state = { isOver: false };
    const callers = Array.from({ length: CALLERS }, (_, caller) =>
      callUntilOver({ ...server, apiKey, ids, ledger, state, kill, caller }),
    );
    // On a busy machine, the first response may take longer than any fixed limit.
    const before = ledger.answers;
    await vi.waitUntil(() => ledger.answers > before, { timeout: 60_000, interval: 5 });
    await sleep(90 * (kill % 7));
    server.child.kill('SIGKILL');
    await once(server.child, 'exit');
    state.isOver = true;
    await Promise.all(callers);
  }

  const server = await serve(file);
  const ask = (path: string) => call(server.baseUrl, apiKey, 'GET', path);
  await allMatched(server.baseUrl, apiKey, [...ledger.jobs]);
  await noBulkJobs(file);
  const lists = await sumOfPages(ask, '/lists', 'lists');
  const exports = await sumOfPages(ask, '/exports', 'exports');
  const balances = await ask('/credits');
  server.child.kill('SIGTERM');
  await once(server.child, 'exit');
  const enhancements = countRows(file, 'jobs');
  const accepted = { lists, exports, enhancements, networks: countRows(file, 'network_members') };

  const charged = (bucket: string) => GRANTED - Number(balances[bucket]);
  const seen = Object.fromEntries(
    [...WORK, ...READINGS].map((bucket) => [bucket, charged(bucket)]),
  );
  process.stdout.write(
    `${KILLS} kills: charged ${JSON.stringify(seen)}; accepted ${JSON.stringify(accepted)}; by the callers ${ledger.describe()}\n`,
  );
  for (const bucket of WORK) {
    expect({ bucket, charged: charged(bucket) }).toEqual({ bucket, charged: accepted[bucket] });
  }
  for (const bucket of [...WORK, ...READINGS]) {
    // Every request that got a response was charged. Every other request was charged completely or not at all.
    const { answered, unanswered } = ledger.of(bucket);
    expect({ bucket, sums: listSums(unanswered) }).toEqual({
      bucket,
      sums: expect.arrayContaining([charged(bucket) - answered]),
    });
  }
  const db = openDatabase(file);
  expect(verify(db, Date.now)).toEqual([]);
  const matched = db
    .prepare<[string], number>('select person is null from jobs where id = ?')
    .pluck();
  expect([...ledger.jobs].filter((id) => matched.get(id) !== 1)).toEqual([]);
  db.close();
  expect(ledger.answers).toBeGreaterThanOrEqual(KILLS);
});

/** Buckets whose credits buy permanent objects, and buckets whose credits pay for a response. */
const WORK = ['enhancements', 'lists', 'networks', 'exports'] as const;
const READINGS = ['donors', 'searches'] as const;
type Bucket = (typeof WORK)[number] | (typeof READINGS)[number];

/**
 * Records what the callers know: each request with its cost, recorded before the request is sent, and whether a
 * response arrived.
 */
class CallersLedger {
  readonly jobs = new Set<string>();
  answers = 0;
  readonly #lines: { bucket: Bucket; cost: number; isAnswered: boolean }[] = [];

  async note<Answer>(bucket: Bucket, cost: number, send: () => Promise<Answer>): Promise<Answer> {
    const line = { bucket, cost, isAnswered: false };
    this.#lines.push(line);
    const answer = await send();
    line.isAnswered = true;
    this.answers += 1;
    return answer;
  }

  of(bucket: Bucket): { answered: number; unanswered: number[] } {
    const lines = this.#lines.filter((line) => line.bucket === bucket);
    const answered = lines.filter(({ isAnswered }) => isAnswered);
    return {
      answered: answered.reduce((sum, { cost }) => sum + cost, 0),
      unanswered: lines.flatMap(({ isAnswered, cost }) => (isAnswered ? [] : [cost])),
    };
  }

  describe(): string {
    const buckets = [...WORK, ...READINGS];
    return buckets
      .map((bucket) => {
        const { answered, unanswered } = this.of(bucket);
        return `${bucket} ${answered} and ${unanswered.length} requests without an answer`;
      })
      .join(', ');
  }
}

function listSums(numbers: readonly number[]): number[] {
  const sums = new Set([0]);
  for (const number of numbers) for (const sum of [...sums]) sums.add(sum + number);
  return [...sums];
}

interface Calls {
  baseUrl: string;
  apiKey: string;
  ids: readonly string[];
  ledger: CallersLedger;
  state: { isOver: boolean };
  /** The number of times that the service was started. */
  kill: number;
  caller: number;
}

/**
 * Sends requests until the test ends. Half of the callers send enhancement requests. The other callers use all other
 * buckets in turn.
 */
async function callUntilOver(calls: Calls): Promise<void> {
  for (let turn = 0; !calls.state.isOver; turn += 1) {
    try {
      await (calls.caller % 2 === 0 ? enhance(calls) : useOthers(calls, turn));
    } catch (error) {
      if (error instanceof Error && /answered with/.test(error.message)) throw error;
      // The service was killed while it handled a request.
      return;
    }
  }
}

async function enhance({ baseUrl, apiKey, ledger }: Calls): Promise<void> {
  const persons = Array.from({ length: PERSONS }, (_, index) => ({
    name: { first: 'Maria Jose Anna', last: 'Garcia Lopez Smith' },
    addresses: [`${index} Main Street, Springfield, IL 62701`],
  }));
  const answer = await ledger.note('enhancements', PERSONS, () =>
    call(baseUrl, apiKey, 'POST', '/enhancements', { persons }),
  );
  for (const id of Object.values(trackedSchema.parse(answer).tracking_id_to_job_id)) {
    ledger.jobs.add(String(id));
  }
}

/** Uses lists and networks that nobody else uses, so they contain exactly the paid donors. */
async function useOthers(calls: Calls, turn: number): Promise<void> {
  const { baseUrl, apiKey, ids, ledger, kill, caller } = calls;
  const name = `${kill} ${caller} ${turn}`;
  const from = (kill + turn) % 50;
  const [single, ...donor_ids] = ids.slice(from, from + BATCH + 1);
  const send = (path: string, body: object) => call(baseUrl, apiKey, 'POST', path, body);
  const make = (path: string, field: string) =>
    created(baseUrl, apiKey, path, { name, color: 'teal' }, field);
  const uses = [
    async () => {
      const list = await make('/lists', 'list_id');
      await ledger.note('lists', BATCH, () => send(`/lists/${list}/donors`, { donor_ids }));
    },
    async () => {
      const members = `/networks/${await make('/networks', 'network_id')}/members`;
      await ledger.note('networks', BATCH, () => send(`${members}/batch`, { donor_ids }));
      await ledger.note('networks', 1, () => send(members, { donor_id: single }));
    },
    () =>
      ledger.note('exports', BATCH, () =>
        send('/exports', { fields: ['full_name'], format: 'csv', donor_ids }),
      ),
    () => ledger.note('donors', BATCH, () => send('/donors/batch', { donor_ids })),
    () => ledger.note('searches', 1, () => call(baseUrl, apiKey, 'GET', '/search?state=TX')),
  ];
  // After each restart, a different kind of request comes first, because the test may kill the service after only a few
  // requests.
  await uses[(kill + caller + turn) % uses.length]?.();
}

/** Returns the number of donors in all created lists or all exports, as the service reports it. */
async function sumOfPages(
  ask: (path: string) => Promise<Record<string, unknown>>,
  path: string,
  field: string,
): Promise<number> {
  let sum = 0;
  let cursor: string | null = null;
  do {
    const query: string = cursor === null ? '' : `?cursor=${encodeURIComponent(cursor)}`;
    const page = pageSchema.parse(await ask(path + query));
    // The service's own list repeats the entries of all other lists.
    const made = counted.parse(page[field]).filter(({ is_system: isSystem }) => isSystem !== true);
    sum += made.reduce((all, { donor_count: count }) => all + count, 0);
    cursor = page.next_cursor ?? null;
  } while (cursor !== null);
  return sum;
}

const trackedSchema = z.looseObject({ tracking_id_to_job_id: z.record(z.string(), z.string()) });
const pageSchema = z.looseObject({ next_cursor: z.string().nullish() });
const counted = z.array(z.object({ donor_count: z.number(), is_system: z.boolean().optional() }));

function countRows(file: string, table: 'jobs' | 'network_members'): number {
  const db = openDatabase(file);
  try {
    return Number(db.prepare<[], number>(`select count(*) from ${table}`).pluck().get());
  } finally {
    db.close();
  }
}

/** Waits until no bulk job is open, because jobs add the members that were paid for. */
async function noBulkJobs(file: string): Promise<void> {
  const db = openBeside(file);
  const open = db
    .prepare<[], number>('select count(*) from network_job_items where outcome is null')
    .pluck();
  try {
    await expect.poll(() => open.get(), { timeout: 600_000 }).toBe(0);
  } finally {
    db.close();
  }
}

async function call(
  baseUrl: string,
  apiKey: string,
  method: string,
  path: string,
  body?: object,
): Promise<Record<string, unknown>> {
  const response = await fetch(baseUrl + path, {
    method,
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok)
    throw new Error(`${method} ${path} was answered with ${response.status}: ${text}`);
  return text === '' ? {} : JSON.parse(text);
}

async function created(
  baseUrl: string,
  apiKey: string,
  path: string,
  body: object,
  field: string,
): Promise<string> {
  return String((await call(baseUrl, apiKey, 'POST', path, body))[field]);
}

async function allMatched(baseUrl: string, apiKey: string, ids: readonly string[]): Promise<void> {
  for (let from = 0; from < ids.length; from += 1000) {
    await expect
      .poll(
        async () => {
          const job_ids = ids.slice(from, from + 1000);
          const body = await call(baseUrl, apiKey, 'POST', '/enhancements/progress/batch', {
            job_ids,
          });
          return JSON.stringify(body).includes('"processing"');
        },
        { timeout: 600_000 },
      )
      .toBe(false);
  }
}

async function prepare(file: string) {
  const db = openDatabase(file);
  const ids = await importWorld(db, createWorld({ seed: 1, donors: 200 }));
  const teams = openTeams(db, Date.now);
  teams.add(TEAM, GRANTED);
  const { apiKey } = openTeamKeys(db, teams, Date.now).issue({
    team: TEAM,
    label: '',
    deactivatesOn: null,
  });
  db.close();
  return { apiKey, ids };
}

async function serve(file: string): Promise<{ child: ChildProcess; baseUrl: string }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'serve.ts'), file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const [line] = await once(createInterface(child.stdout), 'line');
  return { child, baseUrl: String(line) };
}
