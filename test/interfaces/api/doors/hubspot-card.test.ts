/** Tests HubSpot's door with the stand-in. Linked users can act from the card, and every attack fails. */
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { systemClock } from '../../../../src/core/clock.ts';
import { listAuditEntries } from '../../../../src/privacy/audit/read-audit.ts';
import { listRunRequests } from '../../../../src/sync/statements/run-requests.ts';
import { closedAfterTest } from '../../../helpers/closed-after-test.ts';
import { holdJobs } from '../../../helpers/held-jobs.ts';
import { controlService } from '../../../helpers/service-control.ts';
import { describeEachDatabase } from '../../../helpers/test-databases.ts';
import { edit } from '../../../testbed/asking.ts';
import { get, join, send } from '../people-world.ts';
import { type Forgery, openHubspotWorld } from './hubspot-world.ts';

const open = closedAfterTest(openHubspotWorld);

const errorSchema = z.object({ error: z.object({ code: z.string() }) });
const markedSchema = z.object({ run: z.string().nullable() });

function codeIn(answer: string): string {
  return errorSchema.safeParse(JSON.parse(answer)).data?.error.code ?? answer;
}

/** Opens a service with a pinned portal. No contact has been paid for. */
async function openPinned(options: Parameters<typeof openHubspotWorld>[0] = {}) {
  const world = await open({
    ...options,
    integration: { budget: { perRun: 0 }, ...options.integration },
  });
  await world.syncAll();
  const [contact = '', other = ''] = await world.contactsOf();
  return { world, contact, other };
}

describeEachDatabase('the card', () => {
  it('shows the status without values until the user is linked, and the address that HubSpot reports is not trusted', async () => {
    const { world, contact } = await openPinned();
    const ada = await join(world, 'Ada', 'admin');
    // The email address of a donor-sync user. A portal administrator could give this address to a different HubSpot
    // user.
    const stranger = await world.show(contact, { userEmail: ada.email });
    expect(stranger).toMatchObject({ user: { isLinked: false, email: ada.email } });
    expect(stranger.contact).toMatchObject({ values: null, mayEnhance: false });
    const asked = await world.card(
      'wanted',
      { key: 'click-0001', contact },
      { userEmail: ada.email },
    );
    expect([asked.status, codeIn(asked.answer)]).toEqual([403, 'door_user_unlinked']);
    expect(await listRunRequests(world.application.store.reader)).toEqual([]);
  });

  it('links a user once, who signed in here and confirmed, and ends the link again', async () => {
    const { world, contact } = await openPinned();
    const ada = await join(world, 'Ada', 'reader');
    const { link } = await world.show(contact);
    const path = (link ?? '').slice(world.url.length);
    const stranger = await fetch(world.url + path, { redirect: 'manual' });
    expect(stranger.headers.get('location')).toContain('/sign-in');
    const page = await (await get(world, path, ada.cookie)).text();
    expect(page).toContain('with the rights of <strong>Ada</strong>');
    expect((await send(world, path, {}, { cookie: ada.cookie })).status).toBe(303);
    // The link has already been used.
    const bo = await join(world, 'Bo', 'admin');
    expect((await send(world, path, {}, { cookie: bo.cookie })).status).toBe(404);
    expect(await world.show(contact)).toMatchObject({
      user: { name: 'Ada', isLinked: true },
      contact: { values: { question: null } },
      link: null,
    });
    // Another user of the same portal is still not linked.
    expect((await world.show(contact, { userId: 7 })).contact.values).toBeNull();
    const account = await (await get(world, '/account', ada.cookie)).text();
    const [, id = ''] = /\/account\/links\/([^/]+)\/end/.exec(account) ?? [];
    expect((await send(world, `/account/links/${id}/end`, {}, { cookie: bo.cookie })).status).toBe(
      404,
    );
    expect((await send(world, `/account/links/${id}/end`, {}, { cookie: ada.cookie })).status).toBe(
      303,
    );
    expect((await world.show(contact)).contact.values).toBeNull();
    const entries = await listAuditEntries(world.application.store, { limit: 50 });
    const actions = entries.map(({ action }) => action);
    expect(actions.filter((action) => action.startsWith('crm_user.'))).toEqual([
      ...['crm_user.unlinked', 'crm_user.linked'],
    ]);
  });

  it('enhances one contact for one credit, whatever is clicked twice or fails in between', async () => {
    const world = await open({ contacts: 2, integration: { budget: { perRun: 1 } } });
    await world.syncAll();
    const shown = await Promise.all((await world.contactsOf()).map((id) => world.show(id)));
    const contact = shown.find((one) => one.contact.paidAt === null)?.contact['contact'] as string;
    await world.linkAs('Ada', 'admin', contact);
    const { spent } = controlService(world.service);
    expect(await spent()).toBe(1);
    const click = { key: 'click-0001', contact };
    // The service cannot store the response, so HubSpot receives a 500 and sends the call again. The contact is already
    // marked.
    const { connection } = world.application.store;
    await sql`alter table door_replies rename column replied_at to away`.execute(connection);
    const failed = await world.card('wanted', click);
    expect([failed.status, failed.attempts]).toEqual([500, 2]);
    await sql`alter table door_replies rename column away to replied_at`.execute(connection);
    const first = await world.card('wanted', click);
    expect(first.status, first.answer).toBe(202);
    const { run } = markedSchema.parse(JSON.parse(first.answer));
    expect((await world.card('wanted', click)).answer).toBe(first.answer);
    await world.untilEnded(run ?? '');
    expect((await world.card('wanted', click)).answer).toBe(first.answer);
    // A second click after the run finds an up-to-date profile.
    const again = await world.card('wanted', { ...click, key: 'click-0002' });
    await world.untilEnded(markedSchema.parse(JSON.parse(again.answer)).run ?? '');
    expect(await spent()).toBe(2);
    const { contact: enhanced } = await world.show(contact);
    expect(enhanced).toMatchObject({ wanted: null, paidAt: expect.any(String) });
    // A click's key is valid only for its contact.
    const other = await world.card('wanted', { ...click, contact: '999' });
    expect([other.status, codeIn(other.answer)]).toEqual([422, 'idempotency_key_reused']);
  });

  it('approves a held contact, in the name of the linked user', async () => {
    const jobs = holdJobs();
    const world = await open({
      ...{ contacts: 1, service: jobs.service },
      integration: { refresh: { whenIdentityChanges: false }, settleAfterMs: 0 },
    });
    const [contact = ''] = await world.holdAll(jobs);
    await world.linkAs('Dee', 'decider', contact);
    const { values } = (await world.show(contact)).contact;
    const { id: question = '', answers = [] } = values?.question ?? {};
    expect(answers.map(({ decision }) => decision)).toContain('approve');
    const answer = { key: 'click-0001', contact, question, decision: 'approve' };
    const first = await world.card('answer', answer);
    expect(first.status, first.answer).toBe(200);
    expect((await world.card('answer', answer)).answer).toBe(first.answer);
    const { contact: after } = await world.show(contact);
    expect(after).toMatchObject({ hasQuestion: false, values: { question: null } });
    const [entry] = await listAuditEntries(world.application.store, {
      action: 'hold.decided',
      limit: 1,
    });
    expect(entry?.actor).toMatchObject({ kind: 'door', name: 'Dee' });
  });
});

describeEachDatabase('an attack on the card', () => {
  it.each<[string, Forgery, string]>([
    ['with another secret', { signature: 'wrong' }, 'signature_invalid'],
    ['without a signature', { signature: 'missing' }, 'signature_missing'],
    ['signed in version 2', { signature: 'v2' }, 'signature_missing'],
    ['signed six minutes ago', { ageMs: 360_000 }, 'signature_too_old'],
    ['signed in six minutes', { ageMs: -360_000 }, 'signature_too_old'],
    ['of another app', { appId: 5 }, 'door_call_refused'],
  ])('%s is refused', async (_, forgery, code) => {
    const { world, contact } = await openPinned({ contacts: 2 });
    await world.linkAs('Ada', 'admin', contact);
    for (const path of ['contact', 'wanted']) {
      const { status, answer } = await world.card(path, { key: 'click-0001', contact }, forgery);
      expect([status, codeIn(answer)]).toEqual([401, code]);
    }
    expect(await listRunRequests(world.application.store.reader)).toEqual([]);
  });

  it('with another portal, a doubled parameter, another contact or another address fails', async () => {
    const { world, contact } = await openPinned({ contacts: 2 });
    await world.linkAs('Ada', 'admin', contact);
    const click = { key: 'click-0001', contact };
    const portal = await world.card('wanted', click, { portalId: 1 });
    expect([portal.status, codeIn(portal.answer)]).toEqual([403, 'door_account_unknown']);
    for (const query of ['userId=1', 'portalId=1', 'appId=2', 'userEmail=x', 'a=1&a=2']) {
      const doubled = await world.card(`wanted?${query}`, click);
      expect([query, doubled.status, codeIn(doubled.answer)]).toEqual([
        query,
        401,
        'door_call_refused',
      ]);
    }
    const foreign = await world.card('wanted', { key: 'click-0002', contact: '999' });
    expect([foreign.status, codeIn(foreign.answer)]).toEqual([404, 'contact_unknown']);
    // The call is signed for a different address. With a false Host header, the service could mistake that address for
    // its own.
    const signedUrl = 'https://elsewhere.example.org/doors/hubspot/card/wanted';
    const elsewhere = await world.card('wanted', click, { signedUrl });
    expect([elsewhere.status, codeIn(elsewhere.answer)]).toEqual([401, 'signature_invalid']);
    expect(await listRunRequests(world.application.store.reader)).toEqual([]);
  });

  it('that replays a call gets the first reply for the same key, and none for a changed call', async () => {
    const { world, contact } = await openPinned({ contacts: 2 });
    await world.linkAs('Ada', 'admin', contact);
    const sent = await world.card('wanted', { key: 'click-0001', contact });
    const replay = (body: string) =>
      fetch(sent.url, { method: 'POST', headers: sent.headers, body });
    const same = await replay(sent.body);
    expect([same.status, await same.text()]).toEqual([202, sent.answer]);
    const changed = await replay(sent.body.replace('click-0001', 'click-0002'));
    expect([changed.status, codeIn(await changed.text())]).toEqual([401, 'signature_invalid']);
    // The service builds the signed address from the public URL. A different Host header therefore has no effect.
    const host = await fetch(sent.url.replace('127.0.0.1', 'localhost'), {
      ...{ method: 'POST', headers: sent.headers, body: sent.body },
    });
    expect(host.status).toBe(202);
  });

  it('of ten clicks at the same moment, with one key or with ten, leads to one run for one credit', async () => {
    const world = await open({ contacts: 2, integration: { budget: { perRun: 1 } } });
    await world.syncAll();
    const ids = await world.contactsOf();
    const shown = await Promise.all(ids.map((id) => world.show(id)));
    const contact = String(shown.find((one) => one.contact.paidAt === null)?.contact['contact']);
    await world.linkAs('Ada', 'admin', contact);
    const clicks = Array.from({ length: 10 }, (_, index) => index);
    const click = (key: string) => world.card('wanted', { key, contact });
    const same = await Promise.all(clicks.map(() => click('click-0001')));
    const others = await Promise.all(clicks.map((index) => click(`click-1${index}00`)));
    const answers = [...same, ...others].map(({ status, answer }) => [status, answer.slice(0, 16)]);
    expect(answers).toEqual(clicks.flatMap(() => Array(2).fill([202, '{"accepted":true'])));
    for (const { answer } of [...same, ...others]) {
      await world.untilEnded(markedSchema.parse(JSON.parse(answer)).run ?? '');
    }
    expect(await controlService(world.service).spent()).toBe(2);
  });

  it('that replays a load gets the first reply for a minute, without a look at the contact, and none later', async () => {
    let later = 0;
    const clock = { ...systemClock, now: () => systemClock.now() + later };
    const { world, contact } = await openPinned({ contacts: 2, clock });
    await world.linkAs('Ada', 'admin', contact);
    const sent = await world.card('contact', { key: 'load-0001', contact });
    const replay = async () => {
      const { url, headers, body } = sent;
      const answer = await fetch(url, { method: 'POST', headers, body });
      return [answer.status, await answer.text()] as const;
    };
    const { store } = world.application;
    const looks = async () =>
      (await listAuditEntries(store, { action: 'contact.shown', limit: 50 })).length;
    const before = await looks();
    await edit(world.hubspot, { action: 'update', id: contact, values: { lastname: 'Newer' } });
    expect(await replay()).toEqual([200, sent.answer]);
    expect([await looks(), sent.answer.includes('Newer')]).toEqual([before, false]);
    later = 61_000;
    const [status, answer] = await replay();
    expect([status, codeIn(answer)]).toEqual([401, 'door_call_repeated']);
    expect(await looks()).toBe(before);
    expect((await world.show(contact)).contact.values?.name).toContain('Newer');
  });

  it('by a linked user without the role, or without access to the client, does nothing', async () => {
    const { world, contact } = await openPinned({ contacts: 2 });
    await world.linkAs('Ria', 'reader', contact);
    const click = { key: 'click-0001', contact };
    const reader = await world.card('wanted', click);
    expect([reader.status, codeIn(reader.answer)]).toEqual([403, 'role_insufficient']);
    const answer = { ...click, question: 'any', decision: 'approve' };
    const decided = await world.card('answer', answer);
    expect([decided.status, codeIn(decided.answer)]).toEqual([403, 'role_insufficient']);
    const elsewhere = await join(world, 'Eve', 'admin', ['elsewhere']);
    const { link } = await world.show(contact, { userId: 9 });
    const path = (link ?? '').slice(world.url.length);
    expect((await send(world, path, {}, { cookie: elsewhere.cookie })).status).toBe(303);
    const without = await world.card('wanted', click, { userId: 9 });
    expect([without.status, codeIn(without.answer)]).toEqual([403, 'door_user_unlinked']);
    expect((await world.show(contact, { userId: 9 })).contact.values).toBeNull();
    expect(await listRunRequests(world.application.store.reader)).toEqual([]);
  });
});
