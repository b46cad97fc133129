/** The request data with which each route is called for one object. `route-table.ts` does not contain this data. */

import { THIS_MONTH } from '../../helpers/this-month.ts';
import type { RouteRule } from '../api/route-table.ts';
import type { Things } from './two-clients.ts';

export interface Probe {
  /** The kind of object to which `:id` refers in the path or in the body. Defaults to the route's `about`. */
  id?: keyof Things;
  /** The path, if the route's pattern does not name an object. */
  path?: string;
  /** The API receives it as JSON, and pages receive it as a form. `:id` is replaced by the object's ID. */
  body?: Readonly<Record<string, unknown>>;
  /** The response for objects that are unknown or not accessible, if it is not 404. */
  otherwise?: 303 | 403 | 404 | 422;
  /** True if a caller with access to only some clients must not do this even for those clients. */
  needsAll?: boolean;
}

const holds = { id: 'hold', body: { holds: [':id'] } } as const satisfies Probe;
const ofAll = (word: string): Probe => ({
  path: `/decisions/all/${word}?client=:integration&reason=lost_answer&until=1`,
});

/** The settings of a client. The client uses a public IP address, which needs no DNS lookup. */
const CLIENT = {
  ...{ id: ':id', partner: { baseUrl: 'https://93.184.215.14', apiKey: 'key' } },
  crm: { kind: 'hubspot', auth: { type: 'token', token: 'token' } },
};

/** The probes by route name. Lists are requested for one client, with a filter. */
export const PROBES: Readonly<Record<string, Probe>> = {
  'POST /v1/integrations': {
    ...{ id: 'integration', otherwise: 403 },
    body: { integrations: [CLIENT] },
  },
  'GET /v1/clients': { path: '/v1/clients?q=:integration' },
  'GET /v1/find': { path: '/v1/find?q=:integration' },
  'GET /v1/runs': { path: '/v1/runs?integration=:integration' },
  'GET /v1/holds': { path: '/v1/holds?integration=:integration' },
  'POST /v1/contact-names': { id: 'integration', body: { contacts: [':id/C000001'] } },
  'POST /v1/holds/names': { id: 'integration', body: { integration: ':id' } },
  'GET /v1/decisions': { path: '/v1/decisions?client=:integration' },
  'POST /v1/holds/approve': holds,
  'POST /v1/holds/reject': holds,
  'POST /v1/holds/resubmit': holds,
  'POST /v1/answers/:answer/withdraw': { id: 'answer' },
  'GET /v1/alerts': { path: '/v1/alerts?integration=:integration' },
  'GET /v1/audit': { path: '/v1/audit?integration=:integration' },
  'GET /v1/audit/export': { path: '/v1/audit/export?integration=:integration' },
  'GET /v1/results': { path: '/v1/results?integration=:integration' },
  'GET /v1/credits': { path: '/v1/credits?integration=:integration' },
  'GET /v1/credits/bill': { path: `/v1/credits/bill?month=${THIS_MONTH}` },
  'POST /v1/users': { body: { name: 'Eve', email: 'eve@example.org', role: 'owner' } },
  'PUT /v1/users/:user/role': { body: { role: 'decider' } },
  'POST /v1/tokens': { body: { name: 'Eve', role: 'owner' } },
  'POST /v1/integrations/:integration/door-tokens': { body: { name: 'Eve' } },
  'POST /v1/integrations/:integration/contacts/:contact/forget': { body: { alsoInCrm: false } },
  'PUT /v1/mails/:kind': { path: '/v1/mails/results', body: { state: 'off' } },
  'POST /v1/mails/confirm': { body: { code: 'no code' } },
  'POST /account/mails/:kind': { path: '/account/mails/results', body: { state: 'off' } },
  'POST /account/mails-confirmed': { body: { code: 'no code' } },
  'PUT /v1/address': { body: { url: 'https://donors.example.org' } },
  'GET /oauth/:kind/start': { path: '/oauth/memory/start?integration=:integration' },

  // The response does not reveal whether the ID belongs to another user's session or passkey. It redirects to the
  // account page.
  'POST /account/sessions/:id/end': { id: 'session', otherwise: 303 },
  // Only the user who was linked can end the link.
  'POST /account/links/:link/end': { id: 'crmUser', otherwise: 404 },
  // A user who removes a passkey has to confirm their identity first, whatever the ID is.
  'POST /account/passkeys/:id/remove': { id: 'passkey', otherwise: 422 },
  'POST /users': { body: { name: 'Eve', email: 'eve@example.com', role: 'owner', reach: 'all' } },
  'POST /users/:user/role': { body: { role: 'decider', reach: 'all' } },
  'POST /address': { body: { url: 'https://donors.example.org' } },
  'POST /door-tokens': { body: { name: 'Eve', integration: 'riverside', perDay: '5' } },
  'POST /tokens': { body: { name: 'Eve', role: 'owner', reach: 'all' } },
  'GET /results': { path: '/results?client=:integration' },
  'GET /credits': { path: '/credits?client=:integration' },
  'GET /credits/bill': { path: `/credits/bill?month=${THIS_MONTH}&client=:integration` },
  'GET /runs': { path: '/runs?client=:integration' },
  'GET /audit': { path: '/audit?client=:integration' },
  'GET /audit/csv': { path: '/audit/csv?client=:integration' },
  // If the client has no separate channel, this route tests the channel for all clients.
  'POST /clients/:id/alerts/test': { needsAll: true },
  'GET /decisions': { path: '/decisions?client=:integration' },
  'GET /setup': { path: '/setup?find=:integration' },
  'POST /setup/:id/change': { id: 'integration' },
  'POST /setup': { body: { name: 'Eve Foundation' } },
  'POST /decisions/all/approve': ofAll('approve'),
  'POST /decisions/all/reject': ofAll('reject'),
  'POST /decisions/all/resubmit': ofAll('resubmit'),
  'POST /decisions/answers/:answer/withdraw': { id: 'answer', otherwise: 303 },
};

/** The objects that each path parameter stands for. */
const PARAMETERS: Readonly<Record<string, keyof Things>> = {
  integration: 'integration',
  run: 'run',
  approval: 'approval',
  answer: 'answer',
  contact: 'contact',
  user: 'user',
  token: 'token',
  passkey: 'passkey',
  link: 'crmUser',
  secret: 'link',
  setup: 'setup',
};

const WORDS: Readonly<Record<string, string>> = {
  decision: 'reject',
  reason: 'lost_answer',
  month: THIS_MONTH,
  step: 'schedule',
  kind: 'memory',
};

/** Returns a request to the route that refers to these objects. */
export function toRequest(name: string, rule: RouteRule, things: Things) {
  const [method = '', pattern = ''] = name.split(' ');
  const probe = PROBES[name] ?? {};
  const { about } = rule;
  const ofRoute = about === undefined || about === 'list' || about === 'all' ? null : about;
  const kind = probe.id ?? (pattern.startsWith('/setup/') ? 'setup' : ofRoute);
  const id = kind === null ? things.integration : things[kind];
  const path = (probe.path ?? pattern).replaceAll(/:([a-z]+)/g, (_, word: string) => {
    const thing = PARAMETERS[word];
    return thing === undefined ? (WORDS[word] ?? id) : things[thing];
  });
  return { method, path, body: probe.body && fillIn(probe.body, id) };
}

function fillIn(body: Readonly<Record<string, unknown>>, id: string): Record<string, unknown> {
  const text = JSON.stringify(body).replaceAll('":id"', JSON.stringify(id));
  return JSON.parse(text.replaceAll('":id/', `"${id}/`));
}
