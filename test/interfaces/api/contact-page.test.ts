/**
 * Tests a contact's page. The tests check which data each role sees, which data the rules hide, and the effect of each
 * button.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { RetriableError } from '../../../src/core/errors.ts';
import { contactHref } from '../../../src/interfaces/pages/contacts/contact-href.ts';
import { listStrongestPaths } from '../../../src/paths/statements/warm-paths.ts';
import { listAuditEntries } from '../../../src/privacy/audit/read-audit.ts';
import { type NetworkHttpWorld, openNetworkWorld } from '../../browser/network-world.ts';
import { withDatabase } from '../../browser/rooms.ts';
import { controlService } from '../../helpers/service-control.ts';
import { join, send } from './people-world.ts';

let world: NetworkHttpWorld;
let reader = '';
let admin = '';
/** The ID of a contact with a profile and an introduction. */
let known = '';

beforeAll(async () => {
  world = await openNetworkWorld({
    others: ['harbor'],
    integration: { contacts: { filter: 'Known' } },
  });
  reader = await world.addToken('reader');
  ({ cookie: admin } = await join(world, 'Ada', 'admin'));
  const paths = await listStrongestPaths(world.application.store.reader, 'riverside', 500);
  const written = new Set(world.crm.writes.map(({ id }) => id));
  known = paths.find(({ crmId }) => written.has(crmId) && !isOnBoard(crmId))?.crmId ?? '';
  expect(known).not.toBe('');
});
afterAll(() => world.close());

function isOnBoard(crmId: string): boolean {
  return world.people.slice(0, 12).includes(crmId);
}

async function see(crmId: string, token = reader) {
  return world.request(contactHref('riverside', crmId), { token });
}

/** Yields contacts that have a profile. Excludes the contact that most tests use. */
function* others(): Generator<string, string> {
  const written = new Set(world.crm.writes.map(({ id }) => id));
  for (const id of world.people) if (id !== known && written.has(id) && !isOnBoard(id)) yield id;
  throw new Error('no contact is left');
}
let left: Generator<string, string>;
beforeAll(() => {
  left = others();
});

const contactSchema = z.object({
  contact: z.looseObject({
    name: z.string().nullable(),
    state: z.string(),
    problem: z.string().nullable(),
    keptBack: z.object({ reason: z.string() }).nullable(),
    profile: z
      .looseObject({
        run: z.string().nullable(),
        values: z.array(
          z.looseObject({
            name: z.string(),
            lines: z.array(z.string()),
            fields: z.array(z.looseObject({ name: z.string(), run: z.string().nullable() })),
          }),
        ),
      })
      .nullable(),
    match: z.unknown(),
    networks: z.array(z.string()),
    introductions: z.array(z.looseObject({ name: z.string().nullable(), sentence: z.string() })),
    history: z.array(z.looseObject({ kind: z.string(), id: z.string() })),
  }),
});

async function ask(crmId: string, as = reader) {
  const path = `/v1/integrations/riverside/contacts/${encodeURIComponent(crmId)}`;
  const answer = await world.request(path, { method: 'POST', token: as });
  expect(answer.status, answer.text).toBe(200);
  return answer.read(contactSchema).contact;
}

function fieldsOf(crmId: string): string[] {
  const values = Object.entries(world.crm.records.get(crmId)?.values ?? {});
  return values.flatMap(([name, value]) => (value ? [name] : []));
}

function nameOf(crmId: string): string {
  const contact = world.crm.records.get(crmId)?.contact;
  return `${contact?.firstName} ${contact?.lastName}`;
}

function closed(): RetriableError {
  return new RetriableError('The CRM is closed for repairs.', { code: 'crm_unavailable' });
}

/** A response without any profile, match or introduction. */
const NOTHING = { profile: null, match: null, networks: [], introductions: [], sentence: null };

describe('the page of a contact', () => {
  it('shows who it is, the kept profile with its run, and who can introduce it, by name', async () => {
    const { name, profile, introductions, history } = await ask(known);
    expect(name).toBe(nameOf(known));
    const values = profile?.values ?? [];
    expect(values.map((value) => value.name)).toContain('Net worth');
    const [run] = history.filter(({ kind }) => kind === 'run');
    expect(values.flatMap(({ fields }) => fields.map((field) => field.run))).toContain(run?.id);
    expect(profile?.run).toBe(run?.id);
    expect(introductions[0]?.name).not.toBeNull();
    const page = await see(known);
    expect(page.status).toBe(200);
    for (const text of [name ?? '', `/runs/${run?.id}`, introductions[0]?.sentence ?? '']) {
      expect(page.text).toContain(text);
    }
    for (const { lines } of values) expect(page.text).toContain(escaped(lines[0] ?? ''));
    expect(page.text).not.toMatch(new RegExp(`<title>[^<]*${name?.split(' ')[1]}`));
  });

  it('warns of other contacts with the same name, and says which details the service compared', async () => {
    const own = await openNetworkWorld({}, { contacts: 20, board: 4 });
    const [id = ''] = own.crm.writes.map(({ id }) => id);
    const { firstName = null, lastName = null } = own.crm.records.get(id)?.contact ?? {};
    own.crm.addContact({ firstName, lastName, addresses: ['1 Quarry Lane, Reno'], employers: [] });
    const { runId } = await own.runner.request({ integrationId: 'riverside', trigger: 'manual' });
    await own.untilEnded(runId);
    const token = await own.addToken('reader');
    const page = await own.request(contactHref('riverside', id), { token });
    expect(page.text).toContain('1 other contact of your list has the same name.');
    expect(page.text).toContain('The last name is the same');
    const other = own.people.find((one) => own.crm.records.get(one)?.contact.lastName !== lastName);
    const plain = await own.request(contactHref('riverside', other ?? ''), { token });
    expect(plain.text).not.toContain('the same name.');
    await own.close();
  });

  it('is on record, by the ID alone', async () => {
    const { store } = world.application;
    const count = async () =>
      (await listAuditEntries(store, { action: 'contact.shown', limit: 200 })).length;
    const before = await count();
    await see(known);
    expect(await count()).toBe(before + 1);
    const [entry] = await listAuditEntries(store, { action: 'contact.shown', limit: 1 });
    expect(entry).toMatchObject({ integrationId: 'riverside', crmId: known });
    expect(Object.keys(entry?.details ?? {})).toEqual(['names']);
  });

  it('is for readers, and answers an ID of another client as one that is not there', async () => {
    const viewer = await world.addToken('viewer');
    expect((await see(known, viewer)).status).toBe(403);
    const elsewhere = await world.addToken('reader', ['harbor']);
    expect((await see(known, elsewhere)).status).toBe(404);
    expect((await see('nobody')).status).toBe(404);
    const mine = await world.request(contactHref('harbor', known), { token: elsewhere });
    expect(mine.status).toBe(404);
  });

  it('costs nothing, also if it is loaded often', async () => {
    const control = controlService(world.service);
    const spent = await control.spentInAll();
    for (let count = 0; count < 3; count += 1) await see(known);
    expect(await control.spentInAll()).toBe(spent);
  });

  it('shows the rest while the CRM is unavailable, and says so', async () => {
    world.crm.failNext('open', closed());
    const { name, problem, profile, introductions } = await ask(known);
    expect({ name, problem }).toEqual({ name: null, problem: 'The CRM is closed for repairs.' });
    expect(profile?.values.length).toBeGreaterThan(3);
    expect(introductions[0]).toMatchObject({ name: null });
    world.crm.failNext('open', closed());
    expect((await see(known)).text).toContain('The CRM could not be read');
  });

  it.each(['describeFields', 'findIncluded'] as const)(
    'keeps the profile back if %s fails after the record was read, since nothing has judged it',
    async (what) => {
      const id = left.next().value;
      expect((await ask(id)).profile).not.toBeNull();
      world.crm.failNext(what, closed());
      expect(await ask(id)).toMatchObject({
        ...NOTHING,
        name: nameOf(id),
        problem: 'The CRM is closed for repairs.',
        keptBack: { reason: 'profile_unopened' },
      });
      world.crm.editContact(id, { optedOut: true });
      world.crm.failNext(what, closed());
      expect(await ask(id)).toMatchObject({ ...NOTHING, keptBack: { reason: 'opted_out' } });
    },
  );

  it('leads there from a run, by IDs of any characters', async () => {
    const id = 'a/b%2F? ü#1';
    world.crm.addContact({ id, firstName: 'Zoë', lastName: 'Slash', addresses: [] });
    const page = await see(id);
    expect(page.status).toBe(200);
    expect(page.text).toContain('Zoë Slash');
    const { history } = await ask(known);
    const run = history.find(({ kind }) => kind === 'run')?.id;
    const list = await world.request(`/runs/${run}?contact=${known}`, { token: reader });
    expect(list.text).toContain(`href="${contactHref('riverside', known)}"`);
    const viewer = await world.addToken('viewer');
    const plain = await world.request(`/runs/${run}?contact=${known}`, { token: viewer });
    expect(plain.text).not.toContain(contactHref('riverside', known));
  });
});

describe('what the rules keep back', () => {
  const changes = [
    { what: 'an opt-out', changes: { optedOut: true }, reason: 'opted_out' },
    { what: 'an objection', changes: { objects: true }, reason: 'opted_out' },
    {
      what: 'the mark of the deceased',
      changes: { excluded: 'deceased' as const },
      reason: 'deceased',
    },
    { what: 'another name', changes: { lastName: 'Unlikely' }, reason: 'name_mismatch' },
  ];
  it.each(changes)('is not shown from the moment of $what in the CRM', async (each) => {
    const id = left.next().value;
    expect((await ask(id)).profile).not.toBeNull();
    world.crm.editContact(id, each.changes);
    const contact = await ask(id);
    expect(contact).toMatchObject({ ...NOTHING, keptBack: { reason: each.reason } });
    expect(contact.name).toBe(nameOf(id));
  });

  it('is not shown of a contact that the filter leaves out, and a new one of these is not there', async () => {
    const id = left.next().value;
    const fresh = world.crm.addContact({ firstName: 'Nina', lastName: 'Outside', addresses: [] });
    world.crm.filter = ({ contact }) => contact.id !== id && contact.id !== fresh;
    try {
      expect(await ask(id)).toMatchObject({
        ...NOTHING,
        name: null,
        keptBack: { reason: 'outside_filter' },
      });
      expect((await see(fresh)).status).toBe(404);
    } finally {
      world.crm.filter = null;
    }
    expect((await see(fresh)).text).toContain('Nina Outside');
  });

  it('is not shown once a run knows of the opt-out, even while the CRM is unavailable', async () => {
    const id = left.next().value;
    world.crm.editContact(id, { optedOut: true });
    const { runId } = await world.runner.request({ integrationId: 'riverside', trigger: 'manual' });
    await world.untilEnded(runId);
    world.crm.failNext('open', closed());
    expect(await ask(id)).toMatchObject({ ...NOTHING, keptBack: { reason: 'opted_out' } });
  });

  it.each(['deceased', 'do_not_contact'] as const)(
    'names no introducer who is marked as %s in the CRM now',
    async (excluded) => {
      const [first] = (await ask(known)).introductions;
      const member = z.string().parse(first?.['contact']);
      world.crm.editContact(member, { excluded });
      const after = await ask(known);
      world.crm.editContact(member, { excluded: null });
      expect(first?.name).toBe(nameOf(member));
      expect(JSON.stringify(after)).not.toContain(first?.name);
      expect(after).toMatchObject({ keptBack: null, sentence: null });
    },
  );

  it('names no introducer whom the filter leaves out, or who waits for a decision', async () => {
    const [first] = (await ask(known)).introductions;
    // This member has two contacts.
    const own = world.people.filter((id) => nameOf(id) === first?.name);
    world.crm.filter = ({ contact }) => !own.includes(contact.id);
    const outside = await ask(known);
    world.crm.filter = null;
    const setState = (state: 'held' | 'settled') =>
      withDatabase(world, (db) =>
        db.updateTable('contacts').set({ state }).where('crm_id', 'in', own).execute(),
      );
    await setState('held');
    const held = await ask(known);
    await setState('settled');
    for (const after of [outside, held]) {
      expect(JSON.stringify(after)).not.toContain(first?.name);
      expect(after).toMatchObject({ keptBack: null, sentence: null });
    }
  });

  it('shows no introduction by a member who has left the network since the last run', async () => {
    const [first] = (await ask(known)).introductions;
    const donorId = z.string().parse(first?.['donorId']);
    const setState = (state: 'leaving' | 'member') =>
      withDatabase(world, (db) =>
        db.updateTable('network_members').set({ state }).where('donor_id', '=', donorId).execute(),
      );
    await setState('leaving');
    const after = await ask(known);
    await setState('member');
    expect(after.introductions.map((each) => each['donorId'])).not.toContain(donorId);
    expect(JSON.stringify(after)).not.toContain(first?.name);
  });

  it('names no introducer who objects', async () => {
    const { introductions } = await ask(known);
    const [first] = introductions;
    const member = z.string().parse(first?.['contact']);
    world.crm.editContact(member, { objects: true });
    const after = await ask(known);
    expect(JSON.stringify(after)).not.toContain(first?.name);
    expect(after).toMatchObject({ sentence: null });
    world.crm.editContact(member, { objects: false });
  });
});

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll("'", '&#39;').replaceAll('"', '&quot;');
}

/** Returns the data that a button sends: its address and its hidden fields. */
function formOf(text: string, action: string) {
  const form = text.split('<form ').find((each) => each.includes(`action="${action}"`)) ?? '';
  const fields = [...(form.split('</form>')[0]?.matchAll(/name="(\w+)" value="([^"]*)"/g) ?? [])];
  return Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value]));
}

/** The contacts that a test has erased. They still exist in the CRM. */
const erasedIds = new Set<string>();

function press(path: string, fields: Record<string, string> = {}) {
  return send(world, path, fields, { cookie: admin });
}

describe('its buttons', () => {
  it('say that a fresh profile is not bought again, and offer nothing', async () => {
    const answer = await press(`${contactHref('riverside', known)}/plan`);
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('A run would not enhance this contact, because');
    expect(answer.text).not.toContain('/enhance"');
  });

  it('enhance for the credit that was shown, once, however often it is pressed', async () => {
    const id = world.crm.addContact({ ...(await aPerson()), id: 'new/1' });
    const page = contactHref('riverside', id);
    const plan = await press(`${page}/plan`);
    expect(plan.text).toContain('Costs 1 credit');
    const control = controlService(world.service);
    const spent = await control.spentInAll();
    const fields = formOf(plan.text, `${page}/enhance`);
    const first = await press(`${page}/enhance`, fields);
    const second = await press(`${page}/enhance`, fields);
    expect(first.status).toBe(303);
    expect(second.location).toBe(first.location);
    await world.untilEnded(/\/runs\/([^?]+)/.exec(first.location ?? '')?.[1] ?? '');
    expect(await control.spentInAll()).toBe(spent + 1);
    expect((await ask(id)).state).toBe('known');
  });

  it('show what would be written again, and leave it to the service', async () => {
    const page = contactHref('riverside', known);
    const field = (await ask(known)).profile?.values
      .flatMap(({ fields }) => fields)
      .find(({ name }) => world.crm.valueOf(known, name) !== null)?.name;
    world.crm.setValue(known, field ?? '', null);
    const shown = await press(`${page}/redelivery/preview`);
    expect(shown.text).toContain(`${field} gets its value from the kept profile.`);
    expect(world.crm.valueOf(known, field ?? '')).toBeNull();
    const fields = formOf(shown.text, `${page}/redelivery`);
    const done = await press(`${page}/redelivery`, fields);
    expect(done).toMatchObject({ status: 303, location: `${page}?note=rewrite` });
    await expect
      .poll(() => world.crm.valueOf(known, field ?? ''), { timeout: 20_000 })
      .not.toBeNull();
    const old = await press(`${page}/redelivery`, { digest: 'none' });
    expect(old.status).toBe(409);
  });

  it('neither read the CRM nor add to the audit while they are merely open', async () => {
    const { store } = world.application;
    const shown = () => listAuditEntries(store, { action: 'contact.shown', limit: 200 });
    await see(known);
    const reads = world.crm.calls.readByIds;
    const entries = (await shown()).length;
    const refreshed = await world.request(contactHref('riverside', known), {
      token: reader,
      headers: { 'x-refresh': 'live' },
    });
    expect(refreshed.status).toBe(200);
    expect(refreshed.text).toContain('id="chip"');
    expect(refreshed.text).not.toContain('id="summary"');
    expect(refreshed.text).not.toContain(nameOf(known));
    expect(world.crm.calls.readByIds).toBe(reads);
    expect(await shown()).toHaveLength(entries);
  });

  it('show nothing more once an erasure is confirmed, even before it has happened', async () => {
    const id = left.next().value;
    const { store } = world.application;
    // A run in another process delays the erasure.
    const attempt = await store.leases.acquire('riverside', 'another/1/1', () => true);
    if (!attempt.acquired) throw new Error('the client is busy');
    const { lease } = attempt;
    const stay = setInterval(() => store.leases.renew(lease).catch(() => {}), 1_000);
    const page = contactHref('riverside', id);
    expect((await see(id)).text).toContain('id="profile-title"');
    const shown = await press(`${page}/forget/preview`);
    await press(`${page}/forget`, formOf(shown.text, `${page}/forget`));
    erasedIds.add(id);
    const reads = world.crm.calls.readByIds;
    const refreshed = await world.request(page, {
      token: reader,
      headers: { 'x-refresh': 'live' },
    });
    expect(refreshed.text).toContain('data-erasing');
    const during = await see(id);
    expect(during.text).toContain('This contact is being erased.');
    expect(during.text).not.toContain('id="profile-title"');
    expect(during.text).not.toContain(nameOf(id));
    expect(await ask(id)).toMatchObject({ state: 'erasing', name: null, ...NOTHING });
    expect(world.crm.calls.readByIds).toBe(reads);
    clearInterval(stay);
    await store.leases.release(lease);
  });

  it('erase after a preview, and the page of an erased contact reads nothing', async () => {
    const id = left.next().value;
    const name = nameOf(id);
    const page = contactHref('riverside', id);
    const filled = fieldsOf(id).length;
    expect(filled).toBeGreaterThan(3);
    const shown = await press(`${page}/forget/preview`, { alsoInCrm: 'on' });
    expect(shown.text).toContain('What is removed');
    expect(shown.text).toContain('and clears the values that it wrote to the CRM');
    const fields = formOf(shown.text, `${page}/forget`);
    expect(fields['alsoInCrm']).toBe('on');
    expect((await press(`${page}/forget`, { ...fields, alsoInCrm: '' })).status).toBe(409);
    expect((await press(`${page}/forget`, fields)).location).toBe(`${page}?note=erase`);
    erasedIds.add(id);
    const { store } = world.application;
    const done = () => listAuditEntries(store, { action: 'forget.done', limit: 5 });
    // The delayed erasure of the previous test is carried out too.
    await expect.poll(done).toHaveLength(2);
    expect((await ask(id)).state).toBe('erased');
    const reads = world.crm.calls.readByIds;
    const after = await see(id);
    expect(after.text).toMatch(/This contact was erased on <time datetime="2\d{3}-/);
    expect(after.text).toMatch(/donor-sync cleared [1-9]\d* values in the CRM\./);
    expect(after.text).toContain('The audit entries no longer show which contact they are about.');
    expect(after.text).not.toContain('keeps nothing about it');
    expect(await ask(id)).toMatchObject({ erasure: { cleared: filled, edited: 0, left: 0 } });
    expect(after.text).not.toContain(name);
    expect(after.text).not.toContain('/plan"');
    expect(world.crm.calls.readByIds).toBe(reads);
  });
});

async function aPerson() {
  const people = await controlService(world.service).people(81);
  const [person] = people.slice(80);
  return person ?? { firstName: 'Ola', lastName: 'Nordmann', addresses: ['1 Quay, Reno'] };
}

const foundSchema = z.object({
  search: z.object({
    contacts: z.array(
      z.object({ crmId: z.string(), name: z.string(), detail: z.string().nullable() }),
    ),
    isMore: z.boolean(),
    problem: z.string().nullable(),
  }),
});

describe('the search by name', () => {
  const search = async (text: string, as = reader, client = 'riverside') => {
    const path = `/v1/integrations/${client}/contact-search`;
    const answer = await world.request(path, { method: 'POST', token: as, body: { text } });
    expect(answer.status, answer.text).toBe(200);
    return answer.read(foundSchema).search;
  };

  it('finds contacts by the beginnings of names, and one by its exact ID', async () => {
    const [first = '', last = ''] = nameOf(known).split(' ');
    const found = await search(`${last.slice(0, 4)} ${first.slice(0, 3)}`);
    expect(found.contacts).toContainEqual(
      expect.objectContaining({ crmId: known, name: nameOf(known) }),
    );
    expect(await search(known)).toMatchObject({ contacts: [{ crmId: known }] });
    world.crm.addContact({ id: 'x7', firstName: 'Quinta', lastName: 'Short', addresses: [] });
    const short = await search('x7');
    expect(short.contacts).toEqual([{ crmId: 'x7', name: 'Quinta Short', detail: null }]);
    expect(short.problem).toContain('fewer than 3 characters');
  });

  it('tells contacts with the same name apart, by the employer or else the address', async () => {
    const twin = { firstName: 'Petra', lastName: 'Doppel' };
    const address = '4 Quay Street, Reno';
    world.crm.addContact({ ...twin, id: 'd1', addresses: [address], employers: ['Caldstead'] });
    world.crm.addContact({ ...twin, id: 'd2', addresses: [address], employers: [] });
    world.crm.addContact({ ...twin, id: 'd3', addresses: [], employers: [] });
    world.crm.addContact({
      ...{ id: 'd4', firstName: 'Paula', lastName: 'Doppel' },
      ...{ addresses: [address], employers: ['Caldstead'] },
    });
    const { contacts } = await search('doppel');
    const details = new Map(contacts.map(({ crmId, detail }) => [crmId, detail]));
    expect(details).toEqual(
      new Map([
        ['d1', 'Caldstead'],
        ['d2', address],
        ['d3', null],
        ['d4', null],
      ]),
    );
    const page = await press('/clients/riverside/contacts', { text: 'doppel' });
    const rows = page.text.split('<tr>').filter((row) => row.includes('Petra Doppel'));
    expect(rows).toHaveLength(3);
    expect(rows.filter((row) => row.includes('Caldstead'))).toHaveLength(1);
    expect(rows.filter((row) => row.includes(address))).toHaveLength(1);
    for (const id of ['d1', 'd2', 'd3'])
      expect(page.text).toContain(`<span class="whole">${id}</span>`);
  });

  it('finds at most 20, and nothing of another client', async () => {
    for (let count = 0; count < 25; count += 1) {
      world.crm.addContact({ firstName: `Many${count}`, lastName: 'Zzyzx', addresses: [] });
    }
    const found = await search('zzyzx');
    expect([found.contacts.length, found.isMore]).toEqual([20, true]);
    expect((await search('zzyzx', reader, 'harbor')).contacts).toEqual([]);
    const elsewhere = await world.addToken('reader', ['harbor']);
    const path = '/v1/integrations/riverside/contact-search';
    const body = { text: 'zzyzx' };
    const refused = await world.request(path, { method: 'POST', token: elsewhere, body });
    expect(refused.status).toBe(404);
    const viewer = await world.addToken('viewer');
    const lower = await world.request(path, { method: 'POST', token: viewer, body });
    expect(lower.status).toBe(403);
  });

  it('finds no erased contact and none that the filter leaves out, by name or by ID', async () => {
    const gone = [...erasedIds];
    expect(gone.length).toBeGreaterThan(0);
    for (const id of gone) {
      expect(world.crm.records.has(id)).toBe(true);
      expect((await search(nameOf(id))).contacts.map(({ crmId }) => crmId)).not.toContain(id);
      expect((await search(id)).contacts).toEqual([]);
    }
    const id = world.crm.addContact({ firstName: 'Nora', lastName: 'Sieved', addresses: [] });
    expect((await search('nora sieved')).contacts).toHaveLength(1);
    world.crm.filter = ({ contact }) => contact.id !== id;
    try {
      expect((await search('nora sieved')).contacts).toEqual([]);
      expect((await search(id)).contacts).toEqual([]);
    } finally {
      world.crm.filter = null;
    }
  });

  it('is on record without the text, which is in no log, no address and no database', async () => {
    const { store } = world.application;
    world.crm.addContact({ firstName: 'Wilhelmina', lastName: 'Xanthopoulos', addresses: [] });
    const text = 'wilhelmina xantho';
    const [form, found] = [
      await press('/clients/riverside/contacts', { text }),
      await search(text),
    ];
    expect(form.status).toBe(200);
    expect(form.location).toBeNull();
    expect(form.text).toContain('Wilhelmina Xanthopoulos');
    expect(found.contacts).toHaveLength(1);
    const [entry] = await listAuditEntries(store, { action: 'names.shown', limit: 1 });
    expect(entry?.details).toEqual({ command: 'contacts search', names: 1 });
    const kept = [...world.logLines, ...(await world.files())].join('\n').toLowerCase();
    expect(['wilhelmina', 'xantho'].filter((word) => kept.includes(word))).toEqual([]);
    const metrics = await world.request('/metrics', { token: reader });
    expect(metrics.text.toLowerCase()).not.toContain('xantho');
  });

  it('has one search of a user at a time, and refuses more than the next', async () => {
    const reads = world.crm.calls.search;
    const path = '/v1/integrations/riverside/contact-search';
    const ask = () =>
      world.request(path, { method: 'POST', token: reader, body: { text: 'maria' } });
    const answers = await Promise.all([ask(), ask(), ask(), ask()]);
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, 200, 503, 503]);
    expect(answers.find(({ status }) => status === 503)?.text).toContain('search_busy');
    expect(world.crm.calls.search).toBe(reads + 2);
  });
});

it('leaves no name and no value in logs, addresses, the audit or the database', async () => {
  const { name, profile } = await ask(known);
  // The donor IDs are the only part of a profile that the database stores in clear text.
  const values = (profile?.values ?? []).filter((value) => value.name !== 'Donor ID');
  const texts = [name ?? '', ...values.map(({ lines }) => lines[0] ?? '')];
  const secrets = texts.filter((text) => text.length > 5);
  expect(secrets.length).toBeGreaterThan(4);
  const kept = [...world.logLines, ...(await world.files())].join('\n');
  const audit = JSON.stringify(await listAuditEntries(world.application.store, { limit: 1_000 }));
  expect(secrets.filter((secret) => kept.includes(secret))).toEqual([]);
  expect(secrets.filter((secret) => audit.includes(secret))).toEqual([]);
});

describe('"Who knows" on the page of networks', () => {
  async function ask(text: string, as: string) {
    const response = await fetch(`${world.url}/networks/riverside/who`, {
      ...{ method: 'POST', redirect: 'manual', body: new URLSearchParams({ text }) },
      headers: { authorization: `Bearer ${as}` },
    });
    return {
      status: response.status,
      location: response.headers.get('location'),
      text: await response.text(),
    };
  }

  it('leads to a known ID, and finds a name without an address that has it', async () => {
    const byId = await ask(known, reader);
    expect(byId.location).toBe(`/networks/riverside?who=${known}#person`);
    const byName = await ask(nameOf(known), reader);
    expect(byName).toMatchObject({ status: 200, location: null });
    expect(byName.text).toContain(contactHref('riverside', known));
    const page = await world.request('/networks/riverside', { token: reader });
    expect(page.text).not.toMatch(/<form[^>]*method="get"[^>]*>(?:(?!<\/form>).)*type="search"/s);
  });

  it('refuses an unknown text for a viewer, who gets it back in the form and nowhere else', async () => {
    const viewer = await world.addToken('viewer');
    const text = 'Quibble Zanzibar';
    const refused = await ask(text, viewer);
    expect(refused).toMatchObject({ status: 422, location: null });
    expect(refused.text).toMatch(/<input[^>]*name="text"[^>]*value="Quibble Zanzibar"/);
    const old = await fetch(`${world.url}/networks/riverside?who=Quibble+Zanzibar&weakest=50`, {
      ...{ redirect: 'manual', headers: { authorization: `Bearer ${viewer}` } },
    });
    expect([old.status, old.headers.get('location')]).toEqual([
      303,
      '/networks/riverside?weakest=50',
    ]);
    await ask(text, reader);
    const entries = await listAuditEntries(world.application.store, { limit: 500 });
    const metrics = await world.request('/metrics', { token: await world.addToken('owner') });
    const traces = JSON.stringify([entries, world.logLines, metrics.text]);
    expect(traces).not.toMatch(/Quibble|Zanzibar/);
  });

  it('keeps back what the page of the contact keeps back', async () => {
    const paths = await listStrongestPaths(world.application.store.reader, 'riverside', 500);
    const withPath = new Set(paths.map(({ crmId }) => crmId));
    let id = left.next().value;
    while (!withPath.has(id)) id = left.next().value;
    const panel = async () => {
      const page = await world.request(`/networks/riverside?who=${id}&names=1`, { token: reader });
      return page.text;
    };
    expect(await panel()).toMatch(/<li>[^<]*can introduce/);
    world.crm.editContact(id, { objects: true });
    const after = await panel();
    expect(after).toContain('Its introductions are not shown');
    expect(after).not.toMatch(/<li>[^<]*can introduce/);
    expect(after).not.toMatch(new RegExp(`<th scope="row"><a[^>]*>${nameOf(id)}<`));
    const picture = await world.request('/networks/riverside/picture?names=1', { token: reader });
    expect(picture.text).not.toContain(nameOf(id));
  });
});
