/**
 * Tests monthly emails. Users choose the emails on their own page, confirm their address, and stop the emails with the
 * link in an email.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { stopPath } from '../../../src/people/monthly-mails.ts';
import { listChosenMails } from '../../../src/people/statements/mail-choices.ts';
import { listAuditEntries } from '../../../src/privacy/audit/read-audit.ts';
import { startMailServer } from '../../clients/alerts/receivers.ts';
import { type HttpWorld, openHttpWorld } from './http-world.ts';
import { get, join, send } from './people-world.ts';

const opened: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});

async function openWorld({ hasServer = true } = {}) {
  const server = await startMailServer();
  opened.push(server);
  const email = { to: ['ops@example.org'], from: 'sync@example.org', smtp: server.url };
  const world = await openHttpWorld(hasServer ? { alerts: { email } } : {});
  opened.push(world);
  return { world, server };
}

type MailServer = Awaited<ReturnType<typeof startMailServer>>;

function findCode({ mails }: MailServer): string {
  const text = (mails.at(-1)?.source ?? '').replace(/=\r?\n/g, '').replace(/=3D/g, '=');
  return /confirm\?code=([\w-]{43})/.exec(text)?.[1] ?? '';
}

const chosen = ({ application }: HttpWorld, id: string) =>
  listChosenMails(application.store.reader, id);

describe('the monthly mails of an account', () => {
  it('say what is missing while the settings name no mail server', async () => {
    const { world } = await openWorld({ hasServer: false });
    const rea = await join(world, 'Rea', 'reader');
    const page = await (await get(world, '/account', rea.cookie)).text();
    expect(page).toContain('The settings do not contain a mail server');
    expect(page).toContain('alerts.email');
    const refused = await send(
      world,
      '/account/mails/results',
      { state: 'on' },
      { cookie: rea.cookie },
    );
    expect(refused.status).toBe(409);
    expect(await chosen(world, rea.id)).toEqual([]);
  });

  it('are chosen on the page, and sent once a link in a mail has confirmed the address', async () => {
    const { world, server } = await openWorld();
    const rea = await join(world, 'Rea', 'reader');
    const headers = { cookie: rea.cookie };
    const on = await send(world, '/account/mails/introductions', { state: 'on' }, headers);
    expect(on).toMatchObject({ status: 303, location: '/account?note=mailProof#mails' });
    expect(await chosen(world, rea.id)).toEqual(['introductions']);
    expect(server.mails.map(({ to }) => to)).toEqual([['rea@example.org']]);
    const code = findCode(server);
    const before = await (await get(world, '/account', rea.cookie)).text();
    expect(before).toContain('waits until you confirm the address');
    expect(before).not.toMatch(/data-label="State"[^>]*>on</);
    // Opening the link confirms nothing yet.
    const opening = await get(world, `/account/mails/confirm?code=${code}`, rea.cookie);
    expect(opening.status).toBe(200);
    expect(await (await get(world, '/account', rea.cookie)).text()).toContain(
      'waits until you confirm the address',
    );
    const ben = await join(world, 'Ben', 'reader');
    const stolen = await send(world, '/account/mails-confirmed', { code }, { cookie: ben.cookie });
    expect(stolen.status).toBe(409);
    const confirmed = await send(world, '/account/mails-confirmed', { code }, headers);
    expect(confirmed.location).toBe('/account?note=mailVerified#mails');
    const after = await (await get(world, '/account', rea.cookie)).text();
    expect(after).not.toContain('waits until you confirm');
    expect(after).toMatch(/data-label="State"[^>]*>on</);
    const entries = await listAuditEntries(world.application.store, { limit: 20 });
    expect(entries.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['mail.chosen', 'email.verified']),
    );
  });

  it('offer a viewer the results only', async () => {
    const { world } = await openWorld();
    const val = await join(world, 'Val', 'viewer');
    const page = await (await get(world, '/account', val.cookie)).text();
    expect(page).toContain('/account/mails/results');
    expect(page).not.toContain('/account/mails/introductions');
    const refused = await send(
      world,
      '/account/mails/introductions',
      { state: 'on' },
      { cookie: val.cookie },
    );
    expect(refused.status).toBe(403);
    expect(await chosen(world, val.id)).toEqual([]);
  });

  it('keep the choice if the server refuses the mail that confirms the address, and say so', async () => {
    const { world, server } = await openWorld();
    const rea = await join(world, 'Rea', 'reader');
    server.refuse('mailbox full');
    const headers = { cookie: rea.cookie };
    const refused = await send(world, '/account/mails/results', { state: 'on' }, headers);
    expect(refused.status).toBe(409);
    expect(refused.text).toContain('was not sent');
    server.refuse(null);
    const again = await send(world, '/account/mails/results', { state: 'on' }, headers);
    expect(again.location).toBe('/account?note=mailProof#mails');
  });

  it('are stopped by the link in a mail, without a session, but not by opening it', async () => {
    const { world } = await openWorld();
    const { store } = world.application;
    const rea = await join(world, 'Rea', 'reader');
    await send(world, '/account/mails/results', { state: 'on' }, { cookie: rea.cookie });
    const path = stopPath(store, { personId: rea.id, kind: 'results' });
    const asks = await fetch(world.url + path);
    expect([asks.status, await chosen(world, rea.id)]).toEqual([200, ['results']]);
    const wrong = await fetch(`${world.url}${path}x`, { method: 'POST' });
    expect([wrong.status, await chosen(world, rea.id)]).toEqual([404, ['results']]);
    const foreign = await send(world, path, {}, { origin: 'https://elsewhere.example' });
    expect([foreign.status, await chosen(world, rea.id)]).toEqual([403, ['results']]);
    // Email programs send this request without an origin.
    const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' });
    const stopped = await fetch(world.url + path, { method: 'POST', body });
    expect([stopped.status, await chosen(world, rea.id)]).toEqual([200, []]);
    const [entry] = await listAuditEntries(store, { limit: 1 });
    expect(entry).toMatchObject({ action: 'mail.stopped', details: { kind: 'results' } });
  });

  it('are forgotten with the user', async () => {
    const { world } = await openWorld();
    const owner = await join(world, 'Olga', 'owner');
    const rea = await join(world, 'Rea', 'reader');
    await send(world, '/account/mails/results', { state: 'on' }, { cookie: rea.cookie });
    const removed = await send(world, `/users/${rea.id}/remove`, {}, { cookie: owner.cookie });
    expect(removed.status).toBe(303);
    expect(await chosen(world, rea.id)).toEqual([]);
  });
});
