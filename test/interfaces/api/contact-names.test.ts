/**
 * Tests contacts' names on pages. The tests check who can see the names, and which parts the pages omit. They also
 * check how long the names remain in memory.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { RetriableError } from '../../../src/core/errors.ts';
import { listAuditEntries } from '../../../src/privacy/audit/read-audit.ts';
import { countShownNames } from '../../../src/privacy/shown-names.ts';
import { withDatabase } from '../../browser/rooms.ts';
import { controlService } from '../../helpers/service-control.ts';
import { type HttpWorld, openHttpWorld } from './http-world.ts';
import { join, send } from './people-world.ts';

let world: HttpWorld;
let people: string[];
let owner: { id: string; cookie: string };
let left: Generator<string, string>;

beforeAll(async () => {
  world = await openHttpWorld({
    others: ['harbor'],
    integration: { contacts: { filter: 'Known' } },
  });
  people = await world.addPeople(24);
  const { runId } = await world.runner.request({ integrationId: 'riverside', trigger: 'manual' });
  await world.untilEnded(runId);
  owner = await join(world, 'Olga', 'owner');
  left = others();
});
afterAll(() => world.close());

function* others(): Generator<string, string> {
  yield* people;
  throw new Error('no contact is left');
}

const answerSchema = z.object({
  names: z.object({
    contacts: z.array(z.object({ integration: z.string(), crmId: z.string(), name: z.string() })),
    problems: z.array(z.object({ integration: z.string(), text: z.string() })),
  }),
});

async function request(contacts: readonly string[], cookie = owner.cookie) {
  const response = await fetch(`${world.url}/v1/contact-names`, {
    method: 'POST',
    headers: { cookie, origin: world.url, 'content-type': 'application/json' },
    body: JSON.stringify({ contacts }),
  });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

async function ask(ids: readonly string[], cookie = owner.cookie, client = 'riverside') {
  const { status, text } = await request(
    ids.map((id) => `${client}/${id}`),
    cookie,
  );
  expect(status, text).toBe(200);
  const { contacts, problems } = answerSchema.parse(JSON.parse(text)).names;
  return { names: new Map(contacts.map(({ crmId, name }) => [crmId, name])), problems };
}

function nameOf(crmId: string): string {
  const contact = world.crm.records.get(crmId)?.contact;
  return `${contact?.firstName} ${contact?.lastName}`;
}

const reads = () => world.crm.calls.readByIds;
const inMemory = () => countShownNames(world.application.store.fingerprint);
const entriesOfNames = () =>
  listAuditEntries(world.application.store, { action: 'names.shown', limit: 1_000 });

describe('the names of the contacts on a page', () => {
  it('are read at once, are free, and have one entry in the audit, without names', async () => {
    const ids = [left.next().value, left.next().value, left.next().value];
    const control = controlService(world.service);
    const [spent, asked] = [await control.spentInAll(), (await control.requests()).length];
    const before = { reads: reads(), entries: (await entriesOfNames()).length };
    const { names, problems } = await ask(ids);
    expect(problems).toEqual([]);
    expect([...names]).toEqual(ids.map((id) => [id, nameOf(id)]));
    expect(reads()).toBe(before.reads + 1);
    const entries = await entriesOfNames();
    expect(entries).toHaveLength(before.entries + 1);
    expect(entries[0]).toMatchObject({
      integrationId: 'riverside',
      crmId: null,
      details: { command: 'contacts names', names: 3 },
    });
    expect(await control.spentInAll()).toBe(spent);
    expect(await control.requests()).toHaveLength(asked);
  });

  it('come from memory for ten minutes, and the audit records that they were shown', async () => {
    const id = left.next().value;
    await ask([id]);
    const before = { reads: reads(), entries: (await entriesOfNames()).length };
    world.crm.failNext('open', closed());
    expect((await ask([id])).names.get(id)).toBe(nameOf(id));
    expect(reads()).toBe(before.reads);
    expect(await entriesOfNames()).toHaveLength(before.entries + 1);
    await expect(ask([left.next().value])).resolves.toMatchObject({
      problems: [{ integration: 'riverside', text: 'The CRM is closed for repairs.' }],
    });
  });

  it('are at most 100 a request, each as CLIENT/ID, and may not be cached', async () => {
    const many = Array.from({ length: 101 }, (_, place) => `riverside/${place}`);
    expect((await request(many)).status).toBe(422);
    expect((await request([])).status).toBe(422);
    expect((await request(['c1'])).status).toBe(422);
    const { headers } = await request([`riverside/${people[0]}`]);
    expect(headers.get('cache-control')).toContain('no-store');
  });

  it('are for readers, and of no client without access', async () => {
    const [id = ''] = people;
    const viewer = await world.addToken('viewer');
    const body = { contacts: [`riverside/${id}`] };
    const lower = await world.request('/v1/contact-names', { method: 'POST', token: viewer, body });
    expect(lower.status).toBe(403);
    const { cookie } = await join(world, 'Hal', 'reader', ['harbor']);
    const before = { reads: reads(), entries: (await entriesOfNames()).length };
    const foreign = await request([`riverside/${id}`], cookie);
    const nowhere = await request([`nowhere/${id}`], cookie);
    expect([foreign.status, nowhere.status]).toEqual([404, 404]);
    for (const { text } of [foreign, nowhere]) expect(text).toContain('integration_unknown');
    expect(foreign.text).not.toContain(nameOf(id).split(' ')[1]);
    expect((await ask([id], cookie, 'harbor')).names.size).toBe(0);
    expect(reads()).toBe(before.reads);
    expect(await entriesOfNames()).toHaveLength(before.entries);
  });

  it('leave out contacts that no run has read, that the filter excludes or that have left', async () => {
    const outside = left.next().value;
    const gone = left.next().value;
    const fresh = world.crm.addContact({ firstName: 'Nina', lastName: 'Fresh', addresses: [] });
    world.crm.filter = ({ contact }) => contact.id !== outside;
    world.crm.deleteContact(gone);
    try {
      expect((await ask([outside, fresh, gone])).names.size).toBe(0);
    } finally {
      world.crm.filter = null;
    }
  });

  it.each([{ optedOut: true }, { objects: true }])(
    'leave out a contact with %o in the CRM',
    async (mark) => {
      const id = left.next().value;
      world.crm.editContact(id, mark);
      expect((await ask([id])).names.size).toBe(0);
    },
  );

  it('are in no log, no audit entry, no metric and no database', async () => {
    const id = world.crm.addContact({
      ...{ firstName: 'Wilhelmina', lastName: 'Xanthopoulos', addresses: ['1 Quay, Reno'] },
    });
    const { runId } = await world.runner.request({ integrationId: 'riverside', trigger: 'manual' });
    await world.untilEnded(runId);
    expect((await ask([id])).names.get(id)).toBe('Wilhelmina Xanthopoulos');
    const kept = [...world.logLines, ...(await world.files())].join('\n').toLowerCase();
    const audit = JSON.stringify(await entriesOfNames()).toLowerCase();
    const token = await world.addToken('reader');
    const metrics = (await world.request('/metrics', { token })).text.toLowerCase();
    const page = (await world.request(`/runs/${runId}`, { token })).text.toLowerCase();
    for (const text of [kept, audit, metrics, page]) expect(text).not.toContain('xanthop');
  });
});

describe('the memory of names', () => {
  it('is emptied by an opt-out that a run has found', async () => {
    const id = left.next().value;
    await ask([id]);
    const before = inMemory();
    await withDatabase(world, (db) =>
      db.updateTable('contacts').set({ has_opted_out: 1 }).where('crm_id', '=', id).execute(),
    );
    expect((await ask([id])).names.size).toBe(0);
    expect(inMemory()).toBe(before - 1);
  });

  it('is emptied by an erasure', async () => {
    const id = left.next().value;
    await ask([id]);
    expect(inMemory()).toBeGreaterThan(0);
    const page = `/clients/riverside/contacts/${id}`;
    const shown = await send(world, `${page}/forget/preview`, {}, { cookie: owner.cookie });
    const digest = /name="digest" value="([^"]+)"/.exec(shown.text)?.[1] ?? '';
    await send(world, `${page}/forget`, { digest }, { cookie: owner.cookie });
    const done = () =>
      listAuditEntries(world.application.store, { action: 'forget.done', limit: 5 });
    await expect.poll(done, { timeout: 20_000 }).toHaveLength(1);
    expect(inMemory()).toBe(0);
    const before = reads();
    expect((await ask([id])).names.size).toBe(0);
    expect(reads()).toBe(before);
  });

  it('is emptied for a user who signs out', async () => {
    const id = left.next().value;
    const { cookie } = await join(world, 'Sol', 'reader');
    await ask([id]);
    const before = inMemory();
    await ask([id], cookie);
    expect(inMemory()).toBe(before + 1);
    await send(world, '/sign-out', {}, { cookie });
    expect(inMemory()).toBe(before);
    expect((await request([`riverside/${id}`], cookie)).status).toBe(401);
  });

  it('is emptied for a user whose role changes', async () => {
    const id = left.next().value;
    const { id: user, cookie } = await join(world, 'Rob', 'decider');
    const before = inMemory();
    await ask([id], cookie);
    expect(inMemory()).toBe(before + 1);
    const form = { role: 'viewer', reach: 'all' };
    await send(world, `/users/${user}/role`, form, { cookie: owner.cookie });
    expect(inMemory()).toBe(before);
    expect((await request([`riverside/${id}`], cookie)).status).toBe(403);
  });

  it('is not shared between users', async () => {
    const id = left.next().value;
    const { cookie } = await join(world, 'Una', 'reader');
    await ask([id]);
    const before = reads();
    await ask([id], cookie);
    expect(reads()).toBe(before + 1);
  });
});

function closed(): RetriableError {
  return new RetriableError('The CRM is closed for repairs.', { code: 'crm_unavailable' });
}
