/** A service with two clients that have the same kinds of data, and every kind of caller. */
import { join as joinPath } from 'node:path';
import Database from 'better-sqlite3';
import { z } from 'zod';
import type { MemoryCrm } from '../../../connectors/memory/crm.ts';
import { createHookAddress } from '../../../src/clients/hook-address.ts';
import { beginSetup } from '../../../src/clients/setup/draft.ts';
import { raiseAlert } from '../../../src/clients/statements/alerts.ts';
import { type Clock, systemClock } from '../../../src/core/clock.ts';
import { ROLES, type Role } from '../../../src/core/role.ts';
import { passkeySealContext } from '../../../src/database/encryption/seal-contexts.ts';
import { hashToken, newAccessToken } from '../../../src/people/access-token.ts';
import {
  createLinkSecret,
  fingerprintCrmUser,
  LINK_MS,
  sealCrmUser,
} from '../../../src/people/crm-user-links.ts';
import { addAccessToken, revokeAccessToken } from '../../../src/people/statements/access.ts';
import { saveCrmUser } from '../../../src/people/statements/crm-users.ts';
import { addPasskey } from '../../../src/people/statements/passkeys.ts';
import { listSessions } from '../../../src/people/statements/sessions.ts';
import { disablePerson } from '../../../src/people/user-accounts.ts';
import { WITHOUT_TRIAL } from '../../helpers/sync-world.ts';
import { type HttpWorld, openHttpWorld } from '../api/http-world.ts';
import { join, send } from '../api/people-world.ts';

export const OWN = 'harbor';
/** The client to which those callers have no access. */
export const FOREIGN = 'riverside';

/** The clients to which those callers have access. One client's set-up is not finished. */
const REACH = [OWN, 'own-clinic'];

/** An ID that belongs to nothing. */
export const UNKNOWN = 'unknown';

const PUBLIC_URL = 'https://sync.example.org';

/** The IDs of a client's objects. */
export interface Things {
  integration: string;
  run: string;
  hold: string;
  batch: string;
  approval: string;
  answer: string;
  contact: string;
  /** A user who has access only to this client, and that user's data. */
  user: string;
  token: string;
  passkey: string;
  session: string;
  crmUser: string;
  /**
   * The secret of a link that the CRM's card shows. It does not belong to a client. The foreign client's link is too
   * old.
   */
  link: string;
  /** A client whose set-up is not finished. */
  setup: string;
}

/** A caller, identified by what a request contains. */
export interface Principal {
  name: string;
  /** Null for callers who have no access. */
  role: Role | null;
  /** `token`: an access token in a header or in a browser's session. */
  by: 'token' | 'person';
  reach: 'own' | 'all';
  headers: Readonly<Record<string, string>>;
}

export interface TwoClients {
  world: HttpWorld;
  own: Things;
  foreign: Things;
  principals: readonly Principal[];
  /** An owner who is signed in. */
  owner: Principal;
  /** Strings that must never reach a caller without access to the foreign client. */
  foreignMarks: readonly string[];
  /** Returns every row that belongs to the foreign client, as text. */
  foreignRows(): string[];
  /** Returns the audit entries about the foreign client. */
  foreignEntries(): string[];
  /** Recreates the webhook address if a request has revoked it. The callers' tokens cannot create an address. */
  renewHook(): Promise<void>;
  ask(principal: Principal, request: Asked): Promise<Reply>;
}

export interface Asked {
  method: string;
  path: string;
  /** The API receives it as JSON, and pages receive it as a form. */
  body?: Readonly<Record<string, unknown>> | undefined;
}

export interface Reply {
  status: number;
  location: string;
  text: string;
}

export async function openTwoClients(): Promise<TwoClients> {
  const clock = stoppableClock();
  const settings = { ...WITHOUT_TRIAL, schedule: { cron: '0 2 1 1 *' } };
  const world = await openHttpWorld({
    ...{ clock, integration: settings, others: [OWN], other: settings, publicUrl: PUBLIC_URL },
    settings: { twoPeople: { approvals: 1 } },
    trustedProxies: ['127.0.0.1'],
  });
  const { principals, owner } = await invite(world);
  const token = await world.addToken('owner');
  const foreign = await fill(world, { id: FOREIGN, crm: world.crm, token });
  const own = await fill(world, { id: OWN, crm: world.crmOf(OWN), token });
  // From now on, answers do not take effect, and requested runs do not start.
  clock.stop();
  await world.runner.stop();
  let asked = 0;
  return {
    ...{ world, own, foreign, principals, owner },
    // A contact's name is only in the CRM and in its profile.
    foreignMarks: [
      ...[FOREIGN, 'Riverside', 'Foreign', foreign.run, foreign.hold, foreign.batch],
      ...[foreign.approval, foreign.answer, foreign.session, foreign.passkey, foreign.setup],
    ],
    renewHook: () => addHook(world, OWN),
    foreignRows: () => rowsOf(world, foreign),
    foreignEntries: () => readRows(world, 'audit_entries').filter((row) => row.includes(FOREIGN)),
    async ask(principal, { method, path, body }) {
      asked += 1;
      // Each request comes from a separate address, because addresses with too many failed attempts have to wait.
      const from = `10.${asked >> 16}.${(asked >> 8) & 255}.${asked & 255}`;
      const isForm = !path.startsWith('/v1/');
      const sent = body === undefined ? null : isForm ? toForm(body) : JSON.stringify(body);
      const response = await fetch(world.url + path, {
        ...{ method, redirect: 'manual', body: method === 'GET' ? null : sent },
        headers: {
          ...{ 'x-forwarded-for': from, 'x-forwarded-proto': 'https', origin: PUBLIC_URL },
          ...(sent !== null && !isForm && { 'content-type': 'application/json' }),
          ...principal.headers,
        },
      });
      const { status, headers } = response;
      return { status, location: headers.get('location') ?? '', text: await response.text() };
    },
  };
}

async function addHook({ application }: HttpWorld, id: string): Promise<void> {
  const { store, sealer } = application;
  await store.act((trx) => createHookAddress(trx, sealer, PUBLIC_URL, id, null));
}

/** Returns this machine's clock, which can be stopped. */
function stoppableClock(): Clock & { stop(): void } {
  let stoppedAt: number | null = null;
  return {
    ...systemClock,
    now: () => stoppedAt ?? Date.now(),
    stop() {
      stoppedAt = Date.now();
    },
  };
}

async function invite(world: HttpWorld): Promise<Pick<TwoClients, 'principals' | 'owner'>> {
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const principals: Principal[] = [
    { name: 'nobody', role: null, by: 'person', reach: 'own', headers: {} },
  ];
  for (const role of ROLES) {
    const some = bearer(await world.addToken(role, REACH));
    const all = bearer(await world.addToken(role));
    principals.push(
      { name: `a token (${role})`, role, by: 'token', reach: 'own', headers: some },
      { name: `a token (${role}) for all clients`, role, by: 'token', reach: 'all', headers: all },
    );
    // An owner has access to all clients.
    if (role === 'owner') continue;
    const { cookie } = await join(world, `Own-${role}`, role, REACH);
    principals.push({
      name: `${role === 'admin' ? 'an' : 'a'} ${role}`,
      role,
      by: 'person',
      reach: 'own',
      headers: { cookie },
    });
  }
  const leaked = await send(world, '/sign-in', { token: await world.addToken('owner') });
  principals.push({
    ...{ name: "a browser with an owner's token", role: 'owner', by: 'token', reach: 'all' },
    headers: { cookie: leaked.cookie ?? '' },
  });
  const disabled = await join(world, 'Disabled', 'admin', REACH);
  const { store } = world.application;
  await store.act((trx) => disablePerson(trx, disabled.id, true));
  const revoked = await addToken(world, 'Revoked', []);
  await store.act((trx) => revokeAccessToken(trx, revoked.id));
  principals.push(
    ...[
      { name: 'a disabled admin', headers: { cookie: disabled.cookie } },
      { name: 'a revoked token', headers: bearer(revoked.token) },
      { name: 'an invented session', headers: { cookie: disabled.cookie.replace(/=./, '=A') } },
    ].map((each) => ({ ...each, role: null, by: 'person', reach: 'own' }) as const),
  );
  const { cookie } = await join(world, 'Olga', 'owner');
  const headers = { cookie };
  return {
    principals,
    owner: { name: 'an owner', role: 'owner', by: 'person', reach: 'all', headers },
  };
}

async function addToken(world: HttpWorld, name: string, integrations: readonly string[]) {
  const token = newAccessToken();
  const row = { id: `token-of-${name}`, name, role: 'viewer', hash: hashToken(token) } as const;
  await world.application.store.act((trx) => addAccessToken(trx, { ...row, integrations }));
  return { id: row.id, token };
}

const schemas = {
  run: z.object({ run: z.object({ id: z.string() }) }),
  held: z.object({
    holds: z.array(z.object({ id: z.string() })),
    batches: z.array(z.object({ id: z.string() })),
  }),
  approval: z.object({ approval: z.object({ id: z.string() }) }),
  answer: z.object({ answer: z.object({ id: z.string() }) }),
};

/** Adds an object of each kind to a client. */
async function fill(
  world: HttpWorld,
  { id, crm, token }: { id: string; crm: MemoryCrm; token: string },
): Promise<Things> {
  const { application } = world;
  const { store, sealer } = application;
  const word = id === OWN ? 'Own' : 'Foreign';
  const post = async <Body>(path: string, schema: z.ZodType<Body>, body: object = {}) =>
    (await world.request(path, { method: 'POST', token, body })).read(schema);
  const sync = async () => {
    const { run } = await post(`/v1/integrations/${id}/runs`, schemas.run);
    await world.untilEnded(run.id);
    return run.id;
  };
  for (let index = 0; index < 30; index += 1) {
    const name = { firstName: `${word}${index}`, lastName: `Last${index}` };
    crm.addContact({ id: `${word}-contact-${index}`, ...name, addresses: [] });
  }
  await sync();
  for (const { contact } of crm.records.values()) {
    crm.editContact(contact.id, { addresses: [`${contact.lastName} ${word} Lane, Reno`] });
  }
  const run = await sync();
  const held = (await world.request(`/v1/holds?integration=${id}`, { token })).read(schemas.held);
  const [hold = '', other = ''] = held.holds.map((one) => one.id);
  const batch = held.batches[0]?.id ?? '';
  const { approval } = await post(`/v1/holds/batches/${batch}/approve`, schemas.approval);
  const body = { withdrawable: true };
  const { answer } = await post(`/v1/holds/${other}/reject`, schemas.answer, body);
  await addHook(world, id);
  await raiseAlert(store.connection, id, 'credits_low/networks');
  const user = await join(world, `User-${word}`, 'viewer', [id]);
  const passkey = `passkey-of-${word}`;
  await store.act((trx) =>
    addPasskey(trx, user.id, {
      ...{
        id: passkey,
        credential: passkey,
        publicKey: 'none',
        counter: 0,
        transports: [],
        host: 'h',
      },
      sealed: sealer.seal(`${word} laptop`, passkeySealContext(passkey)),
    }),
  );
  const [session] = await listSessions(store.reader, { personId: user.id });
  const crmUser = `crm-user-of-${word}`;
  const inCrm = { kind: 'hubspot', account: '1', user: word, email: `${word}@example.org` };
  await store.act((trx) =>
    saveCrmUser(
      trx,
      {
        ...{ id: crmUser, personId: user.id, fingerprint: fingerprintCrmUser(store, inCrm) },
        sealed: sealCrmUser(sealer, crmUser, inCrm),
      },
      inCrm.kind,
    ),
  );
  const shownAt = id === OWN ? Date.now() : Date.now() - 2 * LINK_MS;
  const link = createLinkSecret(sealer, { ...inCrm, user: `another ${word}` }, shownAt);
  const setup = await beginSetup(application, `${word} Clinic`);
  const [contact = ''] = crm.records.keys();
  return {
    ...{ integration: id, run, hold, batch, approval: approval.id, answer: answer.id, contact },
    ...{ user: user.id, token: (await addToken(world, word, [id])).id, passkey, setup },
    ...{ session: session?.id ?? '', crmUser, link },
  };
}

/** Tables with records about callers, not about clients. */
const OF_CALLERS = new Set(['audit_entries', 'audit_head', 'audit_keys', 'idempotency_keys']);

/** Returns the rows that contain an ID of these objects, or an ID from a row found earlier. */
function rowsOf(world: HttpWorld, things: Things): string[] {
  const rows = listTables(world)
    .filter((table) => !OF_CALLERS.has(table))
    .flatMap((table) => readRows(world, table));
  const { integration, user, token, passkey, session, run, setup } = things;
  const marks = [integration, user, token, passkey, session, run, setup].map((id) => `"${id}"`);
  const limited = `[\\"${integration}\\"]`;
  return rows.filter((row) => row.includes(limited) || marks.some((mark) => row.includes(mark)));
}

function listTables(world: HttpWorld): string[] {
  const names = query(world, "select name from sqlite_master where type = 'table' order by name");
  return names.map((row) => z.object({ name: z.string() }).parse(row).name);
}

/** Returns each row of a table as JSON, together with the table's name. */
function readRows(world: HttpWorld, table: string): string[] {
  return query(world, `select * from "${table}"`)
    .map((row) => `${table} ${JSON.stringify(row)}`)
    .sort();
}

function query({ folder }: HttpWorld, text: string): unknown[] {
  const database = new Database(joinPath(folder, 'store.db'), { readonly: true });
  try {
    return database.prepare(text).all();
  } finally {
    database.close();
  }
}

function toForm(body: Readonly<Record<string, unknown>>): URLSearchParams {
  return new URLSearchParams(Object.entries(body).map(([key, value]) => [key, String(value)]));
}
