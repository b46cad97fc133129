/** Tests the API's export of all of a client's data. The service sends one ZIP file while it creates the file. */
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { listAuditEntries } from '../../../src/privacy/audit/read-audit.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { WITHOUT_TRIAL } from '../../helpers/sync-world.ts';
import { errorSchema, type HttpWorld, openHttpWorld } from './http-world.ts';
import { join as invite } from './people-world.ts';
import { readZip } from './zip-reader.ts';

const open = closedAfterTest(openHttpWorld);

const PATH = '/v1/integrations/riverside/export';
const startedSchema = z.object({ run: z.object({ id: z.string() }) });

async function openSynced() {
  const world = await open({ integration: WITHOUT_TRIAL, others: ['harbor'] });
  const token = await world.addToken('owner');
  await world.addPeople(12);
  const asked = { method: 'POST', token };
  const { run } = (await world.request('/v1/integrations/riverside/runs', asked)).read(
    startedSchema,
  );
  await world.untilEnded(run.id);
  const { cookie } = await invite(world, 'Olga', 'owner');
  const ask = (path = PATH) =>
    fetch(world.url + path, { method: 'POST', headers: { cookie, origin: world.url } });
  return { world, token, ask };
}

async function entriesOf({ application: { store } }: HttpWorld) {
  const entries = await listAuditEntries(store, { limit: 50 });
  return entries.filter(({ action }) => action.startsWith('everything.')).reverse();
}

it('sends all that is held of a client, and records who asked and how it ended', async () => {
  const { world, ask } = await openSynced();
  const response = await ask();
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/zip');
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.get('content-disposition')).toBe('attachment; filename="riverside.zip"');
  const files = readZip(Buffer.from(await response.arrayBuffer()));
  expect([...files.keys()]).toEqual(
    expect.arrayContaining(['contacts.csv', 'audit.csv', 'README.txt', 'settings.yaml']),
  );
  expect(files.get('contacts.csv')?.trim().split('\n')).toHaveLength(13);
  expect(files.get('settings.yaml')).toContain('id: riverside');
  const all = [...files.values()].join('\n');
  expect(all).not.toContain('harbor');
  expect(all).not.toContain(world.service.apiKey);
  const who = { actor: { kind: 'session', name: 'Olga' }, integrationId: 'riverside' };
  expect(await entriesOf(world)).toMatchObject([
    { ...who, action: 'everything.exported' },
    { ...who, action: 'everything.ended', details: { complete: true } },
  ]);
});

it('is cut if an error stops it, and the client is free again', async () => {
  const { world, ask } = await openSynced();
  const db = new Sqlite(join(world.folder, 'store.db'));
  // A time that cannot be formatted.
  db.exec('update run_rows set at = 9000000000000000');
  const response = await ask();
  expect(response.status).toBe(200);
  await expect(response.arrayBuffer()).rejects.toThrow();
  await expect
    .poll(async () => (await entriesOf(world)).at(-1))
    .toMatchObject({ action: 'everything.ended', details: { complete: false } });
  expect(world.logLines.filter((line) => line.includes('a download was cut off'))).toHaveLength(1);
  db.exec('update run_rows set at = 1');
  db.close();
  expect(readZip(Buffer.from(await (await ask()).arrayBuffer())).size).toBeGreaterThan(5);
});

it('is refused if nothing of it can be read', async () => {
  const { world, ask } = await openSynced();
  const db = new Sqlite(join(world.folder, 'store.db'));
  db.exec('update contacts set outcome_at = 9000000000000000');
  db.close();
  const response = await ask();
  expect([response.status, response.headers.get('content-disposition')]).toEqual([500, null]);
  expect(await response.text()).toContain('internal_error');
  expect((await entriesOf(world)).at(-1)).toMatchObject({
    action: 'everything.ended',
    details: { complete: false },
  });
});

it('is for owners who are signed in, and for clients that there are', async () => {
  const { world, token, ask } = await openSynced();
  const byToken = await world.request(PATH, { method: 'POST', token });
  expect([byToken.status, byToken.read(errorSchema).error.code]).toEqual([403, 'person_needed']);
  const admin = await invite(world, 'Ada', 'admin');
  const headers = { cookie: admin.cookie, origin: world.url };
  expect((await world.request(PATH, { method: 'POST', headers })).status).toBe(403);
  const unknown = await ask('/v1/integrations/nowhere/export');
  expect([unknown.status, unknown.headers.get('content-disposition')]).toEqual([404, null]);
  await world.application.takeLease('riverside');
  const busy = await ask();
  expect(busy.status).toBe(503);
  expect(await entriesOf(world)).toEqual([]);
});
