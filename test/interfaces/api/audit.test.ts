import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { savePause } from '../../../src/clients/statements/schedules.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { openHttpWorld } from './http-world.ts';

const open = closedAfterTest(openHttpWorld);

const pageSchema = z.strictObject({
  entries: z.array(
    z.strictObject({
      seq: z.int(),
      at: z.iso.datetime(),
      who: z.strictObject({
        kind: z.string(),
        name: z.string().nullable(),
        from: z.string().nullable(),
      }),
      action: z.string(),
      integration: z.string().nullable(),
      contact: z.string().nullable(),
      contactErased: z.boolean(),
      details: z.record(z.string(), z.unknown()),
      readable: z.boolean(),
    }),
  ),
  next: z.string().nullable(),
});

describe('GET /v1/audit', () => {
  it('contains the token and the address of a caller that requested a run', async () => {
    const world = await open();
    const token = await world.addToken('admin');
    await world.request('/v1/integrations/riverside/runs', { method: 'POST', token });
    const answer = await world.request('/v1/audit?action=run.asked', { token });
    const { entries } = answer.read(pageSchema);
    expect(entries).toHaveLength(1);
    expect(entries[0]).toMatchObject({
      who: { kind: 'token', name: expect.any(String), from: '127.0.0.1' },
      integration: 'riverside',
      details: { trigger: 'manual' },
    });
  });

  it('contains the address of a webhook call that requested a run', async () => {
    const world = await open();
    const token = await world.addToken('admin');
    await world.request(await world.addHook(), { method: 'POST' });
    const answer = await world.request('/v1/audit?action=run.asked', { token });
    const [entry] = answer.read(pageSchema).entries;
    expect(entry?.who).toEqual({ kind: 'webhook', name: null, from: '127.0.0.1' });
  });

  it('is for admins alone', async () => {
    const world = await open();
    const token = await world.addToken('viewer');
    expect((await world.request('/v1/audit', { token })).status).toBe(403);
    expect((await world.request('/v1/audit')).status).toBe(401);
  });

  it('comes in pages, the newest first, and refuses what it cannot mean', async () => {
    const world = await open();
    const token = await world.addToken('admin');
    const { store } = world.application;
    for (const id of ['a', 'b', 'c']) await store.act((trx) => savePause(trx, id));
    const seen: (string | null)[] = [];
    let cursor = '';
    do {
      const path = `/v1/audit?action=schedule.paused&limit=2${cursor}`;
      const { entries, next } = (await world.request(path, { token })).read(pageSchema);
      seen.push(...entries.map(({ integration }) => integration));
      cursor = next === null ? '' : `&cursor=${next}`;
    } while (cursor !== '');
    expect(seen).toEqual(['c', 'b', 'a']);
    for (const query of ['cursor=x', 'action=x', 'since=yesterday']) {
      expect((await world.request(`/v1/audit?${query}`, { token })).status).toBe(422);
    }
  });
});

describe('GET /v1/audit/export', () => {
  it('is one file with every entry, and is on record', async () => {
    const world = await open();
    const token = await world.addToken('admin');
    const { store } = world.application;
    for (const id of ['a', 'b', 'c']) await store.act((trx) => savePause(trx, id));
    const path = '/v1/audit/export?action=schedule.paused';
    const file = await world.request(path, { token });
    expect(file.status).toBe(200);
    expect(file.text.trim().split('\n')).toHaveLength(4);
    const exported = await world.request('/v1/audit?action=audit.exported', { token });
    expect(exported.read(pageSchema).entries).toMatchObject([
      { who: { kind: 'token' }, integration: null },
    ]);
  });

  it('has what is within reach, and names no other client in the record', async () => {
    const world = await open({ others: ['harbor'] });
    const token = await world.addToken('admin', ['riverside']);
    const { store } = world.application;
    for (const id of ['harbor', 'riverside']) await store.act((trx) => savePause(trx, id));
    const path = '/v1/audit/export?action=schedule.paused';
    const { text } = await world.request(path, { token });
    expect(text).toContain('riverside');
    expect(text).not.toContain('harbor');
    await world.request(`${path}&integration=harbor`, { token });
    const owner = await world.addToken('admin');
    const exported = await world.request('/v1/audit?action=audit.exported', { token: owner });
    expect(exported.read(pageSchema).entries.map(({ integration }) => integration)).toEqual([
      null,
      null,
    ]);
  });
});

describe('POST /v1/audit/verify', () => {
  it('tells only with an end that was noted down whether nothing before it is gone', async () => {
    const world = await open();
    const token = await world.addToken('admin');
    const ask = async (body?: object) => {
      const path = '/v1/audit/verify';
      const asked = { method: 'POST', token, ...(body && { body }) };
      return (await world.request(path, asked)).read(checkSchema);
    };
    const first = await ask();
    expect(first).toMatchObject({ isRunning: false, verdict: 'cannot_tell', problems: [] });
    expect(await ask({ known: first.end })).toMatchObject({ verdict: 'intact', problems: [] });
    const other = await ask({ known: `${first.end?.split(':')[0]}:abc` });
    expect(other.verdict).toBe('changed');
    expect(other.problems.join(' ')).toContain('that you saved earlier');
  });
});

const checkSchema = z.object({
  isRunning: z.boolean(),
  verdict: z.string().nullable(),
  problems: z.array(z.string()),
  end: z.string().nullable(),
});

const errorSchema = z.object({ error: z.object({ message: z.string() }) });

const IMPOSSIBLE = [
  { api: 'action=sleepy', page: 'action=sleepy', text: /There is no such action in the audit/ },
  { api: 'since=soon', page: 'from=soon', text: /The start of the period must be a day/ },
  { api: 'until=2026-02-30', page: 'to=2026-02-30', text: /The end of the period must be a day/ },
  {
    api: `person=${'x'.repeat(101)}`,
    page: `person=${'x'.repeat(101)}`,
    text: /The name of the user or token must have 1 to 100/,
  },
  {
    api: `integration=${'x'.repeat(64)}`,
    page: `client=${'x'.repeat(64)}`,
    text: /The ID of the client must have 1 to 63/,
  },
  { api: 'actor=anna', page: 'actor=anna', text: /There is no filter (&quot;|")actor(&quot;|")/ },
];

describe('a filter of the audit that does not fit', () => {
  it.each(IMPOSSIBLE)('is refused in the API, on the page and as a file: $page', async (one) => {
    const world = await open();
    const token = await world.addToken('admin');
    const { store } = world.application;
    await store.act((trx) => savePause(trx, 'riverside'));
    const api = await world.request(`/v1/audit?${one.api}`, { token });
    expect(api.status).toBe(422);
    expect(api.read(errorSchema).error.message).toMatch(one.text);
    for (const path of ['/audit', '/audit/csv']) {
      const answer = await world.request(`${path}?${one.page}`, { token });
      expect(answer.status).toBe(422);
      expect(answer.text).toMatch(one.text);
      expect(answer.text).not.toContain('schedule.paused</code>');
      expect(answer.text).not.toContain('Entry,At,Who');
      expect(answer.text).not.toContain('Download as CSV');
    }
    const exported = await world.request('/v1/audit?action=audit.exported', { token });
    expect(exported.read(pageSchema).entries).toEqual([]);
  });

  it('keeps in the form what was typed', async () => {
    const world = await open();
    const token = await world.addToken('admin');
    const query = 'client=riverside&action=sleepy&person=Ann&from=soon&to=2026-11-02';
    const { text } = await world.request(`/audit?${query}`, { token });
    for (const typed of ['riverside', 'sleepy', 'Ann', 'soon', '2026-11-02']) {
      expect(text).toContain(`value="${typed}"`);
    }
    expect(text).toMatch(/<option value="sleepy" selected/);
  });

  it('is left out by the form where a field is empty', async () => {
    const world = await open();
    const token = await world.addToken('admin');
    const { store } = world.application;
    for (const id of ['harbor', 'riverside']) await store.act((trx) => savePause(trx, id));
    const query = 'client=riverside&action=schedule.paused&person=&from=&to=';
    const { status, text } = await world.request(`/audit/csv?${query}`, { token });
    expect(status).toBe(200);
    expect(text.trim().split('\n')).toHaveLength(2);
    expect(text).toContain('riverside');
  });
});
