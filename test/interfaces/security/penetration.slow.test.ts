/**
 * Requests every route as every possible caller. The data is accessible, not accessible, or missing. The expected
 * responses come from `route-table.ts`, which is based on the design and the guides.
 */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ROLES, type Role } from '../../../src/core/role.ts';
import { RULES } from '../../operations/rules.ts';
import { ROUTES, type RouteRule } from '../api/route-table.ts';
import { PROBES, toRequest } from './probes.ts';
import {
  OWN,
  openTwoClients,
  type Principal,
  type Reply,
  type Things,
  type TwoClients,
  UNKNOWN,
} from './two-clients.ts';

/** For each role, the roles that can use a route with this requirement. */
const LETS_IN: Readonly<Record<Role, readonly Role[]>> = {
  viewer: ['viewer'],
  reader: ['viewer', 'reader'],
  decider: ['viewer', 'reader', 'decider'],
  admin: ['viewer', 'reader', 'decider', 'admin'],
  owner: ['viewer', 'reader', 'decider', 'admin', 'owner'],
};

/**
 * Actions that a token can never perform, even if an owner created it. The test tries each action with an owner's
 * token.
 */
const NEVER_BY_TOKEN = [
  ...['POST /v1/users', 'PUT /v1/users/:user/role', 'POST /v1/users/:user/link'],
  ...['POST /v1/users/:user/enable', 'DELETE /v1/users/:user'],
  ...['DELETE /v1/users/:user/passkeys/:passkey', 'POST /v1/tokens'],
  'POST /v1/integrations/:integration/door-tokens',
  'POST /v1/integrations/:integration/contacts/:contact/forget',
  'DELETE /v1/integrations/:integration/contacts/:contact/block',
  'POST /clients/:integration/contacts/:contact/forget',
  'POST /v1/integrations/:integration/erase',
  'POST /v1/integrations/:integration/introductions',
  'PUT /v1/integrations/:integration/listed-contacts/:contact',
  'DELETE /v1/integrations/:integration/listed-contacts/:contact',
  ...['GET /introductions/:integration', 'POST /introductions/:integration/csv'],
  'POST /introductions/:integration/listed/:contact',
  'POST /introductions/:integration/listed/:contact/remove',
  'POST /v1/integrations/:integration/export',
  'POST /v1/integrations/:integration/webhook',
  'POST /v1/integrations/:integration/webhook/rotate',
  ...['POST /clients/:integration/webhooks', 'POST /clients/:integration/webhooks/rotate'],
  ...['POST /users', 'POST /users/:user/role', 'POST /users/:user/link', 'POST /tokens'],
  'POST /door-tokens',
  ...['POST /users/:user/enable', 'POST /users/:user/remove'],
  'POST /users/:user/passkeys/:passkey/remove',
  ...['PUT /v1/address', 'POST /address'],
  ...['POST /link/:secret', 'POST /account/links/:link/end'],
  ...['GET /v1/mails', 'PUT /v1/mails/:kind', 'POST /v1/mails/confirm'],
  ...['POST /account/mails/:kind', 'POST /account/mails-confirmed'],
  ...['GET /oauth/:kind/start', 'POST /setup', 'POST /setup/:id/:step', 'POST /setup/:id/change'],
  ...['POST /setup/:id/drop', 'POST /setup/:id/file'],
];

/** This request ends the session that other requests need, so it comes last. */
const ENDS_SESSION = 'POST /account/sign-out-everywhere';
const LAST = ['POST /setup/:id/drop', 'POST /users/:user/remove', ENDS_SESSION];

/** Objects that an earlier caller's request may have used up. */
const USED_UP = /answers|approvals|setup|tokens|users|passkeys|batches|link/;

const TARGETS = ['own', 'foreign', 'unknown'] as const;
type Target = (typeof TARGETS)[number];

type Route = RouteRule & { name: string; role: Role };

const routes = Object.entries(ROUTES)
  .flatMap(([name, { role, ...rule }]): Route[] => (role === null ? [] : [{ name, role, ...rule }]))
  .sort((a, b) => LAST.indexOf(a.name) - LAST.indexOf(b.name));

const UNKNOWN_THINGS: Things = {
  ...{ integration: UNKNOWN, run: UNKNOWN, hold: UNKNOWN, batch: UNKNOWN, approval: UNKNOWN },
  ...{ answer: UNKNOWN, contact: UNKNOWN, user: UNKNOWN, token: UNKNOWN, passkey: UNKNOWN },
  ...{ session: UNKNOWN, setup: UNKNOWN, crmUser: UNKNOWN, link: UNKNOWN },
};

/** The expected response to a caller about an object, as a word for the list of problems. */
type Verdict = 'allowed' | 'sign-in' | 401 | 403 | 404 | 'as unknown' | `otherwise ${number}`;

function expected(
  principal: Principal,
  { name, role, about, by, isPage }: Route,
  target: Target,
): Verdict {
  if (principal.role === null) return isPage && name.startsWith('GET') ? 'sign-in' : 401;
  if (!LETS_IN[principal.role].includes(role)) return 403;
  if (about === 'all' && principal.reach === 'own') return 403;
  if (by === 'person' && principal.by === 'token') return 403;
  const { id, otherwise, needsAll } = PROBES[name] ?? {};
  if (target === 'own') return needsAll && principal.reach === 'own' ? 403 : 'allowed';
  if (otherwise !== undefined) return `otherwise ${otherwise}`;
  const namesThing = id !== undefined || !(about === undefined || about === 'list');
  return namesThing && about !== 'all' ? 404 : 'as unknown';
}

function isAsExpected(reply: Reply, verdict: Verdict, mayBeGone: boolean): boolean {
  const { status, location } = reply;
  if (status >= 500) return false;
  if (verdict === 'sign-in') return status === 303 && /^\/sign-in(\?|$)/.test(location);
  if (verdict === 'allowed') return ![401, 403, ...(mayBeGone ? [] : [404])].includes(status);
  if (verdict === 'as unknown') return ![401, 403].includes(status);
  if (typeof verdict === 'string') return status === Number(verdict.split(' ')[1]);
  return status === verdict;
}

let two: TwoClients;
let before: string[] = [];
let entriesBefore: string[] = [];
/** The number of requests, and the number of callers that sent them. */
const counts = { requests: 0, principals: 0 };

beforeAll(async () => {
  two = await openTwoClients();
  before = two.foreignRows();
  entriesBefore = two.foreignEntries();
});
afterAll(() => two.world.close());

/** Returns the response with all IDs of these objects replaced by the same word. */
function withoutIds({ status, location, text }: Reply, things: Things): Reply {
  const ids = [...new Set(Object.values(things))].sort((a, b) => b.length - a.length);
  const strip = (words: string): string =>
    ids.reduce((left, id) => left.replaceAll(id, UNKNOWN), words.replaceAll(VOLATILE, ''));
  return { status, location: strip(location), text: strip(text) };
}

/** Parts that differ between any two responses: challenges, and the activity of the process. */
const VOLATILE = /challenge&quot;:&quot;[\w-]+|eyJ[\w.-]+|^(process|nodejs|donor_sync_http)_.*\n/gm;

/**
 * Parts that differ in each response. They are the IDs of runs and requests, and the times and digests of previews.
 */
const OF_REQUEST =
  /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|[\w-]{8}\.[\w-]{22}|\d{4}-\d\d-\d\dT[\d:.]+Z/g;

/** Sends a caller's request to a route. Returns descriptions of the problems, or an empty list. */
async function attack(principal: Principal, route: Route): Promise<string[]> {
  const ask = async (things: Things) => {
    counts.requests += 1;
    return two.ask(principal, toRequest(route.name, route, things));
  };
  if (ENDS_SESSION === route.name) return tell(route, { own: await ask(two.own) });
  if (route.name.includes('/webhook')) await two.renewHook();
  const unknown = await ask(UNKNOWN_THINGS);
  // A caller with access to everything has no foreign client.
  const foreign = principal.reach === 'own' ? await ask(two.foreign) : null;
  const own = await ask(two.own);
  const wrong = tell(route, { own, unknown, ...(foreign && { foreign }) });
  if (foreign === null) return wrong;
  const [asForeign, asUnknown] = [
    withoutIds(foreign, two.foreign),
    withoutIds(unknown, UNKNOWN_THINGS),
  ];
  if (JSON.stringify(asForeign) !== JSON.stringify(asUnknown)) {
    wrong.push(`${route.name}: foreign differs from unknown: ${difference(asForeign, asUnknown)}`);
  }
  for (const [target, { text, location }] of [
    ['own', own],
    ['unknown', unknown],
  ] as const) {
    const found = two.foreignMarks.filter((mark) => (text + location).includes(mark));
    if (found.length > 0) wrong.push(`${route.name}: ${target} shows ${found.join(', ')}`);
  }
  return wrong;

  function tell(of: Route, replies: Partial<Record<Target, Reply>>): string[] {
    return TARGETS.flatMap((target) => {
      const reply = replies[target];
      const verdict = expected(principal, of, target);
      if (reply === undefined || isAsExpected(reply, verdict, USED_UP.test(of.name))) return [];
      return [`${of.name}: ${target} is ${reply.status}, not ${verdict}`];
    });
  }
}

/** Returns the first position at which two responses differ. */
function difference(one: Reply, other: Reply): string {
  const [a, b] = [JSON.stringify(one), JSON.stringify(other)];
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  const from = Math.max(0, at - 60);
  return `${a.slice(from, at + 60)} / ${b.slice(from, at + 60)}`;
}

const STRANGERS = ['nobody', 'a disabled admin', 'a revoked token', 'an invented session'];
const LIMITED = [
  ...['a viewer', 'a reader', 'a decider', 'an admin'],
  ...ROLES.map((role) => `a token (${role})`),
];
const LEAKED = [
  ...ROLES.map((role) => `a token (${role}) for all clients`),
  "a browser with an owner's token",
];

async function attackAll(name: string): Promise<string[]> {
  const principal = two.principals.find((one) => one.name === name);
  if (principal === undefined) throw new Error(`${name} is nobody.`);
  counts.principals += 1;
  const wrong: string[] = [];
  for (const route of routes) wrong.push(...(await attack(principal, route)));
  return wrong;
}

describe('every route', () => {
  it('is asked by everyone, about things that are there', () => {
    const names = two.principals.map(({ name }) => name);
    expect(names.sort()).toEqual([...STRANGERS, ...LIMITED, ...LEAKED].sort());
    expect(Object.values({ ...two.own, ...two.foreign })).not.toContain('');
  });

  it.each([...STRANGERS, ...LIMITED])(
    'answers %s about own, foreign and unknown things as the design says',
    async (name) => {
      expect(await attackAll(name)).toEqual([]);
    },
  );

  it('has left everything of the foreign client as it was, with nothing new in its audit', () => {
    expect(counts.principals).toBe(STRANGERS.length + LIMITED.length);
    expect(counts.requests).toBeGreaterThan(1_184 * 5);
    expect(before.length).toBeGreaterThan(100);
    expect(two.foreignRows()).toEqual(before);
    expect(two.foreignEntries()).toEqual(entriesBefore);
  });

  it('of one client knows no contact of another', async () => {
    // The earlier requests have signed the users out. The token is still valid.
    const admin = two.principals.find(({ name }) => name === 'a token (admin)');
    if (admin === undefined) throw new Error('there is no token of an admin');
    const mixed = { ...two.foreign, integration: OWN };
    let compared = 0;
    for (const route of routes.filter(({ name }) => name.includes('/contacts/:contact'))) {
      const foreign = await two.ask(admin, toRequest(route.name, route, mixed));
      const nowhere = { ...mixed, contact: UNKNOWN };
      const unknown = await two.ask(admin, toRequest(route.name, route, nowhere));
      const [one, other] = [withoutIds(foreign, mixed), withoutIds(unknown, nowhere)].map((reply) =>
        JSON.stringify(reply).replaceAll(OF_REQUEST, ''),
      );
      expect(one, route.name).toBe(other);
      if (foreign.status !== 401) compared += 1;
    }
    expect(compared).toBeGreaterThan(3);
  });

  it('leads nobody by the key of another request to its run', async () => {
    const ask = (name: string, { integration }: Things) => {
      const principal = two.principals.find((one) => one.name === name);
      if (principal === undefined) throw new Error(`${name} is nobody.`);
      const headers = { ...principal.headers, 'idempotency-key': 'the same' };
      const path = `/v1/integrations/${integration}/runs`;
      return two.ask({ ...principal, headers }, { method: 'POST', path });
    };
    const first = await ask('a token (owner) for all clients', two.foreign);
    const second = await ask('a token (admin)', two.own);
    expect([first.status, second.status]).toEqual([202, 202]);
    expect(second.location).not.toBe(first.location);
    expect((await ask('a token (admin)', two.foreign)).status).toBe(404);
  });

  it.each(LEAKED)('answers %s as its role says, and never as a person', async (name) => {
    expect(await attackAll(name)).toEqual([]);
  });
});

describe('an owner', () => {
  /**
   * Requests that return 404 in this test. Some objects do not exist, some have already been used, and some belong to
   * a different user.
   */
  const NOT_THERE = [
    'DELETE /v1/integrations/:integration/contacts/:contact/block',
    'POST /v1/integrations/:integration/contacts/:contact/block/preview',
    'GET /setup/:id/results',
    ...['GET /link/:secret', 'POST /account/links/:link/end'],
    'POST /decisions/approvals/:approval/confirm',
    'POST /decisions/approvals/:approval/refuse',
  ];

  it('gets through each of these requests, which are well formed and about things that are there', async () => {
    const other = await openTwoClients();
    onTestFinished(() => other.world.close());
    const wrong: string[] = [];
    const ask = async (route: Route, things: Things) => {
      const reply = await other.ask(other.owner, toRequest(route.name, route, things));
      const gets = reply.status < 300 || [303, 409, 422].includes(reply.status);
      const isBlunt = /Unrecognized key|expected \w+, received/.test(reply.text);
      if (gets && !isBlunt) return;
      wrong.push(`${route.name}: ${reply.status} ${reply.text.slice(0, 300)}`);
    };
    for (const route of routes.filter(({ name }) => !NOT_THERE.includes(name))) {
      if (route.name.startsWith('GET ')) await ask(route, other.foreign);
      await ask(route, other.own);
    }
    expect(wrong).toEqual([]);
  });

  it("can do what no token may, and an owner's token none of it", () => {
    const ofPeople = routes.filter(({ by }) => by === 'person').map(({ name }) => name);
    const acts = ofPeople.filter((name) => !name.endsWith('/preview'));
    expect(acts.sort()).toEqual([...NEVER_BY_TOKEN].sort());
    const declared = Object.values(RULES).flatMap(({ by, route }) =>
      by === 'person' ? [route] : [],
    );
    expect(declared.filter((route) => !NEVER_BY_TOKEN.includes(route))).toEqual([]);
  });
});
