import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createWorld } from '../../../people/world.ts';
import { openDatabase } from '../../../service/database.ts';
import { openTeamKeys, openTeams, verify } from '../../../service/operation/index.ts';
import { aDatabaseFile } from '../../testbed/a-database-file.ts';
import { importWorld } from './people.ts';

const KILLS = Number(process.env['SERVICE_KILLS'] ?? 12);
const CALLERS = 6;
const BATCH = 30;
const GRANTED = 1_000_000;
const TEAM = 'riverside';

/** A kill with its start takes some seconds on a busy machine, and in the end all jobs have to be matched. */
vi.setConfig({ testTimeout: 120_000 + KILLS * 6_000 });

it('charges exactly the work that it accepted, however often it is killed', async () => {
  const file = await aDatabaseFile();
  const { apiKey, ids } = await prepare(file);
  const told = { lists: 0, donors: 0, searches: 0, jobs: new Set<string>() };
  let listId = '';
  let networkId = '';
  for (let kill = 0; kill <= KILLS; kill += 1) {
    const server = await serve(file);
    if (kill === 0) {
      listId = await created(server.baseUrl, apiKey, '/lists', { name: 'Gala' }, 'list_id');
      const network = { name: 'Board', color: 'teal' };
      networkId = await created(server.baseUrl, apiKey, '/networks', network, 'network_id');
    }
    if (kill === KILLS) {
      await allMatched(server.baseUrl, apiKey, [...told.jobs]);
      server.child.kill('SIGTERM');
      await once(server.child, 'exit');
      break;
    }
    const state = { isOver: false };
    const callers = Array.from({ length: CALLERS }, (_, caller) =>
      callUntilOver({ ...server, apiKey, ids, listId, networkId, told, state, caller }),
    );
    // A machine that is busy with others may take longer for the first response than a fixed time.
    const before = countAcknowledged(told);
    await vi.waitUntil(() => countAcknowledged(told) > before, { timeout: 60_000, interval: 5 });
    await sleep(90 * (kill % 7));
    server.child.kill('SIGKILL');
    await once(server.child, 'exit');
    state.isOver = true;
    await Promise.all(callers);
  }

  const db = openDatabase(file);
  const one = (query: string) => db.prepare<[], number>(query).pluck().get() ?? 0;
  expect(verify(db, Date.now)).toEqual([]);
  expect(one("select count(*) from ledger where state = 'open'")).toBe(0);
  const spent = (bucket: string) =>
    one(`select coalesce(sum(amount), 0) from ledger where bucket = '${bucket}'`);
  const remaining = (bucket: string) =>
    one(`select remaining from balances where bucket = '${bucket}'`);
  // Every job in the file is paid, and every paid person has a job.
  expect(spent('enhancements')).toBe(one('select count(*) from jobs'));
  expect(spent('enhancements')).toBe(GRANTED - remaining('enhancements'));
  const matched = db
    .prepare<[string], number>('select person is null from jobs where id = ?')
    .pluck();
  expect([...told.jobs].filter((id) => matched.get(id) !== 1)).toEqual([]);
  expect(spent('networks')).toBe(
    one('select count(*) from network_job_items') +
      one(
        "select count(*) from ledger where kind = 'charge' and state = 'settled' and what like '%/members'",
      ),
  );
  expect(spent('exports')).toBe(one('select coalesce(sum(donor_count), 0) from exports'));
  for (const bucket of ['lists', 'donors', 'searches'] as const) {
    expect(spent(bucket)).toBe(GRANTED - remaining(bucket));
    // Each kill loses at most the response of one request of each caller.
    expect(spent(bucket) - told[bucket]).toBeGreaterThanOrEqual(0);
    expect(spent(bucket) - told[bucket]).toBeLessThanOrEqual(KILLS * CALLERS * BATCH);
  }
  expect(countAcknowledged(told)).toBeGreaterThanOrEqual(KILLS);
  process.stdout.write(
    `${KILLS} kills: ${spent('enhancements')} credits charged, ${told.jobs.size} jobs acknowledged, ${one("select count(*) from ledger where kind = 'refund'")} refunds\n`,
  );
  db.close();
});

type Told = Calls['told'];

function countAcknowledged({ lists, donors, searches, jobs }: Told): number {
  return lists + donors + searches + jobs.size;
}

interface Calls {
  baseUrl: string;
  apiKey: string;
  ids: readonly string[];
  listId: string;
  networkId: string;
  told: { lists: number; donors: number; searches: number; jobs: Set<string> };
  state: { isOver: boolean };
  caller: number;
}

/** Half of the callers enhance; the others use every other bucket in turn. */
async function callUntilOver(calls: Calls): Promise<void> {
  for (let turn = 0; !calls.state.isOver; turn += 1) {
    try {
      await (calls.caller % 2 === 0 ? enhance(calls) : useOthers(calls, turn));
    } catch (error) {
      if (error instanceof Error && /answered with/.test(error.message)) throw error;
      // The server was killed in the middle of a request.
      return;
    }
  }
}

async function enhance({ baseUrl, apiKey, told }: Calls): Promise<void> {
  const persons = Array.from({ length: 10 }, (_, index) => ({
    name: { first: 'Maria Jose Anna', last: 'Garcia Lopez Smith' },
    addresses: [`${index} Main Street, Springfield, IL 62701`],
  }));
  const answer = await call(baseUrl, apiKey, 'POST', '/enhancements', { persons });
  for (const id of Object.values(answer['tracking_id_to_job_id'] ?? {})) told.jobs.add(String(id));
}

async function useOthers(calls: Calls, turn: number): Promise<void> {
  const { baseUrl, apiKey, ids, listId, networkId, told } = calls;
  const donor_ids = ids.slice(turn % 50, (turn % 50) + BATCH);
  const send = (path: string, body: object) => call(baseUrl, apiKey, 'POST', path, body);
  await send(`/lists/${listId}/donors`, { donor_ids });
  told.lists += BATCH;
  await send(`/networks/${networkId}/members/batch`, { donor_ids });
  await send(`/networks/${networkId}/members`, { donor_id: donor_ids[0] });
  await send('/exports', { fields: ['full_name'], format: 'csv', donor_ids });
  await send('/donors/batch', { donor_ids });
  told.donors += BATCH;
  await call(baseUrl, apiKey, 'GET', '/search?state=TX');
  told.searches += 1;
}

async function call(
  baseUrl: string,
  apiKey: string,
  method: string,
  path: string,
  body?: object,
): Promise<Record<string, object | undefined>> {
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
