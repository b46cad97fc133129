/** Tests the order, exclusions and names of introductions. Also tests the download and a user's own list. */
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { CAPACITY_BAND_IDS } from '../../../src/core/capacity.ts';
import { RetriableError } from '../../../src/core/errors.ts';
import { listAuditEntries } from '../../../src/privacy/audit/read-audit.ts';
import { eraseRows } from '../../../src/privacy/statements/erase-rows.ts';
import { type NetworkHttpWorld, openNetworkWorld } from '../../browser/network-world.ts';
import { withDatabase } from '../../browser/rooms.ts';
import { join, send } from './people-world.ts';

let world: NetworkHttpWorld;
let rea: { id: string; cookie: string };
let ben: { id: string; cookie: string };

beforeAll(async () => {
  world = await openNetworkWorld({
    others: ['harbor'],
    integration: { contacts: { filter: 'Known' } },
  });
  rea = await join(world, 'Rea', 'reader');
  ben = await join(world, 'Ben', 'reader');
});
afterAll(() => world.close());

const viewSchema = z.object({
  introductions: z.object({
    total: z.number(),
    problem: z.string().nullable(),
    networks: z.array(z.string()),
    members: z.array(z.object({ donorId: z.string(), name: z.string().nullable() })),
    contacts: z.array(
      z.object({
        crmId: z.string(),
        name: z.string().nullable(),
        capacity: z.enum(CAPACITY_BAND_IDS).nullable(),
        strength: z.number(),
        member: z.object({
          donorId: z.string(),
          contact: z.string().nullable(),
          name: z.string().nullable(),
        }),
        sentence: z.string(),
        isListed: z.boolean(),
      }),
    ),
  }),
});

const API = '/v1/integrations/riverside';

async function call(method: string, path: string, cookie: string, body?: object) {
  return fetch(world.url + path, {
    method,
    headers: {
      cookie,
      origin: world.url,
      'content-type': 'application/json',
    },
    ...(body && { body: JSON.stringify(body) }),
  });
}

async function ask(body: object = {}, cookie = rea.cookie) {
  const answer = await call('POST', `${API}/introductions`, cookie, { limit: 500, ...body });
  const text = await answer.text();
  expect(answer.status, text).toBe(200);
  return viewSchema.parse(JSON.parse(text)).introductions;
}

function nameOf(crmId: string): string {
  const contact = world.crm.records.get(crmId)?.contact;
  return `${contact?.firstName} ${contact?.lastName}`;
}

/** Changes a contact in the database as a run would, and updates the ranking. */
async function change(crmId: string, values: object): Promise<void> {
  await withDatabase(world, async (db) => {
    await db.updateTable('contacts').set(values).where('crm_id', '=', crmId).execute();
    await forgetRanking(db);
  });
}

/** Pretends that a run has ended, so that the product no longer uses rankings in memory. */
async function forgetRanking(db: Parameters<Parameters<typeof withDatabase>[1]>[0]) {
  await db
    .updateTable('runs')
    .set((eb) => ({ finished_at: eb('finished_at', '+', 1) }))
    .execute();
}

describe('the introductions', () => {
  it('are in the order of capacity and then strength, with names and a sentence about each', async () => {
    const { total, contacts, problem, networks } = await ask();
    expect({ problem, networks }).toEqual({ problem: null, networks: ['Board'] });
    expect(total).toBe(contacts.length);
    expect(total).toBeGreaterThan(10);
    const keys = contacts.map(({ capacity, strength }) => {
      const band =
        capacity === null ? CAPACITY_BAND_IDS.length : CAPACITY_BAND_IDS.indexOf(capacity);
      return band * 10 - strength;
    });
    expect(keys).toEqual(keys.toSorted((a, b) => a - b));
    expect(new Set(contacts.map(({ capacity }) => capacity)).size).toBeGreaterThan(1);
    for (const { crmId, name, member, sentence } of contacts) {
      expect(name).toBe(nameOf(crmId));
      expect(member.name).toBe(nameOf(member.contact ?? ''));
      expect(sentence).toContain(`${member.name} of Board can introduce`);
    }
  });

  it('are filtered by capacity and member, and paged', async () => {
    const { contacts, members } = await ask();
    const rich = await ask({ capacity: '25k' });
    const atLeast = contacts.filter(({ capacity }) =>
      ['1m', '250k', '100k', '25k'].includes(capacity ?? ''),
    );
    expect(rich.contacts).toEqual(atLeast);
    const [member] = members;
    const through = await ask({ member: member?.donorId });
    expect(through.contacts.map(({ member: by }) => by.donorId)).toEqual(
      through.contacts.map(() => member?.donorId),
    );
    expect(through.total).toBeGreaterThan(0);
    const page = await ask({ from: 3, limit: 4 });
    expect(page.contacts).toEqual(contacts.slice(3, 7));
    expect(page.total).toBe(contacts.length);
  });

  it.each([
    ['objects', { has_opted_out: 2 }],
    ['has opted out', { has_opted_out: 1 }],
    ['has died', { eligible: 0, outcome_reason: 'deceased' }],
    ['waits for a decision', { state: 'held' }],
    ['has left the CRM', { state: 'removed' }],
  ])('leave out a contact who %s', async (_, values) => {
    const { contacts } = await ask();
    const [first] = contacts;
    const crmId = first?.crmId ?? '';
    const { reader } = world.application.store;
    const before = await reader
      .selectFrom('contacts')
      .select(['has_opted_out', 'eligible', 'outcome_reason', 'state'])
      .where('crm_id', '=', crmId)
      .executeTakeFirstOrThrow();
    await change(crmId, values);
    expect((await ask()).contacts.map((each) => each.crmId)).not.toContain(crmId);
    await change(crmId, before);
    expect((await ask()).contacts[0]).toEqual(first);
  });

  it('leave out a contact at once that the CRM marks now, before any run has read it', async () => {
    const crmId = (await ask()).contacts[0]?.crmId ?? '';
    world.crm.editContact(crmId, { optedOut: true });
    expect((await ask()).contacts.map((each) => each.crmId)).not.toContain(crmId);
    world.crm.editContact(crmId, { optedOut: false });
  });

  it('name nobody as an introducer who has left the network, or who may not be named', async () => {
    const { contacts } = await ask();
    const { donorId = '', contact = null } = contacts[0]?.member ?? {};
    const rows = () => ask().then((view) => view.contacts.map(({ member }) => member.donorId));
    await change(contact ?? '', { has_opted_out: 2 });
    expect(await rows()).not.toContain(donorId);
    await change(contact ?? '', { has_opted_out: 0 });
    expect(await rows()).toContain(donorId);
    await withDatabase(world, async (db) => {
      await db
        .updateTable('network_members')
        .set({ state: 'leaving' })
        .where('donor_id', '=', donorId)
        .execute();
      await forgetRanking(db);
    });
    expect(await rows()).not.toContain(donorId);
    await withDatabase(world, async (db) => {
      await db
        .updateTable('network_members')
        .set({ state: 'member' })
        .where('donor_id', '=', donorId)
        .execute();
      await forgetRanking(db);
    });
  });

  it.each([
    ['has died', { excluded: 'deceased' }, { excluded: null }],
    ['wants no contact', { excluded: 'do_not_contact' }, { excluded: null }],
    ['has opted out', { optedOut: true }, { optedOut: false }],
    ['objects', { objects: true }, { objects: false }],
  ] as const)(
    'name no member who %s according to the CRM now, before any run has read it',
    async (_, marks, before) => {
      const { contact, name } = (await ask()).contacts[0]?.member ?? {};
      world.crm.editContact(contact ?? '', marks);
      const after = await ask();
      world.crm.editContact(contact ?? '', before);
      expect(name).toBe(nameOf(contact ?? ''));
      expect(after.contacts.length).toBeGreaterThan(0);
      expect(JSON.stringify(after)).not.toContain(name);
    },
  );

  it('are the contacts that Networks counts and draws', async () => {
    const counts = async () => {
      const get = async (path: string) => (await call('GET', path, rea.cookie)).text();
      const page = async (path: string) =>
        /([\d,]+) contacts? can be introduced/.exec(await get(path))?.[1];
      const { total, paths } = z
        .object({ total: z.number(), paths: z.array(z.object({ contact: z.string() })) })
        .parse(JSON.parse(await get(`${API}/network`)));
      return {
        list: Number(await page('/networks')),
        page: Number(await page('/networks/riverside')),
        total,
        drawn: new Set(paths.map(({ contact }) => contact)).size,
      };
    };
    const agree = async () => {
      const { total } = await ask();
      expect(await counts()).toEqual({ list: total, page: total, total, drawn: total });
      return total;
    };
    const before = await agree();
    const [{ crmId = '' } = {}, { member = null } = {}] = (await ask()).contacts;
    await change(crmId, { state: 'held' });
    expect(await agree()).toBeLessThan(before);
    await change(member?.contact ?? '', { has_opted_out: 2 });
    expect(await agree()).toBeLessThan(before - 1);
    await change(member?.contact ?? '', { has_opted_out: 0 });
    await change(crmId, { state: 'settled' });
    expect(await agree()).toBe(before);
  });

  it('name no member whom the filter leaves out now', async () => {
    const { name } = (await ask()).contacts[0]?.member ?? {};
    // This member has two contacts.
    world.crm.filter = ({ contact }) => nameOf(contact.id) !== name;
    const after = await ask();
    world.crm.filter = null;
    expect(after.contacts.length).toBeGreaterThan(0);
    expect(JSON.stringify(after)).not.toContain(name);
  });

  it.each([
    ['waits for a decision', { state: 'held' }],
    ['has left the CRM', { state: 'removed' }],
  ] as const)(
    'name a member by the contact that may be shown, not by another that %s',
    async (_, values) => {
      const { contacts } = await ask();
      const [first] = contacts;
      const { donorId, contact } = first?.member ?? {};
      const other = world.people.toSorted()[0] ?? '';
      expect(other).not.toBe(contact);
      const { reader } = world.application.store;
      const before = await reader
        .selectFrom('contacts')
        .select(['donor_id', 'state'])
        .where('crm_id', '=', other)
        .executeTakeFirstOrThrow();
      await change(other, { ...values, donor_id: donorId });
      const after = await ask({ member: donorId });
      await change(other, before);
      expect(after.contacts.map(({ member }) => member)).toEqual(
        after.contacts.map(() => ({ donorId, contact, name: nameOf(contact ?? '') })),
      );
      expect(after.contacts.length).toBeGreaterThan(0);
      expect(JSON.stringify(after)).not.toContain(nameOf(other));
    },
  );

  it('show IDs and the reason while the CRM is unavailable', async () => {
    const { contacts: before } = await ask();
    world.crm.failNext('open', new RetriableError('Closed.', { code: 'crm_unavailable' }));
    const { contacts, problem } = await ask();
    expect(problem).toBe('Closed.');
    expect(contacts.map(({ crmId }) => crmId)).toEqual(before.map(({ crmId }) => crmId));
    expect(contacts.flatMap(({ name }) => name ?? [])).toEqual([]);
  });

  it('are for readers who are signed in, never for a token, and each view is on record', async () => {
    const { store } = world.application;
    await ask();
    const [entry] = await listAuditEntries(store, { action: 'names.shown', limit: 1 });
    expect(entry).toMatchObject({ integrationId: 'riverside', crmId: null });
    expect(Object.keys(entry?.details ?? {}).sort()).toEqual(['command', 'names']);
    const token = await world.addToken('owner');
    for (const path of [`${API}/introductions`, '/introductions/riverside/csv']) {
      expect((await world.request(path, { method: 'POST', token })).status, path).toBe(403);
    }
    const vera = await join(world, 'Vera', 'viewer');
    expect((await call('POST', `${API}/introductions`, vera.cookie, {})).status).toBe(403);
  });

  it('leave the CRM as a file in which no name is a formula', async () => {
    const crmId = (await ask()).contacts[0]?.crmId ?? '';
    const { firstName = null } = world.crm.records.get(crmId)?.contact ?? {};
    world.crm.editContact(crmId, { firstName: '=HYPERLINK("http://evil")' });
    const { cookie } = rea;
    const answer = await send(world, '/introductions/riverside/csv', {}, { cookie });
    world.crm.editContact(crmId, { firstName });
    expect(answer.status).toBe(200);
    const rows = z
      .array(z.record(z.string(), z.string()))
      .parse(parse(answer.text, { columns: true }));
    expect(rows[0]?.['Name']).toMatch(/^'=HYPERLINK/);
    expect(rows.length).toBeGreaterThan(10);
  });
});

describe("a user's own list", () => {
  it('is shown to that user only, and loses a contact that is removed or erased', async () => {
    const [one = '', two = ''] = (await ask()).contacts.map(({ crmId }) => crmId);
    for (const id of [one, two, one]) {
      expect((await call('PUT', `${API}/listed-contacts/${id}`, rea.cookie)).status).toBe(200);
    }
    const mine = async (cookie: string) => {
      const { contacts } = await ask({ mine: true }, cookie);
      return contacts.map(({ crmId }) => crmId);
    };
    expect(await mine(rea.cookie)).toEqual([one, two]);
    expect(await mine(ben.cookie)).toEqual([]);
    expect((await call('DELETE', `${API}/listed-contacts/${one}`, rea.cookie)).status).toBe(200);
    expect(await mine(rea.cookie)).toEqual([two]);
    const { store } = world.application;
    await store.act((trx) => eraseRows(trx, 'riverside', [two], world.clock.now()));
    const left = await store.reader.selectFrom('listed_contacts').selectAll().execute();
    expect(left).toEqual([]);
  });

  it('is deleted with its user, and counted among the data about a contact', async () => {
    const [crmId = ''] = (await ask()).contacts.map((each) => each.crmId);
    expect((await call('PUT', `${API}/listed-contacts/${crmId}`, ben.cookie)).status).toBe(200);
    const token = await world.addToken('owner');
    const about = await world.request(`${API}/contacts/${crmId}/about`, { method: 'POST', token });
    expect(about.text).toContain("place on a user's list");
    const olga = await join(world, 'Olga', 'owner');
    const digest = await call('POST', `/v1/users/${ben.id}/preview`, olga.cookie);
    const { preview } = z
      .object({ preview: z.object({ digest: z.string() }) })
      .parse(await digest.json());
    const removed = await call(
      'DELETE',
      `/v1/users/${ben.id}?digest=${preview.digest}`,
      olga.cookie,
    );
    expect(removed.status).toBe(200);
    const { reader } = world.application.store;
    expect(await reader.selectFrom('listed_contacts').selectAll().execute()).toEqual([]);
  });

  it('refuses a contact that is unknown or withheld', async () => {
    expect((await call('PUT', `${API}/listed-contacts/nobody`, rea.cookie)).status).toBe(404);
    const [crmId = ''] = (await ask()).contacts.map((each) => each.crmId);
    await change(crmId, { has_opted_out: 1 });
    const refused = await call('PUT', `${API}/listed-contacts/${crmId}`, rea.cookie);
    expect(refused.status).toBe(409);
    expect(await refused.json()).toMatchObject({ error: { code: 'contact_kept_back' } });
  });
});
