/**
 * Every route of the service, and who gets through: `routes.test.ts` fails for a route that is not here.
 * A new route goes into this table with what it needs, and is then tried without a session, with each
 * lower role, and for what belongs to an integration out of reach.
 */
import type { Role } from '../../../src/core/role.ts';

export interface RouteRule {
  /** The lowest role that gets through; null for a route that needs no session. */
  role: Role | null;
  /** `person`: an access token may not, whatever its role. */
  by?: 'person';
  /** A page, which leads a stranger to the form to sign in. */
  isPage?: boolean;
  /**
   * What its address names, which who does not reach the integration is answered as if it did not exist; or
   * `list`: what is within reach is shown, and nothing else; or `all`: who reaches some is refused.
   */
  about?: 'integration' | 'run' | 'hold' | 'batch' | 'approval' | 'list' | 'all';
  /** What stands for the parameters that `about` does not say, and a query. */
  path?: string;
}

const open: RouteRule = { role: null };

function ofAll(word: string): string {
  return `/decisions/all/${word}?client=:id&reason=name_mismatch&until=1`;
}

export const ROUTES: Readonly<Record<string, RouteRule>> = {
  'GET /healthz': open,
  'GET /readyz': open,
  'GET /openapi.json': open,
  'GET /docs': open,
  'GET /docs/styles.css': open,
  'GET /oauth/styles.css': open,
  'GET /assets/:file': open,
  // Each has a secret of its own in its address, or asks for one.
  'GET /sign-in': open,
  'POST /sign-in': open,
  'POST /sign-out': open,
  'GET /first-visit/:secret': open,
  'POST /first-visit/:secret': open,
  'GET /sign-in/provider': open,
  'GET /sign-in/provider/callback': open,
  'POST /hooks/:integration/:token': open,
  'GET /oauth/:kind/callback': open,

  'GET /metrics': { role: 'viewer', about: 'list' },
  'GET /v1/integrations': { role: 'viewer', about: 'list' },
  'GET /v1/integrations/:id': { role: 'viewer', about: 'integration' },
  'GET /v1/setups': { role: 'admin' },
  'GET /v1/setups/:id': { role: 'admin', about: 'integration' },
  'GET /v1/integrations/:id/network': { role: 'viewer', about: 'integration' },
  'POST /v1/integrations/:id/runs': { role: 'admin', about: 'integration' },
  'GET /v1/webhooks': { role: 'admin', about: 'list' },
  'GET /v1/integrations/:integration/webhook': { role: 'admin', about: 'integration' },
  'POST /v1/integrations/:integration/webhook': { role: 'admin', about: 'integration' },
  'POST /v1/integrations/:integration/webhook/rotate': { role: 'admin', about: 'integration' },
  'DELETE /v1/integrations/:integration/webhook': {
    ...{ role: 'admin', about: 'integration' },
    path: '/v1/integrations/:integration/webhook?digest=none',
  },
  'POST /v1/integrations/:integration/webhook/preview': { role: 'admin', about: 'integration' },
  'GET /v1/schedules': { role: 'viewer', about: 'list' },
  'GET /v1/integrations/:integration/schedule': { role: 'viewer', about: 'integration' },
  'POST /v1/integrations/:integration/schedule/pause': { role: 'admin', about: 'integration' },
  'POST /v1/integrations/:integration/schedule/resume': { role: 'admin', about: 'integration' },
  'GET /v1/integrations/:id/alerts': { role: 'viewer', about: 'integration' },
  'POST /v1/alerts/test': { role: 'admin' },
  'GET /v1/integrations/:id/fields': { role: 'admin', about: 'integration' },
  'POST /v1/integrations/:id/doctor': { role: 'admin', about: 'integration' },
  'GET /v1/runs': { role: 'viewer', about: 'list' },
  'GET /v1/runs/:id': { role: 'viewer', about: 'run' },
  'GET /v1/runs/:id/contacts': { role: 'viewer', about: 'run' },
  'POST /v1/runs/:id/stop': { role: 'admin', about: 'run' },
  'GET /v1/runs/:id/events': { role: 'viewer', about: 'run' },
  'GET /v1/holds': { role: 'viewer', about: 'list' },
  'GET /v1/decisions': { role: 'viewer', about: 'list' },
  'POST /v1/holds/:id/:decision': { role: 'decider', about: 'hold' },
  'POST /v1/holds/batches/:id/:decision': { role: 'decider', about: 'batch' },
  'GET /v1/approvals': { role: 'viewer', about: 'list' },
  'POST /v1/approvals/:id/confirm': { role: 'decider', about: 'approval' },
  'POST /v1/approvals/:id/refuse': { role: 'decider', about: 'approval' },
  'GET /v1/credits': { role: 'viewer', about: 'list' },
  'GET /v1/credits/bill': {
    role: 'viewer',
    about: 'list',
    path: '/v1/credits/bill?month=2026-11',
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
  'GET /v1/tokens': { role: 'owner', about: 'all' },
  'POST /v1/tokens': { role: 'owner', about: 'all', by: 'person' },
  'DELETE /v1/tokens/:token': { role: 'owner', about: 'all' },
  'POST /v1/tokens/:token/preview': { role: 'owner', about: 'all' },
  'GET /v1/audit': { role: 'admin', about: 'list' },
  'POST /v1/audit/verify': { role: 'admin' },
  'GET /oauth/:kind/start': {
    role: 'admin',
    about: 'integration',
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
  'GET /users': { role: 'owner', isPage: true, about: 'all' },
  'POST /users': { role: 'owner', about: 'all', by: 'person' },
  'POST /users/:user/link': { role: 'owner', about: 'all', by: 'person' },
  'POST /users/:user/role': { role: 'owner', about: 'all', by: 'person' },
  'POST /users/:user/disable': { role: 'owner', about: 'all' },
  'POST /users/:user/enable': { role: 'owner', about: 'all', by: 'person' },
  'POST /users/:user/passkeys/:passkey/remove': { role: 'owner', about: 'all', by: 'person' },
  'POST /users/:user/remove': { role: 'owner', about: 'all', by: 'person' },
  'POST /users/:user/sign-out': { role: 'owner', about: 'all' },
  'POST /tokens': { role: 'owner', about: 'all', by: 'person' },
  'POST /tokens/:token/revoke': { role: 'owner', about: 'all' },

  'GET /': { role: 'viewer', isPage: true, about: 'list' },
  'GET /credits': { role: 'viewer', isPage: true, about: 'list' },
  'GET /credits/bill': {
    role: 'viewer',
    isPage: true,
    about: 'list',
    path: '/credits/bill?month=2026-11',
  },
  'GET /clients/:id': { role: 'viewer', isPage: true, about: 'integration' },
  'GET /runs': { role: 'viewer', isPage: true, about: 'list' },
  'GET /runs/:id/changes': { role: 'decider', isPage: true, about: 'run' },
  'POST /runs/:id/stop': { role: 'admin', about: 'run' },
  'POST /runs/:id/retry': { role: 'admin', about: 'run' },
  'POST /integrations/:integration/pause': { role: 'admin', about: 'integration' },
  'POST /integrations/:integration/resume': { role: 'admin', about: 'integration' },
  'GET /v1/clients': { role: 'viewer', about: 'list' },
  'GET /v1/find': { role: 'viewer', about: 'list' },
  'GET /audit': { role: 'admin', isPage: true, about: 'list' },
  'GET /audit/csv': { role: 'admin', isPage: true, about: 'list' },
  'POST /audit/verify': { role: 'admin' },
  'GET /clients/:id/webhooks': { role: 'admin', isPage: true, about: 'integration' },
  'POST /clients/:integration/webhooks': { role: 'admin', about: 'integration' },
  'POST /clients/:integration/webhooks/rotate': { role: 'admin', about: 'integration' },
  'POST /clients/:integration/webhooks/revoke': { role: 'admin', about: 'integration' },
  'GET /clients/:id/schedule': { role: 'viewer', isPage: true, about: 'integration' },
  'POST /clients/:id/schedule': { role: 'admin', about: 'integration' },
  'POST /clients/:integration/schedule/pause': { role: 'admin', about: 'integration' },
  'POST /clients/:integration/schedule/resume': { role: 'admin', about: 'integration' },
  'GET /clients/:id/alerts': { role: 'viewer', isPage: true, about: 'integration' },
  'POST /clients/:id/alerts/test': { role: 'admin', about: 'integration' },
  'GET /clients/:id/fields': { role: 'admin', isPage: true, about: 'integration' },
  'POST /clients/:id/fields/create': { role: 'admin', about: 'integration' },
  'GET /clients/:id/doctor': { role: 'admin', isPage: true, about: 'integration' },
  'POST /clients/:id/doctor': { role: 'admin', about: 'integration' },
  'GET /runs/:id': { role: 'viewer', isPage: true, about: 'run' },
  'GET /integrations/:id/persons': { role: 'decider', isPage: true, about: 'integration' },
  'GET /setup': { role: 'admin', isPage: true, about: 'list' },
  'POST /setup': { role: 'admin' },
  'GET /setup/:id': { role: 'admin', isPage: true, about: 'integration' },
  'GET /setup/:id/leave': { role: 'admin', isPage: true, about: 'integration' },
  'GET /setup/:id/results': { role: 'admin', isPage: true, about: 'integration' },
  'GET /setup/:id/:step': {
    role: 'admin',
    isPage: true,
    about: 'integration',
    path: '/setup/:id/schedule',
  },
  'POST /setup/:id/:step': { role: 'admin', about: 'integration', path: '/setup/:id/schedule' },
  'POST /setup/:id/change': { role: 'admin', about: 'integration' },
  'POST /setup/:id/drop': { role: 'admin', about: 'integration' },
  'POST /setup/:id/file': { role: 'admin', about: 'integration' },
  'POST /setup/:id/preview': { role: 'admin', about: 'integration' },
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
  'POST /networks/:id/check': { role: 'admin', about: 'integration' },
  'POST /networks/:id/prospects': { role: 'decider', about: 'integration' },
  'POST /networks/:id/repair': { role: 'admin', about: 'integration' },
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
  'POST /decisions/approvals/:id/confirm': { role: 'decider', about: 'approval' },
  'POST /decisions/approvals/:id/refuse': { role: 'decider', about: 'approval' },
  // What is out of reach, or unknown, can no longer be taken back.
  'POST /decisions/waiting/:id/take-back': {
    ...{ role: 'decider', path: '/decisions/waiting/some/take-back' },
  },
};
