/** Tests the monthly emails: who gets them, when, how often, and what they contain. */
import { afterEach, expect, it } from 'vitest';
import { createMonthlyMails } from '../../../src/clients/mails/monthly-mails.ts';
import { integrationSchema } from '../../../src/core/integration-settings.ts';
import { silentLog } from '../../../src/core/log.ts';
import type { MailKind } from '../../../src/core/mail-kinds.ts';
import type { Role } from '../../../src/core/role.ts';
import { generateKey, parseKeyRing } from '../../../src/database/encryption/key-ring.ts';
import { createSealer } from '../../../src/database/encryption/sealed.ts';
import { hashToken } from '../../../src/people/access-token.ts';
import { createProof } from '../../../src/people/monthly-mails.ts';
import { chooseMail, stopMail, verifyEmail } from '../../../src/people/statements/mail-choices.ts';
import { acceptInvitation } from '../../../src/people/statements/people.ts';
import { changeRights, disablePerson, invitePerson } from '../../../src/people/user-accounts.ts';
import { createStore } from '../../../src/store.ts';
import { storeWorlds, testFingerprint } from '../../database/store-world.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';
import { startMailServer } from '../alerts/receivers.ts';

const sealer = createSealer(parseKeyRing(generateKey('test')));

/** A past month. It has ended in every time zone. */
const BEFORE = '2020-01';

const HOUR_MS = 3_600_000;

describeEachDatabase('the monthly mails', (open) => {
  const createWorld = storeWorlds(open);
  const opened: { close(): Promise<void> }[] = [];

  afterEach(async () => {
    for (const one of opened.splice(0).reverse()) await one.close();
  });

  it('are sent once a month and user, however many hosts look at the same time', async () => {
    const { join, host, server } = await watched();
    await join('rea', 'reader', ['introductions']);
    await join('ben', 'viewer', ['introductions', 'results']);
    const hosts = [host(), host(), host()];
    await Promise.all(hosts.map((each) => each.tick()));
    await Promise.all(hosts.map((each) => each.tick()));
    expect(server.mails.filter(({ to }) => to[0] === 'rea@example.org')).toHaveLength(1);
    // Ben's role may not read contacts, so his email contains no introductions.
    const toBen = server.mails.filter(({ to }) => to[0] === 'ben@example.org');
    expect(toBen.every(({ source }) => source.includes('Subject: donor-sync: Results'))).toBe(true);
  });

  it('have the name of the client, counts and links, and a link that stops them', async () => {
    const { join, host, server } = await watched();
    await join('rea', 'reader', ['introductions']);
    await host().tick();
    const [mail] = server.mails;
    const text = unfold(mail?.source ?? '');
    expect(text).toContain('Subject: donor-sync: Introductions, ');
    expect(text).toContain('Riverside Food Bank');
    expect(text).toContain('No contact can be introduced yet.');
    expect(text).toContain('https://sync.example.org/introductions/riverside');
    expect(text).toMatch(/List-Unsubscribe: <https:\/\/sync\.example\.org\/stop-mails\/[^>]+>/);
    expect(text).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
  });

  it.each([
    ['the address is not verified', { verified: false }],
    ['the user is disabled', { disabled: true }],
    ['the role was lowered', { role: 'viewer' as const }],
    ['the user has access to no client here', { access: ['elsewhere'] }],
    ['the user has stopped them', { stopped: true }],
  ])('are not sent if %s', async (_, changed: Change) => {
    const { join, host, server, store } = await watched();
    const id = await join('rea', 'reader', ['introductions'], changed.verified ?? true);
    await store.act(async (trx) => {
      const { role = 'reader', access = null } = changed;
      await changeRights(trx, id, { role, integrations: access });
      if (changed.disabled) await disablePerson(trx, id, true);
      if (changed.stopped) await stopMail(trx, { personId: id, kind: 'introductions' });
    });
    await host().tick();
    expect(server.mails).toEqual([]);
  });

  it('list only the clients that the user has access to', async () => {
    const { join, host, server, store } = await watched(['riverside', 'harbor']);
    const id = await join('rea', 'reader', ['introductions']);
    await store.act((trx) => changeRights(trx, id, { role: 'reader', integrations: ['harbor'] }));
    await host().tick();
    const text = unfold(server.mails[0]?.source ?? '');
    expect(text).toContain('Harbor Clinic');
    expect(text).not.toContain('Riverside');
  });

  it('are tried again an hour after the server has refused them, and not before', async () => {
    const { join, host, server, clock } = await watched();
    await join('rea', 'reader', ['introductions']);
    const mails = host();
    server.refuse('mailbox full');
    await mails.tick();
    server.refuse(null);
    await mails.tick();
    expect(server.mails).toEqual([]);
    await clock.advance(HOUR_MS);
    await mails.tick();
    await mails.tick();
    expect(server.mails).toHaveLength(1);
  });

  it('are not sent in the month in which the user chose them', async () => {
    const { join, host, server, thisMonth } = await watched();
    await join('rea', 'reader', ['introductions'], true, thisMonth());
    await host().tick();
    expect(server.mails).toEqual([]);
  });

  it('need a code that is the newest, the own and used once', async () => {
    const { join, store, clock } = await watched();
    const rea = await join('rea', 'reader', [], false);
    const ben = await join('ben', 'reader', [], false);
    const codeOf = (path = '') => hashToken(path.split('code=')[1] ?? '');
    const proof = await store.act((trx) => createProof(trx, rea));
    // A second email within a minute would only flood the mailbox.
    expect(await store.act((trx) => createProof(trx, rea))).toBeNull();
    const hash = codeOf(proof?.path);
    expect(await store.act((trx) => verifyEmail(trx, ben, hash))).toBe(false);
    await clock.advance(HOUR_MS);
    const newer = await store.act((trx) => createProof(trx, rea));
    expect(await store.act((trx) => verifyEmail(trx, rea, hash))).toBe(false);
    const newest = codeOf(newer?.path);
    expect(await store.act((trx) => verifyEmail(trx, rea, newest))).toBe(true);
    expect(await store.act((trx) => verifyEmail(trx, rea, newest))).toBe(false);
  });

  interface Change {
    verified?: boolean;
    disabled?: boolean;
    role?: Role;
    access?: string[];
    stopped?: boolean;
  }

  async function watched(ids: readonly string[] = ['riverside']) {
    const { store, db, clock } = await createWorld();
    const server = await startMailServer();
    opened.push(server);
    const integrations = new Map(ids.map((id) => [id, aClient(id)]));
    /** Returns another process, with its own store over the same database. */
    const host = () => {
      const mails = createMonthlyMails({
        store: createStore({ db, clock, fingerprint: testFingerprint }),
        sealer,
        integrations,
        retention: { profiles: null },
        server: { from: 'donor-sync <sync@example.org>', smtp: server.url },
        readUrl: async () => 'https://sync.example.org',
        clock,
        log: silentLog,
      });
      opened.push(mails);
      return mails;
    };
    const join = async (
      name: string,
      role: Role,
      kinds: readonly MailKind[],
      verified = true,
      month = BEFORE,
    ) => {
      const person = { name, email: `${name}@example.org`, role, integrations: null };
      const { id, secret } = await store.act((trx) => invitePerson(trx, sealer, person));
      await store.act((trx) => acceptInvitation(trx, hashToken(secret), 'hash of a password'));
      for (const kind of kinds) {
        await store.act((trx) => chooseMail(trx, { personId: id, kind }, month));
      }
      if (!verified) return id;
      const proof = await store.act((trx) => createProof(trx, id));
      await store.act((trx) => verifyEmail(trx, id, proof?.hash ?? ''));
      return id;
    };
    /** Uses the later of two times, because the Postgres server has its own clock. */
    const thisMonth = () => new Date(Math.max(clock.now(), Date.now())).toISOString().slice(0, 7);
    return { store, clock, server, host, join, thisMonth };
  }
});

const NAMES: Readonly<Record<string, string>> = {
  riverside: 'Riverside Food Bank',
  harbor: 'Harbor Clinic',
};

function aClient(id: string) {
  return integrationSchema.parse({
    id,
    name: NAMES[id],
    partner: { baseUrl: 'http://127.0.0.1:9', apiKey: 'key' },
    crm: { kind: 'memory' },
  });
}

/** Joins the lines that the email's encoding has split. */
function unfold(source: string): string {
  return source
    .replace(/=\r?\n/g, '')
    .replace(/\r?\n[ \t]+/g, ' ')
    .replace(/=3D/g, '=');
}
