/** Tests downloads. The service sends a download while it reads the data. One download fails in the middle. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { savePause } from '../../../src/clients/statements/schedules.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { type HttpWorld, openHttpWorld } from './http-world.ts';

const open = closedAfterTest(openHttpWorld);

/** A number that is not a valid time. */
const IMPOSSIBLE_TIME = 9_000_000_000_000_000;

const AUDIT = { header: /^Entry,At,Who/, prepare: breakAudit };
const BROKEN = [
  { name: 'the audit', path: async () => '/v1/audit/export', ...AUDIT },
  { name: 'the audit page', path: async () => '/audit/csv', ...AUDIT },
  {
    name: 'the contacts of a run',
    path: async (run: string) => `/v1/runs/${run}/contacts?format=csv`,
    header: /^Contact,Outcome/,
    prepare: breakRun,
  },
];

it.each(BROKEN)('breaks off a download of $name that fails in the middle', async (one) => {
  const world = await open();
  const token = await world.addToken('admin');
  const path = await one.path(await one.prepare(world, 'second'));
  const headers = { authorization: `Bearer ${token}`, accept: 'text/csv' };

  const response = await fetch(world.url + path, { headers });
  expect(response.status).toBe(200);
  await expect(response.text()).rejects.toThrow();

  const { text } = await readRaw(world.url, path, { headers });
  const [head = '', body = ''] = text.split('\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1\.1 200 /);
  expect(body.split('\r\n')[1]).toMatch(one.header);
  expect(body).not.toMatch(/\r\n0\r\n/);

  // Without chunks, the client would mistake a closed connection for the end of the file.
  const older = await readRaw(world.url, path, { version: '1.0', headers });
  expect(older.error).toBe('ECONNRESET');

  const lines = world.logLines.filter((line) => line.includes('a download was cut off'));
  expect(lines).toHaveLength(3);
});

it.each([
  ...BROKEN,
  {
    name: 'the contacts of a run as JSON',
    path: async (run: string) => `/v1/runs/${run}/contacts?format=json-file`,
    prepare: breakRun,
  },
])('refuses a download of $name whose first page cannot be read', async (one) => {
  const world = await open();
  const token = await world.addToken('admin');
  const path = await one.path(await one.prepare(world, 'first'));
  const headers = { authorization: `Bearer ${token}`, accept: 'text/csv' };
  const response = await world.request(path, { headers });
  expect(response.status).toBe(500);
  expect(response.headers.get('content-disposition')).toBeNull();
  expect(response.text).toContain('internal_error');
});

it('sends the header of a download that has no lines', async () => {
  const world = await open();
  const token = await world.addToken('admin');
  const path = '/v1/audit/export?action=schedule.paused';
  const headers = { authorization: `Bearer ${token}`, accept: 'text/csv' };
  const { status, text } = await world.request(path, { headers });
  expect(status).toBe(200);
  expect(text).toMatch(/^Entry,At,Who[^\n]+\n$/);
});

it('ends a download whose reader has left, without an error in the log', async () => {
  const world = await open();
  const token = await world.addToken('admin');
  await addEntries(world, 1_200);
  const path = '/v1/audit/export?action=schedule.paused';
  const headers = { authorization: `Bearer ${token}`, accept: 'text/csv' };
  const leave = new AbortController();
  const response = await fetch(world.url + path, { headers, signal: leave.signal });
  await response.body?.getReader().read();
  leave.abort();
  await sleep(50);
  const whole = await world.request(path, { headers });
  expect(whole.text.trim().split('\n')).toHaveLength(1_201);
  expect(world.logLines.filter((line) => line.includes('"level":50'))).toEqual([]);
});

function addEntries({ application: { store } }: HttpWorld, count: number): Promise<void> {
  return store.act(async (trx) => {
    for (let at = 0; at < count; at += 1) await savePause(trx, `client-${at}`);
  });
}

/** The program can still add new entries. */
async function breakAudit(world: HttpWorld, page: 'first' | 'second'): Promise<string> {
  // Older entries come later in the file.
  if (page === 'second') await addEntries(world, 1_000);
  const columns = ['seq', 'at', 'integration_id', 'action', 'key_id', 'hash'];
  const isBroken = page === 'first' ? '1 = 1' : 'seq < 200';
  change(
    world.folder,
    `alter table audit_entries rename to kept_entries;
    create view audit_entries as
      select ${columns.join(', ')}, iif(${isBroken}, json('['), sealed) as sealed from kept_entries;
    create trigger keep_entry instead of insert on audit_entries begin
      insert into kept_entries (${columns.join(', ')}, sealed)
      values (${columns.map((column) => `new.${column}`).join(', ')}, new.sealed);
    end`,
  );
  return '';
}

/** Changes a contact on this page of the run, so that the service cannot write the contact into the file. */
async function breakRun(world: HttpWorld, page: 'first' | 'second'): Promise<string> {
  await world.addPeople(3);
  const token = await world.addToken('admin');
  const asked = await world.request('/v1/integrations/riverside/runs', { method: 'POST', token });
  const { run } = asked.read(z.object({ run: z.object({ id: z.string() }) }));
  await world.untilEnded(run.id);
  const others = page === 'first' ? 0 : 1_500;
  change(
    world.folder,
    `with recursive n(at) as (select 1 union all select at + 1 from n where at <= ${others})
    insert into run_rows select run_id, 0, 'other-' || n.at, reason, detail, 1
    from n, (select * from run_rows limit 1) where n.at <= ${others};
    update run_rows set at = ${IMPOSSIBLE_TIME}, place = 9 where crm_id not like 'other-%'`,
  );
  return run.id;
}

function change(folder: string, statements: string): void {
  const db = new Sqlite(join(folder, 'store.db'));
  db.exec(statements);
  db.close();
}

/** Returns the bytes of a response that arrive before the connection ends. */
async function readRaw(
  url: string,
  path: string,
  { version = '1.1', headers }: { version?: string; headers: Record<string, string> },
): Promise<{ text: string; error: string | undefined }> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`GET ${path} HTTP/${version}\r\nHost: ${hostname}:${port}\r\n${lines.join('')}\r\n`);
  const received: string[] = [];
  socket.setEncoding('latin1');
  socket.on('data', (text) => received.push(String(text)));
  // If the connection is still open, the response ended normally.
  socket.setTimeout(2_000, () => socket.destroy());
  let error: string | undefined;
  socket.on('error', (thrown: NodeJS.ErrnoException) => {
    error = thrown.code;
  });
  await new Promise((resolve) => socket.on('close', resolve));
  return { text: received.join(''), error };
}
