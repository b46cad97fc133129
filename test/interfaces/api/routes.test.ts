/** Tests which callers can use each of the app's routes, according to `route-table.ts`. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { raiseAlert } from '../../../src/clients/statements/alerts.ts';
import { mayActAs, ROLES, type Role } from '../../../src/core/role.ts';
import { WITHOUT_TRIAL } from '../../helpers/sync-world.ts';
import { type HttpWorld, openHttpWorld } from './http-world.ts';
import { join } from './people-world.ts';
import { ROUTES, type RouteRule } from './route-table.ts';

/** All data belongs to `riverside`. Callers who have access only to `harbor` must not see any of it. */
const OWN = 'riverside';
const OTHER = 'harbor';

let world: HttpWorld;
const tokens = new Map<Role, string>();
const limited = new Map<Role, string>();
/** The cookie of an owner's browser. */
let owner = '';
/** The cookie of a user who has access only to `harbor`. */
let limitedUser = '';
const ids = { integration: OWN, run: '', hold: '', batch: '', approval: '' };

const startedSchema = z.object({ run: z.object({ id: z.string() }) });
const heldSchema = z.object({
  holds: z.array(z.object({ id: z.string() })),
  batches: z.array(z.object({ id: z.string() })),
});

beforeAll(async () => {
  // The service has a public address, because `/metrics` would need no token on this machine.
  world = await openHttpWorld({
    ...{ integration: { ...WITHOUT_TRIAL, schedule: { cron: '0 2 1 1 *' } }, others: [OTHER] },
    publicUrl: 'https://sync.example.org',
    settings: { twoPeople: { approvals: 1 } },
  });
  for (const role of ROLES) {
    tokens.set(role, await world.addToken(role));
    limited.set(role, await world.addToken(role, [OTHER]));
  }
  ({ cookie: owner } = await join(world, 'Olga', 'owner'));
  ({ cookie: limitedUser } = await join(world, 'Lena', 'admin', [OTHER]));
  await world.addHook();
  await raiseAlert(world.application.store.connection, OWN, 'credits_low/networks');
  const token = tokens.get('owner') ?? '';
  const sync = async () => {
    const started = await world.request(`/v1/integrations/${OWN}/runs`, { method: 'POST', token });
    ids.run = started.read(startedSchema).run.id;
    await world.untilEnded(ids.run);
  };
  for (let index = 0; index < 30; index += 1) {
    world.crm.addContact({ firstName: `First${index}`, lastName: `Last${index}`, addresses: [] });
  }
  await sync();
  for (const { contact } of world.crm.records.values()) {
    world.crm.editContact(contact.id, { addresses: [`${contact.lastName} Quarry Lane, Reno`] });
  }
  await sync();
  const held = (await world.request('/v1/holds', { token })).read(heldSchema);
  ids.hold = held.holds[0]?.id ?? '';
  ids.batch = held.batches[0]?.id ?? '';
  const approve = `/v1/holds/batches/${ids.batch}/approve`;
  const waiting = await world.request(approve, { method: 'POST', token });
  ids.approval = waiting.read(z.object({ approval: z.object({ id: z.string() }) })).approval.id;
});
afterAll(() => world.close());

const needRole = Object.entries(ROUTES).flatMap(([name, { role, ...rule }]) =>
  role === null ? [] : [{ name, role, ...rule }],
);

/** Returns the ID of an existing object. If objects of this kind have no client, returns an ID that does not exist. */
function idFor({ about }: Pick<RouteRule, 'about'>): string {
  return about === undefined || about === 'list' || about === 'all' ? 'unknown' : ids[about];
}

/** Fills the other parameters with suitable values. */
function requestOf(name: string, { path }: Pick<RouteRule, 'path'>, id: string) {
  const [method = '', pattern = ''] = name.split(' ');
  const filled = (path ?? pattern)
    .replace(/:(id|integration)\b/, id)
    .replace(':decision', 'reject');
  return { method, path: filled };
}

function ask(name: string, rule: Pick<RouteRule, 'path'>, id: string, token?: string) {
  const { method, path } = requestOf(name, rule, id);
  return fetch(world.url + path, {
    ...{ method, redirect: 'manual' as const },
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  });
}

/** Sends the request from a browser with this cookie. */
function askAs(cookie: string, name: string, rule: Pick<RouteRule, 'path'>, id: string) {
  const { method, path } = requestOf(name, rule, id);
  const headers = { cookie, origin: world.url };
  return fetch(world.url + path, { method, headers, redirect: 'manual' });
}

describe('the routes', () => {
  it('are all in the table, and the table has no others', () => {
    const names = world.routes
      .filter(({ path, method }) => !(method === 'ALL' && path === '/*'))
      .filter(({ method, path }) => method !== 'ALL' || path !== '/oauth/:kind/start')
      .map(({ method, path }) => `${method} ${path}`);
    expect([...new Set(names)].sort()).toEqual(Object.keys(ROUTES).sort());
  });

  it('have something to refuse', () => {
    expect(Object.values(ids)).not.toContain('');
  });

  it.each(needRole)('$name lets no stranger through', async ({ name, isPage, ...rule }) => {
    const id = idFor(rule);
    const answer = await ask(name, rule, id);
    if (isPage) {
      expect(answer.status).toBe(303);
      expect(answer.headers.get('location')).toMatch(/^\/sign-in(\?|$)/);
    } else {
      expect(answer.status).toBe(401);
    }
    expect(await answer.text()).not.toContain('Quarry Lane');
  });

  it.each(needRole)('$name needs the role $role', async ({ name, role, ...rule }) => {
    const id = idFor(rule);
    for (const lower of ROLES.filter((one) => !mayActAs(one, role))) {
      const answer = await ask(name, rule, id, tokens.get(lower));
      expect(answer.status, lower).toBe(403);
      expect(await answer.text(), lower).toContain(`needs the role ${role}`);
    }
    const byToken = await ask(name, rule, 'unknown', tokens.get(role));
    if (rule.by === 'person') {
      expect(byToken.status).toBe(403);
      expect(await byToken.text()).toContain('An access token may not do this');
      return;
    }
    // With the required role, the request reaches the next check. The next check fails because the ID does not exist.
    expect([401, 403]).not.toContain(byToken.status);
    await byToken.body?.cancel();
  });

  it.each(needRole.filter(({ by }) => by === 'person'))(
    '$name is for a user with the role $role',
    async ({ name, ...rule }) => {
      const answer = await askAs(owner, name, rule, 'unknown');
      expect([401, 403]).not.toContain(answer.status);
      await answer.body?.cancel();
    },
  );

  it.each(needRole.filter(({ about = 'all' }) => Object.hasOwn(ids, about)))(
    '$name returns 404 to a user who has no access to the client',
    async ({ name, role, ...rule }) => {
      const id = idFor(rule);
      const look = (about: string) =>
        rule.by === 'person'
          ? askAs(limitedUser, name, rule, about)
          : ask(name, rule, about, limited.get(role));
      const answer = await look(id);
      const unknown = await look('unknown');
      expect([answer.status, unknown.status]).toEqual([404, 404]);
      const text = (await answer.text()).replaceAll(id, 'unknown');
      expect(text).toBe(await unknown.text());
    },
  );

  it.each(needRole.filter(({ about }) => about === 'list'))(
    '$name shows nothing about clients that the user has no access to',
    async ({ name, role, ...rule }) => {
      const all = await (await ask(name, rule, '', tokens.get(role))).text();
      const some = await (await ask(name, rule, '', limited.get(role))).text();
      const secrets = [OWN, 'Riverside', ids.run, ids.hold, ids.batch];
      expect(secrets.filter((secret) => all.includes(secret))).not.toEqual([]);
      for (const secret of secrets) expect(some).not.toContain(secret);
    },
  );

  it.each(needRole.filter(({ about }) => about === 'all'))(
    '$name is for those who reach all',
    async ({ name, role, ...rule }) => {
      const answer = await ask(name, rule, 'unknown', limited.get(role));
      expect(answer.status).toBe(403);
      expect(await answer.text()).toContain('you have access to only some of them');
    },
  );

  it.each([
    '/v1/runs',
    '/v1/alerts',
    '/v1/holds',
    '/v1/audit',
    '/v1/audit/export',
    '/v1/credits',
    '/runs',
    '/audit',
    '/decisions',
    '/credits',
  ])('%s answers a filter by what is out of reach as one by what is not there', async (path) => {
    const token = limited.get('owner') ?? '';
    const answers = [OWN, 'unknown'].map((id) =>
      world.request(`${path}?${path.startsWith('/v1') ? 'integration' : 'client'}=${id}`, {
        token,
      }),
    );
    const [own, unknown] = await Promise.all(answers);
    expect(own?.status).toBe(unknown?.status);
    expect(own?.text.replaceAll(OWN, 'unknown')).toBe(unknown?.text);
  });
});
