/**
 * Lists every route of the service and who can use it. `routes.test.ts` fails for a route that is missing here. Add
 * each new route to this table with its requirements. It is then tested without a session, with each lower role, and
 * for a client that the user cannot access.
 */
import type { Role } from '../../../src/core/role.ts';
import { THIS_MONTH } from '../../helpers/this-month.ts';

export interface RouteRule {
  /** The lowest role that is allowed, or null for a route that needs no session. */
  role: Role | null;
  /** `person`: access tokens are refused, whatever their role is. */
  by?: 'person';
  /** True for a page. It redirects to the sign-in form if nobody is signed in. */
  isPage?: boolean;
  /**
   * The object in the address. Without access to its client, the response is the same as for an object that does not
   * exist. If the value is `list`, only accessible objects are shown. If it is `all`, a caller with access to only
   * some clients is refused.
   */
  about?: 'integration' | 'run' | 'hold' | 'batch' | 'approval' | 'list' | 'all';
  /** Values for the parameters that `about` does not provide, followed by an optional query. */
  path?: string;
}

const open: RouteRule = { role: null };

function ofAll(word: string): string {
  return `/decisions/all/${word}?client=:id&reason=name_mismatch&until=1`;
}

/** Returns the rule for a button on a contact's page, and for the preview that it shows. */
function ofContact(word: string): RouteRule {
  const path = `/clients/:integration/contacts/C000001/${word}`;
  return { role: 'admin', about: 'integration', path };
}

export const ROUTES: Readonly<Record<string, RouteRule>> = {
  'GET /healthz': open,
  'GET /readyz': open,
  'GET /openapi.json': open,
  'GET /docs': open,
  'GET /docs/styles.css': open,
  'GET /docs/guide': open,
  'GET /docs/guide/:page': open,
  'GET /docs/guide/images/:image': open,
  'GET /oauth/styles.css': open,
  'GET /assets/:file': open,
  // The address of each of these routes contains a secret, or the route asks for one.
  'GET /sign-in': open,
  'GET /sign-in/state': open,
  'POST /sign-in': open,
  'POST /sign-out': open,
  'GET /first-visit': open,
  'POST /first-visit': open,
  'GET /first-visit/:secret': open,
  'POST /first-visit/:secret': open,
  'GET /sign-in/provider': open,
  'GET /sign-in/provider/callback': open,
  'POST /hooks/:integration/:token': open,
  // The CRM signs each call.
  'POST /doors/hubspot/card/contact': open,
  'POST /doors/hubspot/card/wanted': open,
  'POST /doors/hubspot/card/answer': open,
  'POST /doors/hubspot/workflow': open,
  // These routes need a door token, which has no role. `doors/token-door.test.ts` tests who gets access.
  'GET /doors/token/openapi.json': open,
  'GET /doors/token/:integration/contacts/:contact': open,
  'POST /doors/token/:integration/contacts/:contact/enhance': open,
  'POST /doors/hubspot/events': open,
  'GET /oauth/:kind/callback': open,

  'GET /metrics': { role: 'viewer', about: 'list' },
  'GET /v1/integrations': { role: 'viewer', about: 'list' },
  'POST /v1/integrations': { role: 'admin' },
  'GET /v1/integrations/:integration': { role: 'viewer', about: 'integration' },
  'DELETE /v1/integrations/:integration': {
    ...{ role: 'admin', about: 'integration' },
    path: '/v1/integrations/:integration?digest=none',
  },
  'POST /v1/integrations/:integration/preview': { role: 'admin', about: 'integration' },
  'POST /v1/integrations/:integration/disconnect': {
    ...{ role: 'admin', about: 'integration' },
    path: '/v1/integrations/:integration/disconnect?digest=none',
  },
  'POST /v1/integrations/:integration/disconnect/preview': {
    role: 'admin',
    about: 'integration',
  },
  'GET /v1/integrations/:integration/status': { role: 'viewer', about: 'integration' },
  'POST /v1/integrations/:integration/plan': { role: 'admin', about: 'integration' },
  'GET /v1/connections': { role: 'admin', about: 'list' },
  'GET /v1/setups': { role: 'admin' },
  'GET /v1/setups/:setup': { role: 'admin', about: 'integration', path: '/v1/setups/:id' },
  'GET /v1/integrations/:integration/network': { role: 'viewer', about: 'integration' },
  'GET /v1/integrations/:integration/networks': { role: 'viewer', about: 'integration' },
  'POST /v1/integrations/:integration/networks/check': { role: 'admin', about: 'integration' },
  'POST /v1/integrations/:integration/networks/repair': {
    role: 'admin',
    about: 'integration',
    path: '/v1/integrations/:integration/networks/repair?digest=some',
  },
  'POST /v1/integrations/:integration/networks/repair/preview': {
    role: 'admin',
    about: 'integration',
  },
  'POST /v1/integrations/:integration/prospects': { role: 'admin', about: 'integration' },
  'POST /v1/integrations/:integration/contacts/:contact/paths': {
    role: 'admin',
    about: 'integration',
  },
  'POST /v1/integrations/:integration/runs': {
    role: 'admin',
    about: 'integration',
    path: '/v1/integrations/:id/runs',
  },
  'POST /v1/runs/:run/retry': { role: 'admin', about: 'run', path: '/v1/runs/:id/retry' },
  'GET /v1/webhooks': { role: 'admin', about: 'list' },
  'GET /v1/integrations/:integration/webhook': { role: 'admin', about: 'integration' },
  'POST /v1/integrations/:integration/webhook': {
    ...{ role: 'admin', about: 'integration', by: 'person' },
  },
  'POST /v1/integrations/:integration/webhook/rotate': {
    ...{ role: 'admin', about: 'integration', by: 'person' },
  },
  'DELETE /v1/integrations/:integration/webhook': {
    ...{ role: 'admin', about: 'integration' },
    path: '/v1/integrations/:integration/webhook?digest=none',
  },
  'POST /v1/integrations/:integration/webhook/preview': { role: 'admin', about: 'integration' },
  'GET /v1/schedules': { role: 'viewer', about: 'list' },
  'GET /v1/integrations/:integration/schedule': { role: 'viewer', about: 'integration' },
  'POST /v1/integrations/:integration/schedule/pause': { role: 'admin', about: 'integration' },
  'POST /v1/integrations/:integration/schedule/resume': { role: 'admin', about: 'integration' },
  'GET /v1/alerts': { role: 'viewer', about: 'list' },
  'GET /v1/integrations/:integration/alerts': { role: 'viewer', about: 'integration' },
  'POST /v1/alerts/test': { role: 'admin', about: 'all' },
  'POST /v1/integrations/:integration/alerts/test': { role: 'admin', about: 'integration' },
  'POST /v1/alerts/check': { role: 'admin', about: 'all' },
  'GET /v1/integrations/:integration/fields': { role: 'admin', about: 'integration' },
  'GET /v1/integrations/:integration/fields/source': { role: 'admin', about: 'integration' },
  'POST /v1/integrations/:integration/fields': { role: 'admin', about: 'integration' },
  'POST /v1/integrations/:integration/doctor': { role: 'admin', about: 'integration' },
  'GET /v1/runs': { role: 'viewer', about: 'list' },
  'GET /v1/runs/:run': { role: 'viewer', about: 'run', path: '/v1/runs/:id' },
  'GET /v1/runs/:run/contacts': { role: 'viewer', about: 'run', path: '/v1/runs/:id/contacts' },
  'POST /v1/runs/:run/stop': { role: 'admin', about: 'run', path: '/v1/runs/:id/stop' },
  'GET /v1/runs/:id/events': { role: 'viewer', about: 'run' },
  // The body names the clients (`contact-names.test.ts`).
  'POST /v1/contact-names': { role: 'reader' },
  'POST /v1/integrations/:integration/contact-search': { role: 'reader', about: 'integration' },
  'POST /v1/integrations/:integration/contacts/:contact': {
    role: 'reader',
    about: 'integration',
    path: '/v1/integrations/:id/contacts/some',
  },
  'POST /v1/integrations/:integration/contacts/:contact/about': {
    role: 'admin',
    about: 'integration',
    path: '/v1/integrations/:id/contacts/some/about',
  },
  'GET /v1/integrations/:integration/settings': { role: 'admin', about: 'integration' },
  'GET /v1/holds': { role: 'viewer', about: 'list' },
  'GET /v1/decisions': { role: 'viewer', about: 'list' },
  'POST /v1/holds/names': { role: 'reader', about: 'list' },
  'POST /v1/holds/approve': { role: 'decider' },
  'POST /v1/holds/reject': { role: 'decider' },
  'POST /v1/holds/resubmit': { role: 'decider' },
  'GET /v1/answers': { role: 'viewer' },
  'POST /v1/answers/:answer/withdraw': { role: 'decider' },
  'POST /v1/holds/:id/:decision': { role: 'decider', about: 'hold' },
  'POST /v1/holds/batches/:id/:decision': { role: 'decider', about: 'batch' },
  'GET /v1/approvals': { role: 'viewer', about: 'list' },
  'GET /v1/approvals/:approval': {
    role: 'viewer',
    about: 'approval',
    path: '/v1/approvals/:id',
  },
  'POST /v1/approvals/:approval/confirm': {
    role: 'decider',
    about: 'approval',
    path: '/v1/approvals/:id/confirm',
  },
  'POST /v1/approvals/:approval/refuse': {
    role: 'decider',
    about: 'approval',
    path: '/v1/approvals/:id/refuse',
  },
  'POST /v1/integrations/:integration/introductions': {
    ...{ role: 'reader', by: 'person', about: 'integration' },
  },
  'PUT /v1/integrations/:integration/listed-contacts/:contact': {
    ...{ role: 'reader', by: 'person', about: 'integration' },
    path: '/v1/integrations/:id/listed-contacts/some',
  },
  'DELETE /v1/integrations/:integration/listed-contacts/:contact': {
    ...{ role: 'reader', by: 'person', about: 'integration' },
    path: '/v1/integrations/:id/listed-contacts/some',
  },
  // This redirects to the first client that the user has access to.
  'GET /introductions': { role: 'reader', isPage: true },
  'GET /introductions/:integration': {
    ...{ role: 'reader', by: 'person', isPage: true, about: 'integration' },
  },
  'POST /introductions/:integration/csv': { role: 'reader', by: 'person', about: 'integration' },
  'POST /introductions/:integration/listed/:contact': {
    ...{ role: 'reader', by: 'person', about: 'integration' },
    path: '/introductions/:id/listed/some',
  },
  'POST /introductions/:integration/listed/:contact/remove': {
    ...{ role: 'reader', by: 'person', about: 'integration' },
    path: '/introductions/:id/listed/some/remove',
  },
  'GET /v1/mails': { role: 'viewer', by: 'person' },
  'PUT /v1/mails/:kind': { role: 'viewer', by: 'person', path: '/v1/mails/results' },
  'POST /v1/mails/confirm': { role: 'viewer', by: 'person' },
  'GET /v1/results': { role: 'viewer', about: 'list' },
  'GET /v1/credits': { role: 'viewer', about: 'list' },
  'GET /v1/credits/keys': { role: 'viewer', about: 'list' },
  'GET /v1/credits/reconciliations/:month': {
    role: 'viewer',
    about: 'all',
    path: `/v1/credits/reconciliations/${THIS_MONTH}`,
  },
  'GET /v1/credits/bill': {
    role: 'viewer',
    about: 'list',
    path: `/v1/credits/bill?month=${THIS_MONTH}`,
  },
  'GET /v1/users': { role: 'owner', about: 'all' },
  'POST /v1/users': { role: 'owner', about: 'all', by: 'person' },
  'PUT /v1/users/:user/role': { role: 'owner', about: 'all', by: 'person' },
  'POST /v1/users/:user/link': { role: 'owner', about: 'all', by: 'person' },
  'POST /v1/users/:user/disable': { role: 'owner', about: 'all' },
  'POST /v1/users/:user/enable': { role: 'owner', about: 'all', by: 'person' },
  'POST /v1/users/:user/sign-out': { role: 'owner', about: 'all' },
  'DELETE /v1/users/:user': { role: 'owner', about: 'all', by: 'person' },
  'POST /v1/users/:user/preview': { role: 'owner', about: 'all', by: 'person' },
  'GET /v1/users/:user/passkeys': { role: 'owner', about: 'all' },
  'DELETE /v1/users/:user/passkeys/:passkey': { role: 'owner', about: 'all', by: 'person' },
  'POST /v1/users/:user/passkeys/:passkey/preview': { role: 'owner', about: 'all', by: 'person' },
  'GET /v1/users/:user/crm-users': { role: 'owner', about: 'all' },
  'DELETE /v1/users/:user/crm-users/:link': { role: 'owner', about: 'all' },
  'GET /v1/address': { role: 'owner', about: 'all' },
  'PUT /v1/address': { role: 'owner', about: 'all', by: 'person' },
  'GET /v1/tokens': { role: 'owner', about: 'all' },
  'POST /v1/tokens': { role: 'owner', about: 'all', by: 'person' },
  'POST /v1/integrations/:integration/door-tokens': { role: 'owner', about: 'all', by: 'person' },
  'DELETE /v1/tokens/:token': { role: 'owner', about: 'all' },
  'POST /v1/tokens/:token/preview': { role: 'owner', about: 'all' },
  'POST /v1/runs/:run/undo': { role: 'admin', about: 'run', path: '/v1/runs/:id/undo' },
  'POST /v1/runs/:run/undo/counts': {
    role: 'admin',
    about: 'run',
    path: '/v1/runs/:id/undo/counts',
  },
  'POST /v1/runs/:run/undo/preview': {
    role: 'admin',
    about: 'run',
    path: '/v1/runs/:id/undo/preview',
  },
  'POST /v1/integrations/:integration/contacts/:contact/forget': {
    role: 'admin',
    about: 'integration',
    by: 'person',
    path: '/v1/integrations/:id/contacts/unknown/forget',
  },
  'POST /v1/integrations/:integration/contacts/:contact/forget/counts': {
    role: 'admin',
    about: 'integration',
    path: '/v1/integrations/:id/contacts/unknown/forget/counts',
  },
  'POST /v1/integrations/:integration/contacts/:contact/forget/preview': {
    role: 'admin',
    about: 'integration',
    by: 'person',
    path: '/v1/integrations/:id/contacts/unknown/forget/preview',
  },
  'DELETE /v1/integrations/:integration/contacts/:contact/block': {
    ...{ role: 'owner', about: 'all', by: 'person' },
    path: '/v1/integrations/riverside/contacts/unknown/block',
  },
  'POST /v1/integrations/:integration/contacts/:contact/block/preview': {
    ...{ role: 'owner', about: 'all', by: 'person' },
    path: '/v1/integrations/riverside/contacts/unknown/block/preview',
  },
  'POST /v1/integrations/:integration/decisions/:reason/:decision': {
    role: 'decider',
    about: 'integration',
    path: '/v1/integrations/:id/decisions/name_mismatch/reject',
  },
  'POST /v1/integrations/:integration/decisions/:reason/:decision/preview': {
    role: 'decider',
    about: 'integration',
    path: '/v1/integrations/:id/decisions/name_mismatch/reject/preview',
  },
  'GET /v1/audit': { role: 'admin', about: 'list' },
  'GET /v1/audit/export': { role: 'admin', about: 'list' },
  'POST /v1/audit/verify': { role: 'admin', about: 'all' },
  'GET /oauth/:kind/start': {
    role: 'admin',
    about: 'integration',
    by: 'person',
    path: '/oauth/memory/start?integration=:id',
  },

  'GET /join/:secret': open,
  'POST /join/:secret': open,
  'GET /account': { role: 'viewer', isPage: true },
  'POST /account/password': { role: 'viewer' },
  'POST /account/proof': { role: 'viewer' },
  'POST /account/passkeys': { role: 'viewer' },
  'POST /account/passkeys/:id/remove': { role: 'viewer' },
  'POST /account/sessions/:id/end': { role: 'viewer' },
  'POST /account/sign-out-everywhere': { role: 'viewer' },
  'POST /account/mails/:kind': { role: 'viewer', by: 'person', path: '/account/mails/results' },
  'GET /account/mails/confirm': { role: 'viewer', isPage: true },
  'POST /account/mails-confirmed': { role: 'viewer', by: 'person' },
  'GET /stop-mails/:secret': open,
  'POST /stop-mails/:secret': open,
  'GET /users': { role: 'owner', isPage: true, about: 'all' },
  'POST /users': { role: 'owner', about: 'all', by: 'person' },
  'POST /users/:user/link': { role: 'owner', about: 'all', by: 'person' },
  'POST /users/:user/role': { role: 'owner', about: 'all', by: 'person' },
  'POST /users/:user/disable': { role: 'owner', about: 'all' },
  'POST /users/:user/enable': { role: 'owner', about: 'all', by: 'person' },
  'POST /users/:user/passkeys/:passkey/remove': { role: 'owner', about: 'all', by: 'person' },
  'POST /users/:user/remove': { role: 'owner', about: 'all', by: 'person' },
  'POST /users/:user/sign-out': { role: 'owner', about: 'all' },
  'GET /address': { role: 'owner', isPage: true, about: 'all' },
  'POST /address': { role: 'owner', about: 'all', by: 'person' },
  'GET /confirm-address/:secret': open,
  'POST /confirm-address/:secret': open,
  'POST /tokens': { role: 'owner', about: 'all', by: 'person' },
  'POST /door-tokens': { role: 'owner', about: 'all', by: 'person' },
  'POST /tokens/:token/revoke': { role: 'owner', about: 'all' },

  'GET /': { role: 'viewer', isPage: true, about: 'list' },
  'GET /results': { role: 'viewer', isPage: true, about: 'list' },
  'GET /credits': { role: 'viewer', isPage: true, about: 'list' },
  'GET /credits/bill': {
    role: 'viewer',
    isPage: true,
    about: 'list',
    path: `/credits/bill?month=${THIS_MONTH}`,
  },
  'GET /clients/:id': { role: 'viewer', isPage: true, about: 'integration' },
  'GET /runs': { role: 'viewer', isPage: true, about: 'list' },
  'GET /runs/:id/changes': { role: 'reader', isPage: true, about: 'run' },
  'POST /runs/:run/stop': { role: 'admin', about: 'run', path: '/runs/:id/stop' },
  'POST /runs/:run/undo/preview': {
    role: 'admin',
    about: 'run',
    path: '/runs/:id/undo/preview',
  },
  'POST /runs/:run/undo': { role: 'admin', about: 'run', path: '/runs/:id/undo' },
  'POST /runs/:run/retry': { role: 'admin', about: 'run', path: '/runs/:id/retry' },
  'POST /integrations/:integration/pause': { role: 'admin', about: 'integration' },
  'POST /integrations/:integration/resume': { role: 'admin', about: 'integration' },
  'POST /v1/clients/check': { role: 'admin' },
  'POST /v1/doctor': { role: 'admin', about: 'all' },
  'POST /v1/integrations/:integration/erase': { role: 'owner', by: 'person', about: 'all' },
  'POST /v1/integrations/:integration/export': { role: 'owner', by: 'person', about: 'all' },
  'POST /v1/integrations/:integration/erase/preview': { role: 'owner', by: 'person', about: 'all' },
  'POST /v1/integrations/:integration/redelivery': { role: 'admin', about: 'integration' },
  'POST /v1/integrations/:integration/redelivery/preview': { role: 'admin', about: 'integration' },
  'POST /v1/integrations/:integration/redelivery/counts': { role: 'admin', about: 'integration' },
  'GET /v1/clients': { role: 'viewer', about: 'list' },
  'GET /v1/find': { role: 'viewer', about: 'list' },
  'POST /v1/find': { role: 'viewer', about: 'list' },
  'GET /audit': { role: 'admin', isPage: true, about: 'list' },
  'GET /audit/csv': { role: 'admin', isPage: true, about: 'list' },
  'POST /audit/verify': { role: 'admin', about: 'all' },
  'GET /link/:secret': { role: 'viewer', isPage: true, path: '/link/none' },
  'POST /link/:secret': { role: 'viewer', by: 'person', path: '/link/none' },
  'POST /account/links/:link/end': {
    role: 'viewer',
    by: 'person',
    path: '/account/links/none/end',
  },
  'GET /clients/:id/webhooks': { role: 'admin', isPage: true, about: 'integration' },
  'POST /clients/:integration/webhooks': { role: 'admin', about: 'integration', by: 'person' },
  'POST /clients/:integration/webhooks/rotate': {
    ...{ role: 'admin', about: 'integration', by: 'person' },
  },
  'POST /clients/:integration/webhooks/revoke': { role: 'admin', about: 'integration' },
  'GET /clients/:id/contacts': { role: 'reader', isPage: true, about: 'integration' },
  'POST /clients/:integration/contacts': { role: 'reader', about: 'integration' },
  'GET /clients/:id/contacts/:contact': {
    ...{ role: 'reader', isPage: true, about: 'integration' },
    path: '/clients/:id/contacts/C000001',
  },
  'POST /clients/:integration/contacts/:contact/plan': ofContact('plan'),
  'POST /clients/:integration/contacts/:contact/enhance': ofContact('enhance'),
  'POST /clients/:integration/contacts/:contact/redelivery/preview':
    ofContact('redelivery/preview'),
  'POST /clients/:integration/contacts/:contact/redelivery': ofContact('redelivery'),
  'POST /clients/:integration/contacts/:contact/forget/preview': {
    ...ofContact('forget/preview'),
    by: 'person',
  },
  'POST /clients/:integration/contacts/:contact/forget': { ...ofContact('forget'), by: 'person' },
  'GET /clients/:id/schedule': { role: 'viewer', isPage: true, about: 'integration' },
  'POST /clients/:id/schedule': { role: 'admin', about: 'integration' },
  'POST /clients/:integration/schedule/pause': { role: 'admin', about: 'integration' },
  'POST /clients/:integration/schedule/resume': { role: 'admin', about: 'integration' },
  'GET /clients/:id/alerts': { role: 'viewer', isPage: true, about: 'integration' },
  'POST /clients/:id/alerts/test': { role: 'admin', about: 'integration' },
  'GET /clients/:id/fields': { role: 'admin', isPage: true, about: 'integration' },
  'POST /clients/:integration/fields/create': { role: 'admin', about: 'integration' },
  'GET /clients/:id/doctor': { role: 'admin', isPage: true, about: 'integration' },
  'POST /clients/:integration/doctor': { role: 'admin', about: 'integration' },
  'GET /runs/:id': { role: 'viewer', isPage: true, about: 'run' },
  'GET /integrations/:id/persons': { role: 'reader', isPage: true, about: 'integration' },
  'GET /setup': { role: 'admin', isPage: true, about: 'list' },
  'POST /setup': { role: 'admin', about: 'all', by: 'person' },
  'GET /setup/:id': { role: 'admin', isPage: true, about: 'integration' },
  'GET /setup/:id/leave': { role: 'admin', isPage: true, about: 'integration' },
  'GET /setup/:id/results': { role: 'admin', isPage: true, about: 'integration' },
  'GET /setup/:id/:step': {
    role: 'admin',
    isPage: true,
    about: 'integration',
    path: '/setup/:id/schedule',
  },
  'POST /setup/:id/:step': {
    ...{ role: 'admin', about: 'integration', by: 'person' },
    path: '/setup/:id/schedule',
  },
  'POST /setup/:id/change': { role: 'admin', about: 'integration', by: 'person' },
  'POST /setup/:id/drop': { role: 'admin', about: 'integration', by: 'person' },
  'POST /setup/:id/file': { role: 'admin', about: 'integration', by: 'person' },
  'POST /setup/:id/preview': { role: 'admin', about: 'integration', by: 'person' },
  'POST /integrations/:id/sync': { role: 'admin', about: 'integration' },
  'POST /integrations/:id/accept-match-rate': { role: 'admin', about: 'integration' },
  'POST /integrations/:id/accept-marks': { role: 'admin', about: 'integration' },
  'GET /decisions': { role: 'viewer', isPage: true, about: 'list' },
  'GET /decisions/:id': { role: 'viewer', isPage: true, about: 'hold' },
  'GET /decisions/batches/:id': { role: 'viewer', isPage: true, about: 'batch' },
  'GET /networks': { role: 'viewer', isPage: true },
  'GET /networks/:id': { role: 'viewer', isPage: true, about: 'integration' },
  'GET /networks/:id/picture': { role: 'viewer', isPage: true, about: 'integration' },
  'GET /networks/:id/paths.csv': { role: 'viewer', isPage: true, about: 'integration' },
  // The route refuses an unknown string and a client that the user cannot access.
  'POST /networks/:integration/who': { role: 'viewer', about: 'integration' },
  'POST /networks/:integration/check': { role: 'admin', about: 'integration' },
  'POST /networks/:integration/prospects': { role: 'admin', about: 'integration' },
  'POST /networks/:integration/repair': { role: 'admin', about: 'integration' },
  'POST /decisions/:id/approve': { role: 'decider', about: 'hold' },
  'POST /decisions/:id/reject': { role: 'decider', about: 'hold' },
  'POST /decisions/:id/resubmit': { role: 'decider', about: 'hold' },
  'POST /decisions/all/approve': { role: 'decider', about: 'integration', path: ofAll('approve') },
  'POST /decisions/all/reject': { role: 'decider', about: 'integration', path: ofAll('reject') },
  'POST /decisions/all/resubmit': {
    role: 'decider',
    about: 'integration',
    path: ofAll('resubmit'),
  },
  'POST /decisions/batches/:id/approve': { role: 'decider', about: 'batch' },
  'POST /decisions/batches/:id/reject': { role: 'decider', about: 'batch' },
  'POST /decisions/approvals/:approval/confirm': {
    role: 'decider',
    about: 'approval',
    path: '/decisions/approvals/:id/confirm',
  },
  'POST /decisions/approvals/:approval/refuse': {
    role: 'decider',
    about: 'approval',
    path: '/decisions/approvals/:id/refuse',
  },
  // A user cannot withdraw an unknown answer or an answer for a client that the user cannot access.
  'POST /decisions/answers/:answer/withdraw': {
    ...{ role: 'decider', path: '/decisions/answers/some/withdraw' },
  },
};
