/** The tests check the door's responses, the allowed callers, and all requests that the door refuses. */
import { expect, it } from 'vitest';
import { z } from 'zod';
import { addDoorToken } from '../../../../src/clients/statements/door-tokens.ts';
import { systemClock } from '../../../../src/core/clock.ts';
import { doorDocument } from '../../../../src/core/token-door.ts';
import { hashToken, newDoorToken } from '../../../../src/people/access-token.ts';
import { listAuditEntries } from '../../../../src/privacy/audit/read-audit.ts';
import { listRunRequests } from '../../../../src/sync/statements/run-requests.ts';
import { closedAfterTest } from '../../../helpers/closed-after-test.ts';
import { controlService } from '../../../helpers/service-control.ts';
import { describeEachDatabase, urlOfThisRun } from '../../../helpers/test-databases.ts';
import {
  errorSchema,
  type HttpWorld,
  type HttpWorldOptions,
  openHttpWorld,
} from '../http-world.ts';
import { get, join, send } from '../people-world.ts';

const open = closedAfterTest(async (options: HttpWorldOptions = {}) => {
  const database = await urlOfThisRun();
  return openHttpWorld({ ...options, ...(database !== undefined && { database }) });
});

const ORG = 'memory-account';

const runSchema = z.object({ run: z.object({ id: z.string() }) });
const statusSchema = z.strictObject({
  contact: z.string(),
  status: z.string(),
  canEnhance: z.boolean(),
  link: z.string(),
});
const previewSchema = z.looseObject({ preview: z.looseObject({ digest: z.string() }) });
const receiptSchema = z.strictObject({
  contact: z.string(),
  message: z.string(),
  left: z.int(),
  link: z.string(),
});

async function addToken(world: HttpWorld, perDay = 100, integrationId = 'riverside') {
  const token = newDoorToken();
  const id = `door-${integrationId}-${perDay}`;
  const { store } = world.application;
  await store.act((trx) =>
    addDoorToken(trx, { id, name: 'Salesforce', integrationId, perDay, hash: hashToken(token) }),
  );
  return { id, token };
}

/** Opens a client that has synced once. Its CRM account is therefore known. Then adds the contacts. */
async function openConnected(options: HttpWorldOptions = {}) {
  const world = await open(options);
  const admin = await world.addToken('admin');
  const started = await world.request('/v1/integrations/riverside/runs', {
    method: 'POST',
    token: admin,
  });
  await world.untilEnded(started.read(runSchema).run.id);
  return world;
}

interface Click {
  token: string;
  contact: string;
  click?: string;
  org?: string;
  integration?: string;
}

function enhance(
  world: HttpWorld,
  { token, contact, click = 'interview-0001', org = ORG, integration = 'riverside' }: Click,
) {
  const path = `/doors/token/${integration}/contacts/${contact}/enhance?org=${org}&click=${click}`;
  return world.request(path, { method: 'POST', token });
}

function readStatus(
  world: HttpWorld,
  { token, contact, org = ORG, integration = 'riverside' }: Click,
) {
  return world.request(`/doors/token/${integration}/contacts/${contact}?org=${org}`, { token });
}

describeEachDatabase('the door of a client', () => {
  it('tells the status without anything about the person, and enhances one contact for one credit', async () => {
    const world = await openConnected();
    const { token } = await addToken(world);
    const [contact = ''] = await world.addPeople(1);
    const before = await controlService(world.service).spent();
    const first = await readStatus(world, { token, contact });
    expect(first.read(statusSchema)).toMatchObject({ contact, canEnhance: true });
    const marked = await enhance(world, { token, contact });
    expect([marked.status, marked.read(receiptSchema).left]).toEqual([202, 99]);
    const [request] = await listRunRequests(world.application.store.reader);
    if (request !== undefined) await world.untilEnded(request.runId);
    await expect.poll(() => world.crm.writes.map(({ id }) => id)).toEqual([contact]);
    // The product writes the contact before its run ends.
    await expect
      .poll(async () => (await readStatus(world, { token, contact })).read(statusSchema).status)
      .toMatch(/^Last run: .* was spent on /);
    const after = await readStatus(world, { token, contact });
    expect((await controlService(world.service).spent()) - before).toBe(1);
    for (const { text } of [first, marked, after]) {
      expect(text).not.toMatch(/firstName|lastName|netWorth|donorId/);
    }
  });

  it('offers no click, and counts none, for a contact that the filter no longer includes', async () => {
    const world = await openConnected({
      integration: { refresh: { whenIdentityChanges: true }, contacts: { filter: 'some' } },
    });
    const { token } = await addToken(world);
    const [contact = ''] = await world.addPeople(1);
    await enhance(world, { token, contact });
    // During the run, a click would not start a separate run.
    await expect
      .poll(async () => (await readStatus(world, { token, contact })).read(statusSchema).status)
      .toMatch(/^Last run: /);
    // The contact has moved, so donor-sync would spend a credit on it. The filter now excludes the contact.
    world.crm.editContact(contact, { addresses: ['7 Quarry Lane, Reno, NV'] });
    world.crm.filter = ({ contact: { id } }) => id !== contact;
    await enhance(world, { token, contact, click: 'interview-0002' });
    await expect
      .poll(async () => (await readStatus(world, { token, contact })).read(statusSchema))
      .toMatchObject({
        canEnhance: false,
        status: expect.stringMatching(/^Last run: .*filter.*\. /),
      });
    const refused = await enhance(world, { token, contact, click: 'interview-0003' });
    expect([refused.status, refused.read(errorSchema).error.code]).toEqual([
      404,
      'contact_unknown',
    ]);
    world.crm.filter = null;
    expect((await readStatus(world, { token, contact })).read(statusSchema)).toMatchObject({
      canEnhance: true,
    });
    const marked = await enhance(world, { token, contact, click: 'interview-0003' });
    expect(marked.read(receiptSchema).left).toBe(97);
  });

  it('counts the same click once, also after a lost response, and costs one credit', async () => {
    const world = await openConnected();
    const { token } = await addToken(world);
    const [contact = ''] = await world.addPeople(1);
    const before = await controlService(world.service).spent();
    const answers = await Promise.all([1, 2, 3].map(() => enhance(world, { token, contact })));
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
    await expect.poll(() => world.crm.writes.length).toBe(1);
    const late = await enhance(world, { token, contact });
    expect(late.status).toBe(202);
    // A new interview after the end of the run finds an up-to-date profile.
    await enhance(world, { token, contact, click: 'interview-0002' });
    await expect
      .poll(async () => (await listRunRequests(world.application.store.reader)).length)
      .toBe(0);
    expect((await controlService(world.service).spent()) - before).toBe(1);
  });

  it('accepts simultaneous repetitions of a click, even if a run begins between them', async () => {
    const world = await openConnected();
    const { token } = await addToken(world);
    const [contact = ''] = await world.addPeople(1);
    for (let round = 0; round < 20; round += 1) {
      const click = `interview-again-${round}`;
      const answers = await Promise.all(
        [1, 2, 3, 4].map(() => enhance(world, { token, contact, click })),
      );
      expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202]);
    }
  });

  it('refuses more than the limit of the day with the number, and starts again the next day', async () => {
    let later = 0;
    const clock = { ...systemClock, now: () => systemClock.now() + later };
    const world = await openConnected({ clock });
    const { token } = await addToken(world, 2);
    const [one = '', two = '', three = ''] = await world.addPeople(3);
    const click = (contact: string) =>
      enhance(world, { token, contact, click: `interview-${contact}` });
    expect((await click(one)).read(receiptSchema).left).toBe(1);
    expect((await click(two)).read(receiptSchema).left).toBe(0);
    const refused = await click(three);
    expect([refused.status, refused.read(errorSchema).error.code]).toEqual([
      409,
      'door_limit_reached',
    ]);
    expect(refused.read(errorSchema).error.message).toMatch(/limit of 2 contacts a day/);
    // A repeated click still receives a response. A click on an unknown contact never counts towards the limit.
    expect((await click(one)).status).toBe(202);
    expect((await click('C999999')).status).toBe(404);
    later = 24 * 3_600_000;
    expect((await click(three)).read(receiptSchema).left).toBe(1);
  });

  it('belongs to one client and one CRM account', async () => {
    const world = await openConnected({ others: ['harbor'] });
    const { token } = await addToken(world);
    const [contact = ''] = await world.addPeople(1);
    const foreign = world.crmOf('harbor').addContact({ firstName: 'Ann', lastName: 'Archer' });
    const codes = async (click: Click) => {
      const answers = [await readStatus(world, click), await enhance(world, click)];
      return answers.map((answer) => answer.read(errorSchema).error.code);
    };
    const both = (code: string) => [code, code];
    expect(await codes({ token, contact, org: '00D000000000002AAA' })).toEqual(
      both('door_account_other'),
    );
    expect(await codes({ token, contact: foreign, integration: 'harbor' })).toEqual(
      both('door_client_other'),
    );
    expect(await codes({ token, contact, integration: 'nowhere' })).toEqual(
      both('door_client_other'),
    );
    expect(await codes({ token, contact: 'C999999' })).toEqual(both('contact_unknown'));
    expect(await codes({ token: 'dsd_wrong', contact })).toEqual(both('door_token_unknown'));
    expect(await codes({ token: await world.addToken('owner'), contact })).toEqual(
      both('door_token_unknown'),
    );
    expect(await listRunRequests(world.application.store.reader)).toEqual([]);
    const harbor = await addToken(world, 5, 'harbor');
    const early = { token: harbor.token, contact: foreign, integration: 'harbor' };
    expect(await codes(early)).toEqual(both('door_not_connected'));
  });

  it('opens nothing else: each other route refuses its token, whatever the method', async () => {
    const world = await openConnected();
    const { token } = await addToken(world);
    const [contact = ''] = await world.addPeople(1);
    const fill = (path: string) =>
      path
        .replace(/:integration|:id/g, 'riverside')
        .replace(/:contact/g, contact)
        .replace(/:\w+(\{[^}]*\})?/g, 'x');
    const tried = world.routes.filter(
      ({ method, path }) => method !== 'ALL' && !/\*|^\/doors\/token\//.test(path),
    );
    const allowed: string[] = [];
    for (const { method, path } of tried) {
      const answer = await world.request(fill(path), {
        method,
        token,
        ...(method === 'GET' ? {} : { body: {} }),
      });
      if (answer.status < 400 && !PUBLIC.test(path)) allowed.push(`${method} ${path}`);
    }
    expect(tried.length).toBeGreaterThan(100);
    expect(allowed).toEqual([]);
    const runs = await world.request('/v1/runs', { token });
    expect([runs.status, runs.read(errorSchema).error.code]).toEqual([403, 'token_only_for_door']);
    expect(await listRunRequests(world.application.store.reader)).toEqual([]);
  });

  it('shows the document to everyone', async () => {
    const world = await open();
    const answer = await world.request('/doors/token/openapi.json');
    expect(answer.read(z.unknown())).toEqual(doorDocument());
  });
});

/** A caller can use these routes without a sign-in or a token. */
const PUBLIC =
  /^\/(healthz|readyz|openapi\.json|docs|assets|oauth|sign-in|first-visit|join|confirm-address|metrics|mails)/;

describeEachDatabase('a door token', () => {
  it('is created by an owner, listed without its secret, and revoked', async () => {
    const world = await openConnected();
    const [contact = ''] = await world.addPeople(1);
    const { id, token } = await addToken(world, 7);
    const owner = await world.addToken('owner');
    const listed = await world.request('/v1/tokens', { token: owner });
    expect(listed.read(z.looseObject({ doors: z.unknown() })).doors).toEqual([
      {
        ...{ id, name: 'Salesforce', integration: 'riverside', perDay: 7 },
        ...{ createdAt: expect.any(String), lastUsedAt: null },
      },
    ]);
    const byToken = await world.request('/v1/integrations/riverside/door-tokens', {
      method: 'POST',
      token: owner,
      body: { name: 'Salesforce' },
    });
    expect(byToken.read(errorSchema).error.code).toBe('person_needed');
    const preview = await world.request(`/v1/tokens/${id}/preview`, {
      method: 'POST',
      token: owner,
    });
    const { digest } = preview.read(previewSchema).preview;
    await world.request(`/v1/tokens/${id}?digest=${digest}`, { method: 'DELETE', token: owner });
    const refused = await enhance(world, { token, contact });
    expect(refused.read(errorSchema).error.code).toBe('door_token_unknown');
    const entries = await listAuditEntries(world.application.store, { limit: 20 });
    expect(entries.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['door.made', 'door.revoked']),
    );
  });

  it('is created on the page for users, shown there once, listed and revoked', async () => {
    const world = await openConnected();
    const [contact = ''] = await world.addPeople(1);
    const { cookie } = await join(world, 'Olga', 'owner');
    const form = { name: 'Sales force', integration: 'riverside', perDay: '7' };
    const created = await send(world, '/door-tokens', form, { cookie });
    const [token = ''] = /dsd_[\w-]+/.exec(created.text) ?? [];
    expect([created.status, token.length]).toEqual([200, 47]);
    expect((await readStatus(world, { token, contact })).status).toBe(200);
    const page = await (await get(world, '/users', cookie)).text();
    expect(page).toContain('Sales force');
    expect(page).not.toContain(token);
    const id = [...page.matchAll(/\/tokens\/([^/"]+)\/revoke/g)].at(-1)?.[1] ?? '';
    const revoked = await send(world, `/tokens/${id}/revoke`, {}, { cookie });
    expect([revoked.status, revoked.location]).toEqual([303, '/users?note=revoked#tokens']);
    expect((await readStatus(world, { token, contact })).status).toBe(401);
    const admin = await join(world, 'Ada', 'admin');
    expect((await send(world, '/door-tokens', form, { cookie: admin.cookie })).status).toBe(403);
    const bad = { ...form, perDay: 'many' };
    expect((await send(world, '/door-tokens', bad, { cookie })).status).toBe(422);
  });

  it('names itself in the audit when it acts', async () => {
    const world = await openConnected();
    const { token } = await addToken(world);
    const [contact = ''] = await world.addPeople(1);
    await enhance(world, { token, contact });
    await expect
      .poll(async () => {
        const entries = await listAuditEntries(world.application.store, { limit: 50 });
        return entries.some(({ actor }) => actor.kind === 'door' && actor.name === 'Salesforce');
      })
      .toBe(true);
  });
});
