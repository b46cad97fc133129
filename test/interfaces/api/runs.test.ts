import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { claimIdempotencyKey } from '../../../src/jobs/statements/idempotency.ts';
import { listRunRequests } from '../../../src/sync/statements/run-requests.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { holdJobs } from '../../helpers/held-jobs.ts';
import { errorSchema, type HttpWorld, openHttpWorld } from './http-world.ts';

const open = closedAfterTest(openHttpWorld);

const runSchema = z.looseObject({
  id: z.string(),
  status: z.string(),
  startedAt: z.iso.datetime(),
  contacts: z.looseObject({ read: z.int(), written: z.int(), enhanced: z.int() }),
});
const startedSchema = z.strictObject({ run: runSchema, joined: z.string().nullable() });
const shownSchema = z.strictObject({ run: runSchema });
const pageSchema = z.strictObject({ runs: z.array(runSchema), next: z.string().nullable() });

const RUNS = '/v1/integrations/riverside/runs';

async function start(here: HttpWorld, body?: unknown, headers: Record<string, string> = {}) {
  const answer = await here.request(RUNS, { method: 'POST', body, headers });
  expect(answer.status, answer.text).toBe(202);
  return { ...answer.read(startedSchema), answer };
}

describe('GET /v1/runs/:id/contacts', () => {
  const contactsSchema = z.strictObject({
    contacts: z.array(
      z.strictObject({
        crmId: z.string(),
        outcome: z.string().nullable(),
        reason: z.string(),
        text: z.string(),
        detail: z.string().nullable(),
        undone: z.boolean(),
        at: z.iso.datetime(),
      }),
    ),
    next: z.string().nullable(),
  });

  it('lists what a run did to each contact, page by page, also after the next run', async () => {
    const here = await open();
    const ids = await here.addPeople(5);
    const { run } = await start(here);
    await here.untilEnded(run.id);
    const next = await start(here, { full: true });
    await here.untilEnded(next.run.id);

    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const query: string = cursor === '' ? 'limit=2' : `limit=2&cursor=${cursor}`;
      const answer = await here.request(`/v1/runs/${run.id}/contacts?${query}`);
      const page = answer.read(contactsSchema);
      expect(page.contacts.length).toBeLessThanOrEqual(2);
      seen.push(...page.contacts.map(({ crmId }) => crmId));
      cursor = page.next;
    }
    expect(seen.sort()).toEqual([...ids].sort());
  });

  it('lets a caller look for outcomes, reasons and ids, and answers in CSV', async () => {
    const here = await open();
    const ids = await here.addPeople(3);
    const { run } = await start(here);
    await here.untilEnded(run.id);
    const of = `/v1/runs/${run.id}/contacts`;
    const found = async (query: string) =>
      (await here.request(`${of}?${query}`)).read(contactsSchema).contacts.length;
    expect(await found('outcome=held,failed')).toBe(0);
    expect(await found('outcome=written')).toBe(3);
    expect(await found('reason=fields_written')).toBe(3);
    expect(await found(`contact=${ids[0]}`)).toBe(1);

    const csv = await here.request(`${of}?format=csv&outcome=written`);
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(csv.text.trim().split('\n')).toHaveLength(4);
    expect(csv.text).toMatch(/^Contact,Outcome,Reason,Why,Detail,At,Undone\n/);
  });

  it('refuses what it does not know', async () => {
    const here = await open({ isIdle: true });
    const { run } = await start(here);
    const status = async (path: string) => (await here.request(path)).status;
    expect(await status('/v1/runs/no-run/contacts')).toBe(404);
    expect(await status(`/v1/runs/${run.id}/contacts?outcome=hold`)).toBe(422);
    expect(await status(`/v1/runs/${run.id}/contacts?cursor=no`)).toBe(422);
    const waiting = await here.request(`/v1/runs/${run.id}/contacts`);
    expect(waiting.read(contactsSchema)).toEqual({ contacts: [], next: null });
  });
});

describe('POST /v1/integrations/:id/runs', () => {
  it('starts a run, which GET /v1/runs/:id shows to its end', async () => {
    const here = await open();
    await here.addPeople(5);
    const { run, joined, answer } = await start(here);
    expect(joined).toBeNull();
    expect(run.status).toBe('running');
    expect(answer.headers.get('location')).toBe(`/v1/runs/${run.id}`);

    await here.untilEnded(run.id);
    const shown = (await here.request(`/v1/runs/${run.id}`)).read(shownSchema);
    expect(shown.run).toMatchObject({ id: run.id, status: 'succeeded', trigger: 'manual' });
    expect(shown.run.contacts).toMatchObject({ read: 5, enhanced: 5 });
  });

  it('shows a run that waits as running, with nothing done', async () => {
    const here = await open({ isIdle: true });
    const { run } = await start(here);
    const shown = (await here.request(`/v1/runs/${run.id}`)).read(shownSchema);
    expect(shown.run).toMatchObject({ status: 'running', finishedAt: null });
    expect(shown.run.contacts).toMatchObject({ read: 0, chosen: 0, written: 0 });
  });

  it('joins a run that is going on or waiting, and says so', async () => {
    const here = await open({ isIdle: true });
    const first = await start(here);
    const second = await start(here);
    expect(second).toMatchObject({ run: { id: first.run.id }, joined: 'waiting' });
  });

  it('syncs one contact, if asked', async () => {
    const here = await open();
    const [contact] = await here.addPeople(3);
    const { run } = await start(here, { contact });
    await here.untilEnded(run.id);
    const shown = (await here.request(`/v1/runs/${run.id}`)).read(shownSchema);
    expect(shown.run.contacts).toMatchObject({ read: 1, enhanced: 1 });
  });

  it('leads to the same run for the same Idempotency-Key and body', async () => {
    const here = await open();
    const key = { 'idempotency-key': 'tonight' };
    const first = await start(here, { full: true }, key);
    await here.untilEnded(first.run.id);
    const second = await start(here, { full: true }, key);
    expect(second.run).toMatchObject({ id: first.run.id, status: 'succeeded' });
    expect((await here.request('/v1/runs')).read(pageSchema).runs).toHaveLength(1);
  });

  it('leads to one run, however many come with the same key at once', async () => {
    const here = await open();
    const key = { 'idempotency-key': 'all at once' };
    const all = await Promise.all(Array.from({ length: 20 }, () => start(here, {}, key)));
    const ids = new Set(all.map(({ run }) => run.id));
    expect(ids.size).toBe(1);
  });

  it('refuses the same Idempotency-Key with another body', async () => {
    const here = await open({ isIdle: true });
    const headers = { 'idempotency-key': 'tonight' };
    await start(here, { full: true }, headers);
    const answer = await here.request(RUNS, { method: 'POST', body: { full: false }, headers });
    expect(answer.status).toBe(422);
    expect(answer.read(errorSchema).error.code).toBe('idempotency_key_reused');
  });

  it('makes good a key whose first request broke off before the run request was on record', async () => {
    const here = await open({ isIdle: true });
    const { store } = here.application;
    const fingerprint = store.fingerprint('idempotency_key', 'riverside\nbroken');
    const asked = store.fingerprint('idempotent_request', JSON.stringify([null, false]));
    await store.act((trx) => claimIdempotencyKey(trx, fingerprint, asked, 'a-run-that-never-was'));
    const { run } = await start(here, {}, { 'idempotency-key': 'broken' });
    const shown = await here.request(`/v1/runs/${run.id}`);
    expect(shown.status).toBe(200);
  });

  it('refuses an invalid request for a run, and lists each problem', async () => {
    const here = await open({ isIdle: true });
    const post = { method: 'POST' };
    const unknown = await here.request('/v1/integrations/unknown/runs', post);
    expect(unknown.status).toBe(404);
    expect(unknown.read(errorSchema).error.code).toBe('integration_unknown');
    const typo = await here.request(RUNS, { ...post, body: { contct: '1', full: 'yes' } });
    expect(typo.status).toBe(422);
    expect(typo.read(errorSchema).error.message).toContain('contct');
    const broken = await here.request(RUNS, {
      ...{ ...post, body: '{"full":' },
      headers: { 'content-type': 'application/json' },
    });
    expect([broken.status, broken.read(errorSchema).error.code]).toEqual([400, 'body_unreadable']);
    const form = await here.request(RUNS, { ...post, body: 'full=1' });
    expect([form.status, form.read(errorSchema).error.code]).toEqual([415, 'body_not_json']);
    const empty = { ...post, body: '', headers: { 'content-type': 'text/xml' } };
    expect((await here.request(RUNS, empty)).status).toBe(415);
    expect(await listRunRequests(here.application.store.reader)).toEqual([]);
  });
});

describe('GET /v1/runs', () => {
  it('gives the runs page by page, the newest first', async () => {
    const here = await open();
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      const { run } = await start(here);
      await here.untilEnded(run.id);
      ids.unshift(run.id);
    }
    const pageOf = async (query: string) =>
      (await here.request(`/v1/runs?limit=2${query}`)).read(pageSchema);
    const first = await pageOf('');
    const second = await pageOf(`&cursor=${first.next}`);
    const third = await pageOf(`&cursor=${second.next}`);
    expect(third.next).toBeNull();
    const seen = [first, second, third].flatMap(({ runs }) => runs.map(({ id }) => id));
    expect(seen).toEqual(ids);
  });

  it('lists runs in another order page by page, and refuses a cursor of another order', async () => {
    const here = await open();
    const ids: string[] = [];
    for (let index = 0; index < 3; index += 1) {
      const { run } = await start(here);
      await here.untilEnded(run.id);
      ids.push(run.id);
    }
    const pageOf = async (query: string) =>
      (await here.request(`/v1/runs?limit=2&sort=oldest${query}`)).read(pageSchema);
    const first = await pageOf('');
    const second = await pageOf(`&cursor=${first.next}`);
    expect([...first.runs, ...second.runs].map(({ id }) => id)).toEqual(ids);
    const mixed = await here.request(`/v1/runs?limit=2&cursor=${first.next}`);
    expect(mixed.status).toBe(422);
    expect(mixed.read(errorSchema).error.code).toBe('cursor_invalid');
    expect((await here.request('/v1/runs?sort=odd')).status).toBe(422);
  });

  it('filters by integration and status, and refuses what it does not know', async () => {
    const here = await open();
    const { run } = await start(here);
    await here.untilEnded(run.id);
    const count = async (query: string) =>
      (await here.request(`/v1/runs?${query}`)).read(pageSchema).runs.length;
    expect(await count('integration=riverside&status=succeeded')).toBe(1);
    expect(await count('status=failed')).toBe(0);
    const unknown = await here.request('/v1/runs?integration=unknown');
    expect(unknown.status).toBe(404);
    expect(unknown.read(errorSchema).error.code).toBe('integration_unknown');
    for (const query of ['limit=0', 'limit=many', 'status=odd', 'cursor=odd']) {
      expect((await here.request(`/v1/runs?${query}`)).status, query).toBe(422);
    }
    expect((await here.request('/v1/runs/none')).status).toBe(404);
  });
});

describe('GET /v1/runs/:id/events', () => {
  it('tells how the run goes on, whatever the listener has heard before, and ends with it', async () => {
    const jobs = holdJobs();
    const here = await open({ service: jobs.service });
    await here.addPeople(4);
    const { run } = await start(here);
    const answer = await fetch(`${here.url}/v1/runs/${run.id}/events`, {
      headers: { 'last-event-id': 'made up' },
    });
    expect(answer.headers.get('content-type')).toContain('text/event-stream');
    jobs.letEnd();
    const text = await answer.text();
    const events = text.split('\n\n').filter((part) => part.includes('event:'));
    expect(events.length).toBeGreaterThan(1);
    expect(events[0]).toContain('event: progress');
    expect(events.slice(0, -1).join('')).not.toContain('event: ended');
    const last = events.at(-1) ?? '';
    expect(last).toContain('event: ended');
    const data = /^data: (.*)$/m.exec(last)?.[1] ?? '';
    expect(runSchema.parse(JSON.parse(data))).toMatchObject({ id: run.id, status: 'succeeded' });
  });

  it('tells of a run that is over at once, and of none that never was', async () => {
    const here = await open();
    const { run } = await start(here);
    await here.untilEnded(run.id);
    const { text } = await here.request(`/v1/runs/${run.id}/events`);
    expect(text.match(/event: /g)).toHaveLength(1);
    expect((await here.request('/v1/runs/none/events')).status).toBe(404);
  });

  it('counts no caller as a listener who asks for the headers alone', async () => {
    const here = await open({ isIdle: true });
    const { run } = await start(here);
    const path = `/v1/runs/${run.id}/events`;
    for (let asked = 0; asked < 401; asked += 1) {
      const { status, headers } = await here.request(path, { method: 'HEAD' });
      expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    }
    const gone = new AbortController();
    const answer = await fetch(here.url + path, { signal: gone.signal });
    expect(answer.status).toBe(200);
    gone.abort();
  });

  it('accepts at most 400 listeners, and accepts new ones after others have left', async () => {
    const here = await open({ isIdle: true });
    const { run } = await start(here);
    const gone = new AbortController();
    const follow = () => fetch(`${here.url}/v1/runs/${run.id}/events`, { signal: gone.signal });
    const streams = await Promise.all(Array.from({ length: 400 }, follow));
    expect(streams.every(({ status }) => status === 200)).toBe(true);
    const refused = await here.request(`/v1/runs/${run.id}/events`);
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).not.toBeNull();
    gone.abort();
    let status = 503;
    for (let look = 0; look < 100 && status === 503; look += 1) {
      const again = new AbortController();
      const answer = await fetch(`${here.url}/v1/runs/${run.id}/events`, { signal: again.signal });
      status = answer.status;
      again.abort();
    }
    expect(status).toBe(200);
  });
});
