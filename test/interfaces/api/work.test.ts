/** Tests undo and erasure over the API. The service completes both, even after a restart. */

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createStateReader } from '../../../src/clients/alerts/state.ts';
import { RetriableError } from '../../../src/core/errors.ts';
import { silentLog } from '../../../src/core/log.ts';
import { askForWork } from '../../../src/decisions/second-person/ask.ts';
import { createApprovalWatch } from '../../../src/decisions/second-person/carry-on.ts';
import { listStoredApprovals } from '../../../src/decisions/statements/approvals.ts';
import { listAuditEntries } from '../../../src/privacy/audit/read-audit.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { WITHOUT_TRIAL } from '../../helpers/sync-world.ts';
import { errorSchema, type HttpWorld, openHttpWorld } from './http-world.ts';
import { get, join, send } from './people-world.ts';

const open = closedAfterTest(openHttpWorld);

const startedSchema = z.object({ run: z.object({ id: z.string() }) });
const previewSchema = z.object({
  preview: z.object({
    question: z.string(),
    counts: z.record(z.string(), z.int()),
    digest: z.string(),
  }),
});
const workSchema = z.object({
  approval: z.object({ id: z.string(), what: z.string(), state: z.string() }),
});

const count = z.int();
const restorableSchema = z.object({
  restorable: z.object({
    contacts: count,
    values: count,
    checked: count,
    problem: z.string().nullable(),
    restored: z.object({ contacts: count, values: count }),
    kept: z.array(
      z.object({ reason: z.string(), text: z.string(), contacts: count, values: count }),
    ),
    keptContacts: z.array(
      z.object({ crmId: z.string(), fields: z.array(z.string()), text: z.string() }),
    ),
    needsSecondUser: z.boolean(),
  }),
});

const erasableSchema = z.object({
  erasable: z.object({
    clients: z.array(z.string()),
    rows: z.array(
      z.object({
        where: z.string(),
        what: z.string(),
        count: z.int().positive(),
        effect: z.string(),
        note: z.string().nullable(),
      }),
    ),
    problem: z.string().nullable(),
    needsSecondUser: z.boolean(),
  }),
});

const undoneSchema = z.object({
  run: z.object({
    contacts: z.object({ written: z.int() }),
    undone: z.strictObject({
      at: z.iso.datetime(),
      by: z.string().nullable(),
      values: z.int(),
      kept: z.int(),
      contacts: z.int(),
    }),
  }),
});
const listSchema = z.object({
  runs: z.array(z.object({ id: z.string(), undone: z.unknown().optional() })),
});

async function sync(world: HttpWorld, token: string, client = 'riverside'): Promise<string> {
  const path = `/v1/integrations/${client}/runs`;
  const { run } = (await world.request(path, { method: 'POST', token })).read(startedSchema);
  await world.untilEnded(run.id);
  return run.id;
}

/** Returns the contacts in which the CRM has a value from a profile. */
function filled({ crm }: HttpWorld): string[] {
  return [...crm.records].flatMap(([id, { values }]) =>
    Object.values(values).some(Boolean) ? [id] : [],
  );
}

async function openSynced(settings = {}) {
  const world = await open({ integration: WITHOUT_TRIAL, settings });
  const token = await world.addToken('admin');
  await world.addPeople(20);
  const run = await sync(world, token);
  expect(filled(world).length).toBeGreaterThan(5);
  return { world, token, run };
}

/** Returns a function that sends requests as a signed-in user. */
function asUser({ url }: HttpWorld, cookie: string) {
  return async (path: string, body?: object) => {
    const headers = { cookie, origin: url, 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(url + path, { method: 'POST', headers, ...sent });
    return { status: response.status, body: await response.json() };
  };
}

/** Opens the preview of an undo and sends its form. */
async function undoOnPage(world: HttpWorld, run: string, cookie: string) {
  const shown = await send(world, `/runs/${run}/undo/preview`, {}, { cookie });
  const digest = /name="digest" value="([^"]+)"/.exec(shown.text)?.[1] ?? '';
  return send(world, `/runs/${run}/undo`, { digest }, { cookie });
}

function untilCarriedOut({ application: { store } }: HttpWorld) {
  return expect.poll(() => listStoredApprovals(store), { timeout: 60_000 }).toEqual([]);
}

async function actionsOf({ application: { store } }: HttpWorld, action: string) {
  const entries = await listAuditEntries(store, { limit: 50 });
  return entries.filter((entry) => entry.action === action);
}

describe('undo over the API', () => {
  it('says what it is about, answers at once, and restores what the run replaced', async () => {
    const { world, token, run } = await openSynced();
    const path = `/v1/runs/${run}/undo`;
    const post = (to: string) => world.request(to, { method: 'POST', token });
    const { preview } = (await post(`${path}/preview`)).read(previewSchema);
    const contacts = filled(world).length;
    expect(preview.counts).toMatchObject({ contacts });
    expect(preview.question).toContain(`${contacts} contacts of "riverside"`);
    expect(filled(world)).toHaveLength(contacts);
    const answer = await post(`${path}?digest=${preview.digest}`);
    expect(answer.status).toBe(202);
    expect(answer.read(workSchema).approval).toMatchObject({ what: 'undo', state: 'confirmed' });
    await untilCarriedOut(world);
    expect(filled(world)).toEqual([]);
    const [done] = await actionsOf(world, 'undo.done');
    expect(done).toMatchObject({
      actor: { kind: 'token' },
      integrationId: 'riverside',
      details: { run, restored: contacts, refused: 0 },
    });
    expect(await actionsOf(world, 'work.asked')).toHaveLength(1);
  });

  it('changes nothing without a preview, for another run, or for a role below admin', async () => {
    const { world, token, run } = await openSynced();
    const before = filled(world);
    const path = `/v1/runs/${run}/undo`;
    const post = (to: string, as = token) => world.request(to, { method: 'POST', token: as });
    const missing = await post(path);
    expect(missing.status).toBe(422);
    expect(missing.read(errorSchema).error.code).toBe('preview_missing');
    const other = await sync(world, token);
    const { digest } = (await post(`/v1/runs/${other}/undo/preview`)).read(previewSchema).preview;
    expect((await post(`${path}?digest=${digest}`)).status).toBe(409);
    expect((await post(`${path}?digest=x`, await world.addToken('decider'))).status).toBe(403);
    expect((await post('/v1/runs/unknown/undo')).status).toBe(404);
    expect(await listStoredApprovals(world.application.store)).toEqual([]);
    expect(filled(world)).toEqual(before);
  });

  it('has its button on the page of a run, for admins', async () => {
    const { world, run } = await openSynced();
    const { cookie } = await join(world, 'Ada', 'admin');
    const decider = await join(world, 'Dee', 'decider');
    const pageFor = async (as: string) => (await get(world, `/runs/${run}`, as)).text();
    expect(await pageFor(cookie)).toContain('Undo run');
    expect(await pageFor(decider.cookie)).not.toContain('Undo run');
    const path = `/runs/${run}/undo`;
    expect((await send(world, path, {}, { cookie: decider.cookie })).status).toBe(403);
    // Only the page with the preview of the restored values contains the form.
    expect((await send(world, path, {}, { cookie })).status).toBe(409);
    const sent = await undoOnPage(world, run, cookie);
    expect(sent).toMatchObject({ status: 303, location: `/runs/${run}?note=undo` });
    await untilCarriedOut(world);
    expect(filled(world)).toEqual([]);
  });

  it('is marked at the run: by whom, how many values, and how many were left alone', async () => {
    const { world, token, run } = await openSynced();
    const written = filled(world);
    const [edited = ''] = written;
    const [field = ''] = Object.entries(world.crm.records.get(edited)?.values ?? {}).flatMap(
      ([name, value]) => (value ? [name] : []),
    );
    world.crm.setValue(edited, field, 'typed by a user');
    const { cookie } = await join(world, 'Dana', 'admin');
    await undoOnPage(world, run, cookie);
    await untilCarriedOut(world);
    const shown = (await world.request(`/v1/runs/${run}`, { token })).read(undoneSchema).run;
    expect(shown.contacts.written).toBe(written.length);
    expect(shown.undone).toMatchObject({ by: 'Dana', kept: 1, contacts: written.length - 1 });
    expect(shown.undone.values).toBeGreaterThan(written.length);
    const listed = (await world.request('/v1/runs', { token })).read(listSchema).runs;
    expect(listed.find(({ id }) => id === run)?.undone).toEqual(shown.undone);
    const text = `${written.length} written, ${written.length - 1} restored by Dana`;
    for (const path of [`/runs/${run}`, '/runs']) {
      expect(await (await get(world, path, cookie)).text(), path).toContain(text);
    }
    // No name is in the database as clear text.
    expect((await world.files()).join('')).not.toContain('"Dana"');
    // The user's value is cleared, so the other values can also be undone.
    world.crm.setValue(edited, field, null);
    await undoOnPage(world, run, cookie);
    await untilCarriedOut(world);
    const after = (await world.request(`/v1/runs/${run}`, { token })).read(undoneSchema).run;
    expect(after.undone.values).toBe(shown.undone.values + 1);
    expect(after.undone).toMatchObject({ kept: 0, contacts: written.length });
    expect(await (await get(world, `/runs/${run}`, cookie)).text()).not.toContain('Undo run');
  });

  it('shows its progress on the page of the run, and that another user has to confirm it', async () => {
    const { world, run } = await openSynced({ twoPeople: { undo: 1 } });
    const { cookie } = await join(world, 'Dana', 'admin');
    await join(world, 'Ada', 'admin');
    const before = filled(world);
    const shown = await send(world, `/runs/${run}/undo/preview`, {}, { cookie });
    expect(shown.text).toContain('Another user must confirm the undo before it starts.');
    // The answer to the form has the same frame as every other page.
    expect(shown.text).toContain('id="find"');
    await undoOnPage(world, run, cookie);
    expect(filled(world)).toEqual(before);
    const page = await (await get(world, `/runs/${run}`, cookie)).text();
    expect(page).toContain('Another user has to confirm that this run is undone');
    expect(page).not.toContain('id="undo"');
  });

  it('counts beforehand what it then restores, and names what stays as it is and why', async () => {
    const { world, token, run } = await openSynced();
    const [edited = '', gone = '', ...others] = filled(world);
    const fieldsOf = (id: string) =>
      Object.entries(world.crm.records.get(id)?.values ?? {}).flatMap(([name, value]) =>
        value ? [name] : [],
      );
    const [field = ''] = fieldsOf(edited);
    const values = [edited, ...others].reduce((sum, id) => sum + fieldsOf(id).length, 0);
    const lost = fieldsOf(gone).length;
    world.crm.setValue(edited, field, 'typed by a user');
    world.crm.deleteContact(gone);
    const before = JSON.stringify([...world.crm.records]);
    const counts = async () =>
      (await world.request(`/v1/runs/${run}/undo/counts`, { method: 'POST', token })).read(
        restorableSchema,
      ).restorable;
    const shown = await counts();
    expect(shown).toMatchObject({
      contacts: others.length + 2,
      values: values + lost,
      checked: others.length + 2,
      problem: null,
      restored: { contacts: others.length + 1, values: values - 1 },
      needsSecondUser: false,
    });
    expect(shown.kept).toEqual([
      { reason: 'gone', text: 'the CRM no longer has the contact', contacts: 1, values: lost },
      {
        reason: 'edited',
        text: 'someone has changed the value since the run',
        contacts: 1,
        values: 1,
      },
    ]);
    expect(shown.keptContacts).toContainEqual({
      crmId: edited,
      fields: [field],
      text: 'someone has changed the value since the run',
    });
    expect(JSON.stringify([...world.crm.records])).toBe(before);
    const { cookie } = await join(world, 'Dana', 'admin');
    await undoOnPage(world, run, cookie);
    await untilCarriedOut(world);
    const [done] = await actionsOf(world, 'undo.done');
    expect(done?.details).toMatchObject({
      restored: shown.restored.contacts,
      gone: 1,
      refused: 0,
      kept: 1,
    });
  });

  it('counts from the database alone while the CRM is unavailable, and says so', async () => {
    const { world, token, run } = await openSynced();
    const { cookie } = await join(world, 'Dana', 'admin');
    const contacts = filled(world).length;
    const closed = () =>
      new RetriableError('The CRM is closed for repairs.', { code: 'crm_unavailable' });
    world.crm.failNext('open', closed());
    const path = `/v1/runs/${run}/undo/counts`;
    const shown = (await world.request(path, { method: 'POST', token })).read(restorableSchema);
    const problem = 'The CRM is closed for repairs.';
    expect(shown.restorable).toMatchObject({ contacts, checked: 0, kept: [], problem });
    world.crm.failNext('open', closed());
    const page = await send(world, `/runs/${run}/undo/preview`, {}, { cookie });
    expect(page.text).toContain('The CRM could not be read');
    expect(page.text).toContain('name="digest"');
  });

  it('offers nothing for a run of which nothing can be restored', async () => {
    const { world, run } = await openSynced();
    const { cookie } = await join(world, 'Dana', 'admin');
    for (const id of filled(world)) world.crm.deleteContact(id);
    const page = await send(world, `/runs/${run}/undo/preview`, {}, { cookie });
    expect(page.text).toContain('No value of this run can be restored');
    expect(page.text).not.toContain('name="digest"');
  });

  it('waits for a second user where the settings say so', async () => {
    const { world, token, run } = await openSynced({ twoPeople: { undo: 1 } });
    const before = filled(world);
    const post = (to: string, as = token) => world.request(to, { method: 'POST', token: as });
    const path = `/v1/runs/${run}/undo`;
    const second = await world.addToken('admin');
    const { digest } = (await post(`${path}/preview`)).read(previewSchema).preview;
    const answer = (await post(`${path}?digest=${digest}`)).read(workSchema).approval;
    expect(answer.state).toBe('waiting');
    expect(filled(world)).toEqual(before);
    const own = await post(`/v1/approvals/${answer.id}/confirm`);
    expect(own.status).toBe(409);
    expect((await post(`/v1/approvals/${answer.id}/confirm`, second)).status).toBe(200);
    await untilCarriedOut(world);
    expect(filled(world)).toEqual([]);
  });

  it('is carried out by the next process if this one ended before', async () => {
    const { world, run } = await openSynced();
    const { application, clock } = world;
    const account = { kind: 'command', id: 'ada', name: 'ada' } as const;
    const actor = { kind: 'command', name: 'ada', from: 'desk' } as const;
    const about = { request: { what: 'undo', run }, integrationId: 'riverside' } as const;
    const work = await askForWork({ application }, { account, actor }, about);
    const again = await askForWork({ application }, { account, actor }, about);
    expect(again.id).toBe(work.id);
    expect(filled(world).length).toBeGreaterThan(0);
    const stopping = new AbortController();
    createApprovalWatch({ application, clock, log: silentLog, stopping: stopping.signal })();
    await untilCarriedOut(world);
    stopping.abort();
    expect(filled(world)).toEqual([]);
    expect((await actionsOf(world, 'undo.done'))[0]?.actor).toEqual(actor);
  });
});

describe('an erasure over the API', () => {
  it('is asked for by a user, and erases the contact here and in the CRM', async () => {
    const { world } = await openSynced();
    const [crmId = ''] = filled(world);
    const { cookie } = await join(world, 'Ada', 'admin');
    const post = asUser(world, cookie);
    const path = `/v1/integrations/riverside/contacts/${crmId}/forget`;
    const wanted = { alsoInCrm: true };
    const asked = previewSchema.parse((await post(`${path}/preview`, wanted)).body).preview;
    expect(asked.question).toContain(`Permanently erase the contact ${crmId} of "riverside"`);
    expect(asked.question).toContain('clear the values that donor-sync wrote');
    const less = await post(`${path}?digest=${asked.digest}`, { alsoInCrm: false });
    expect(less).toMatchObject({ status: 409, body: { error: { code: 'preview_outdated' } } });
    const answer = await post(`${path}?digest=${asked.digest}`, wanted);
    expect(answer).toMatchObject({ status: 202, body: { approval: { state: 'confirmed' } } });
    await untilCarriedOut(world);
    expect(filled(world)).not.toContain(crmId);
    expect(await actionsOf(world, 'forget.begun')).not.toEqual([]);
  });

  it('first counts what it removes here, in the CRM and at the service, and what stays', async () => {
    const { world, token } = await openSynced();
    const [crmId = ''] = filled(world);
    const fields = Object.entries(world.crm.records.get(crmId)?.values ?? {}).flatMap(
      ([name, value]) => (value ? [name] : []),
    );
    const [edited = '', ...ours] = fields;
    world.crm.setValue(crmId, edited, 'typed by a user');
    const contact = `/v1/integrations/riverside/contacts/${crmId}`;
    const count = async (alsoInCrm: boolean) => {
      const request = { method: 'POST', token, body: { alsoInCrm } };
      const answer = await world.request(`${contact}/forget/counts`, request);
      return answer.read(erasableSchema).erasable;
    };
    const before = JSON.stringify([...world.crm.records]);
    const shown = await count(true);
    expect(shown).toMatchObject({ clients: ['riverside'], problem: null, needsSecondUser: false });
    const find = (part: string, from = shown) => from.rows.find(({ what }) => what.includes(part));
    expect(find('Profiles')).toMatchObject({ where: 'database', count: 1, effect: 'removed' });
    expect(find('Records of writes')).toMatchObject({ count: 1, effect: 'removed' });
    expect(find('Results of enhancements')).toMatchObject({ where: 'service', effect: 'stays' });
    expect(find('Values that donor-sync wrote')).toMatchObject({
      ...{ where: 'CRM', count: ours.length, effect: 'cleared' },
    });
    expect(find('changed after')).toMatchObject({ count: 1, effect: 'stays', note: edited });
    expect(find('Values that donor-sync wrote', await count(false))?.effect).toBe('stays');
    expect(JSON.stringify([...world.crm.records])).toBe(before);

    const { cookie } = await join(world, 'Ada', 'admin');
    const post = asUser(world, cookie);
    const wanted = { alsoInCrm: true };
    const asked = previewSchema.parse((await post(`${contact}/forget/preview`, wanted)).body);
    await post(`${contact}/forget?digest=${asked.preview.digest}`, wanted);
    await untilCarriedOut(world);
    const left = Object.entries(world.crm.records.get(crmId)?.values ?? {}).filter(([, v]) => v);
    expect(left).toEqual([[edited, 'typed by a user']]);
    const after = await count(true);
    expect(after.rows.filter(({ effect }) => effect !== 'stays')).toEqual([]);
  });

  it('counts from the database alone while the CRM is unavailable, and says so', async () => {
    const { world, token } = await openSynced();
    const [crmId = ''] = filled(world);
    const closed = () =>
      new RetriableError('The CRM is closed for repairs.', { code: 'crm_unavailable' });
    world.crm.failNext('open', closed());
    const path = `/v1/integrations/riverside/contacts/${crmId}/forget/counts`;
    const answer = await world.request(path, { method: 'POST', token, body: {} });
    const { erasable } = answer.read(erasableSchema);
    expect(erasable.problem).toBe('The CRM is closed for repairs.');
    expect(erasable.rows.filter(({ where }) => where === 'CRM')).toEqual([]);
    expect(erasable.rows.length).toBeGreaterThan(3);
    const { cookie } = await join(world, 'Dana', 'admin');
    world.crm.failNext('open', closed());
    const preview = `/clients/riverside/contacts/${crmId}/forget/preview`;
    const page = await send(world, preview, {}, { cookie });
    expect(page.text).toContain('The CRM could not be read');
    expect(page.text).toContain('name="digest"');
  });

  it('keeps the contact away until an owner lifts the block, and never an access token', async () => {
    const { world } = await openSynced();
    const [crmId = ''] = filled(world);
    const { cookie } = await join(world, 'Ada', 'admin');
    const owner = await join(world, 'Olga', 'owner');
    const contact = `/v1/integrations/riverside/contacts/${crmId}`;
    const asOlga = asUser(world, owner.cookie);
    const lift = async (digest = '', as = owner.cookie) => {
      const headers = { cookie: as, origin: world.url };
      const url = `${world.url}${contact}/block?digest=${digest}`;
      const response = await fetch(url, { method: 'DELETE', headers });
      return { status: response.status, body: await response.json() };
    };
    const preview = `${contact}/block/preview`;
    const unknown = { status: 404, body: { error: { code: 'block_unknown' } } };
    expect(await asOlga(preview)).toMatchObject(unknown);
    const asked = await asOlga(`${contact}/forget/preview`, {});
    await asOlga(`${contact}/forget?digest=${previewSchema.parse(asked.body).preview.digest}`, {});
    await untilCarriedOut(world);
    const { digest, question, counts } = previewSchema.parse((await asOlga(preview)).body).preview;
    expect(question).toContain(`Allow the contact ${crmId} of "riverside" to be enhanced again?`);
    expect(counts).toEqual({ clients: 1 });
    expect(await lift()).toMatchObject({
      status: 422,
      body: { error: { code: 'preview_missing' } },
    });
    expect((await lift(digest, cookie)).status).toBe(403);
    const byToken = await world.request(preview, {
      method: 'POST',
      token: await world.addToken('owner'),
    });
    expect(byToken.read(errorSchema).error.code).toBe('person_needed');
    expect(await actionsOf(world, 'forget.lifted')).toEqual([]);
    expect(await lift(digest)).toEqual({
      status: 200,
      body: { forget: { integration: 'riverside', crmId, lifted: ['riverside'] } },
    });
    expect(await lift(digest)).toMatchObject(unknown);
    expect(await actionsOf(world, 'forget.lifted')).toMatchObject([
      { actor: { kind: 'session', name: 'Olga' }, integrationId: 'riverside' },
    ]);
  });

  it('is refused to an access token, whatever its role', async () => {
    const { world } = await openSynced();
    const before = filled(world);
    const token = await world.addToken('owner');
    const path = `/v1/integrations/riverside/contacts/${before[0]}/forget`;
    for (const to of [`${path}/preview`, `${path}?digest=x`]) {
      const refused = await world.request(to, { method: 'POST', token });
      expect(refused.status).toBe(403);
      expect(refused.read(errorSchema).error.code).toBe('person_needed');
    }
    expect(filled(world)).toEqual(before);
  });

  it('everywhere tells no user with access to some clients whether others know the contact', async () => {
    const world = await open({
      integration: WITHOUT_TRIAL,
      others: ['harbor'],
      other: WITHOUT_TRIAL,
    });
    const token = await world.addToken('admin');
    const [crmId = '', alone = ''] = await world.addPeople(2);
    const known = world.crm.records.get(crmId);
    if (known === undefined) throw new Error('there is no contact');
    world.crmOf('harbor').addContact(known.contact);
    await sync(world, token);
    await sync(world, token, 'harbor');
    const hal = await join(world, 'Hal', 'admin', ['riverside']);
    const ada = await join(world, 'Ada', 'admin');
    const ask = async (cookie: string, contact: string, body: object) => {
      const path = `/v1/integrations/riverside/contacts/${contact}/forget`;
      const post = asUser(world, cookie);
      const asked = [await post(`${path}/preview`, body), await post(`${path}?digest=x`, body)];
      return JSON.parse(JSON.stringify(asked).replaceAll(contact, 'CONTACT'));
    };
    const wanted = { everywhere: true };
    // The other client also has the first contact.
    const [both, one] = [
      await ask(ada.cookie, crmId, wanted),
      await ask(ada.cookie, alone, wanted),
    ];
    expect(both[0].body.preview.counts).toEqual({ clients: 2 });
    expect(one[0].body.preview.counts).toEqual({ clients: 1 });
    const answers = [];
    for (const contact of [crmId, alone, 'unknown']) {
      answers.push(await ask(hal.cookie, contact, wanted));
    }
    expect(answers[0]).toMatchObject([
      { status: 403, body: { error: { code: 'reach_insufficient' } } },
      { status: 403, body: { error: { code: 'reach_insufficient' } } },
    ]);
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
    expect((await ask(hal.cookie, crmId, {}))[0].status).toBe(200);
    expect(await listStoredApprovals(world.application.store)).toEqual([]);
  });

  it('everywhere waits for users with access to all clients, so that nobody else learns who knows the contact', async () => {
    const world = await open({
      integration: WITHOUT_TRIAL,
      others: ['harbor'],
      other: WITHOUT_TRIAL,
      settings: { twoPeople: { forget: true, forgetEverywhere: true } },
    });
    const token = await world.addToken('admin');
    const [both = '', alone = ''] = await world.addPeople(2);
    const known = world.crm.records.get(both);
    if (known === undefined) throw new Error('there is no contact');
    world.crmOf('harbor').addContact(known.contact);
    await sync(world, token);
    await sync(world, token, 'harbor');
    const ada = await join(world, 'Ada', 'admin');
    const hal = await join(world, 'Hal', 'admin', ['riverside']);
    const post = asUser(world, ada.cookie);
    const pathOf = (contact: string) => `/v1/integrations/riverside/contacts/${contact}/forget`;
    const wanted = { everywhere: true };
    // Hal has no permission to confirm the erasure. The response does not depend on the other client's contacts.
    for (const contact of [both, alone]) {
      const refused = await post(`${pathOf(contact)}/preview`, wanted);
      expect(refused).toMatchObject({
        status: 409,
        body: { error: { code: 'second_user_missing' } },
      });
      expect(JSON.stringify(refused.body)).toContain('access to all clients');
    }
    const ben = await join(world, 'Ben', 'admin');
    const ids: string[] = [];
    for (const contact of [both, alone]) {
      const preview = await post(`${pathOf(contact)}/preview`, wanted);
      const { digest } = previewSchema.parse(preview.body).preview;
      const asked = await post(`${pathOf(contact)}?digest=${digest}`, wanted);
      ids.push(workSchema.parse(asked.body).approval.id);
    }
    const list = async (cookie: string) => {
      const headers = { cookie };
      const api = (await world.request('/v1/approvals', { headers })).text;
      const page = (await world.request('/decisions', { headers })).text;
      return ids.map((id) => [api.includes(id), page.includes(id)]);
    };
    expect(await list(ben.cookie)).toEqual([
      [true, true],
      [true, true],
    ]);
    expect(await list(hal.cookie)).toEqual([
      [false, false],
      [false, false],
    ]);
    for (const id of ids) {
      const path = `/v1/approvals/${id}`;
      const shown = await world.request(path, { headers: { cookie: hal.cookie } });
      const answers = [await asUser(world, hal.cookie)(`${path}/confirm`)];
      answers.push(await asUser(world, hal.cookie)(`${path}/refuse`));
      expect([shown.status, ...answers.map(({ status }) => status)]).toEqual([404, 404, 404]);
    }
    // Some recipients of alerts may be responsible only for this client.
    const { integrations } = world.application;
    const [state] = await createStateReader(world.application.store)([...integrations.values()]);
    const texts = state?.approvals?.map(({ text }) => text) ?? [];
    expect(texts).toHaveLength(2);
    expect(texts[0]).toBe(texts[1]);
    expect(texts[0]).not.toContain('harbor');
  });

  it('that needs a second user is confirmed by a user, never by an access token', async () => {
    const { world } = await openSynced({ twoPeople: { forgetEverywhere: true } });
    const [crmId = ''] = filled(world);
    const token = await world.addToken('owner');
    const ben = await join(world, 'Ben', 'admin');
    const ada = await join(world, 'Ada', 'admin');
    const path = `/v1/integrations/riverside/contacts/${crmId}/forget`;
    const wanted = { everywhere: true };
    const post = asUser(world, ada.cookie);
    const { digest } = previewSchema.parse((await post(`${path}/preview`, wanted)).body).preview;
    const asked = workSchema.parse((await post(`${path}?digest=${digest}`, wanted)).body).approval;
    expect(asked.state).toBe('waiting');
    const confirm = `/v1/approvals/${asked.id}/confirm`;
    const byToken = await world.request(confirm, { method: 'POST', token });
    expect(byToken.status).toBe(403);
    expect(byToken.read(errorSchema).error.code).toBe('person_needed');
    expect((await post(confirm)).status).toBe(409);
    expect((await asUser(world, ben.cookie)(confirm)).status).toBe(200);
    await untilCarriedOut(world);
    expect(await actionsOf(world, 'forget.begun')).not.toEqual([]);
  });

  it('waits for a second user where every erasure does, and is refused while there is none', async () => {
    const { world } = await openSynced({ twoPeople: { forget: true } });
    const [crmId = ''] = filled(world);
    const ada = await join(world, 'Ada', 'admin');
    await join(world, 'Dee', 'decider');
    await join(world, 'Hal', 'admin', ['harbor']);
    const path = `/v1/integrations/riverside/contacts/${crmId}/forget`;
    const post = asUser(world, ada.cookie);
    const refused = await post(`${path}/preview`, {});
    expect(refused).toMatchObject({
      status: 409,
      body: {
        error: {
          code: 'second_user_missing',
          details: { setting: 'twoPeople.forget', role: 'admin' },
        },
      },
    });
    expect(JSON.stringify(refused.body)).toContain('donor-sync users invite');
    const ben = await join(world, 'Ben', 'admin');
    const { digest, question } = previewSchema.parse(
      (await post(`${path}/preview`, {})).body,
    ).preview;
    expect(question).toContain('Another user has to confirm it');
    const asked = workSchema.parse((await post(`${path}?digest=${digest}`, {})).body).approval;
    expect(asked.state).toBe('waiting');
    expect(await actionsOf(world, 'forget.begun')).toEqual([]);
    expect((await asUser(world, ben.cookie)(`/v1/approvals/${asked.id}/confirm`)).status).toBe(200);
    await untilCarriedOut(world);
    expect(await actionsOf(world, 'forget.begun')).not.toEqual([]);
  });

  it('is refused to a user who does not reach all clients that know the contact', async () => {
    const world = await open({ integration: WITHOUT_TRIAL, others: ['harbor'] });
    const { store } = world.application;
    const token = await world.addToken('admin');
    for (const id of ['riverside', 'harbor']) {
      await sync(world, token, id);
      await store.connection
        .updateTable('integrations')
        .set({ crm_account: 'one account' })
        .where('id', '=', id)
        .execute();
    }
    const { cookie } = await join(world, 'Ada', 'admin', ['riverside']);
    const path = '/v1/integrations/riverside/contacts/c1/forget/preview';
    const refused = await asUser(world, cookie)(path);
    expect(refused).toMatchObject({
      status: 403,
      body: { error: { code: 'reach_insufficient' } },
    });
    const { cookie: all } = await join(world, 'Ben', 'admin');
    expect((await asUser(world, all)(path)).status).toBe(200);
  });
});
