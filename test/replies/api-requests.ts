/** The recorded requests to the API, its documents, webhooks and the consent page, by route. */

import { THIS_MONTH } from '../helpers/this-month.ts';
import { type Cases, type CaseTable, NOWHERE } from './requests.ts';

const client = (rest: string): Cases => ({
  good: { path: `/v1/integrations/riverside${rest}` },
  'other client': { path: `/v1/integrations/harbor${rest}` },
  unknown: { path: `/v1/integrations/nowhere${rest}` },
  invalid: { path: `/v1/integrations/%00${rest}` },
});

/** Returns a call that HubSpot's card or workflow sends. */
const atDoor = (path: string, body: object) => ({
  path: `/doors/hubspot/${path}`,
  body: { key: 'click-0001', ...body },
});

const NOT_JSON = { text: '{"full":', headers: { 'content-type': 'application/json' } };
const NOT_DECLARED = { text: 'full=true', headers: { 'content-type': 'text/plain' } };

const list = (path: string, filter = 'integration'): Cases => ({
  good: { path },
  'other client': { path: `${path}?${filter}=harbor` },
  unknown: { path: `${path}?${filter}=nowhere` },
});

/** Decides about several contacts at the same time. */
const several = (decision: string, id: string): Cases => ({
  good: { path: `/v1/holds/${decision}`, body: { holds: [id] } },
  decided: { path: `/v1/holds/${decision}`, body: { holds: ['{hold decided}'] } },
  unknown: { path: `/v1/holds/${decision}`, body: { holds: [NOWHERE] } },
  invalid: { path: `/v1/holds/${decision}`, body: { holds: [] } },
});

/** Returns a request without a preview's digest, and a request with an invalid digest. */
const unseen = (path: string) => ({
  'without preview': { path },
  'other preview': { path: `${path}?digest=none` },
});

/** A client at a public IP address, which needs no DNS lookup. */
const CLIENT = {
  id: 'lakeside',
  partner: { baseUrl: 'https://93.184.215.14', apiKey: 'key' },
  crm: { kind: 'hubspot', auth: { type: 'token', token: 'token' } },
};

/** Returns requests that create or replace a client's webhook address. */
const address = (rest: string): Cases => ({
  good: { path: `/v1/integrations/riverside${rest}`, body: {} },
  signed: { path: `/v1/integrations/riverside${rest}`, body: { signature: 'hmac' } },
  'signed by HubSpot': {
    path: `/v1/integrations/riverside${rest}`,
    body: { signature: 'hubspot' },
  },
  'other client': { path: `/v1/integrations/harbor${rest}`, body: {} },
  'other client, signed': {
    path: `/v1/integrations/harbor${rest}`,
    body: { signature: 'hmac' },
  },
  unknown: { path: `/v1/integrations/nowhere${rest}`, body: {} },
  invalid: { path: `/v1/integrations/riverside${rest}`, body: { signature: 'wax' } },
  'unknown key': { path: `/v1/integrations/riverside${rest}`, body: { seal: 'wax' } },
  'without a body': { path: `/v1/integrations/riverside${rest}` },
  'not JSON': { path: `/v1/integrations/riverside${rest}`, ...NOT_JSON },
});

const scheduleChange = (word: string): Cases => ({
  good: { path: `/v1/integrations/riverside/schedule/${word}` },
  'without a schedule': { path: `/v1/integrations/harbor/schedule/${word}` },
  unknown: { path: `/v1/integrations/nowhere/schedule/${word}` },
  invalid: { path: `/v1/integrations/%00/schedule/${word}` },
});

const user = (id: string, rest: string): Cases => ({
  good: { path: `/v1/users/${id}${rest}` },
  unknown: { path: `/v1/users/${NOWHERE}${rest}` },
});

const forget = (rest: string): Cases => {
  const path = (client: string, contact: string) =>
    `/v1/integrations/${client}/contacts/${contact}/forget${rest}`;
  return {
    good: { path: path('riverside', 'c001') },
    'in the CRM too': { path: path('riverside', 'c001'), body: { alsoInCrm: true } },
    everywhere: { path: path('riverside', 'c001'), body: { everywhere: true } },
    'other client': { path: path('harbor', 'c041') },
    'unknown contact': { path: path('riverside', 'nowhere') },
    'block an unknown contact': {
      path: path('riverside', 'nowhere'),
      body: { blockUnknown: true },
    },
    unknown: { path: path('nowhere', 'c001') },
    invalid: { path: path('riverside', 'c001'), body: { alsoInCrm: 'yes' } },
    'not JSON': { path: path('riverside', 'c001'), ...NOT_JSON },
  };
};

const listed: Cases = {
  good: { path: '/v1/integrations/riverside/listed-contacts/c001' },
  'unknown contact': { path: '/v1/integrations/riverside/listed-contacts/nobody' },
  unknown: { path: '/v1/integrations/nowhere/listed-contacts/c001' },
};

/** No contact is blocked in this world, so even the valid request gets 404. */
const block = (rest: string): Cases => ({
  good: { path: `/v1/integrations/riverside/contacts/c001/block${rest}` },
  unknown: { path: `/v1/integrations/nowhere/contacts/c001/block${rest}` },
});

const decideAll = (rest: string): Cases => {
  const path = (client: string, reason: string, decision: string) =>
    `/v1/integrations/${client}/decisions/${reason}/${decision}${rest}`;
  return {
    good: { path: path('harbor', 'name_mismatch', 'reject') },
    approve: { path: path('harbor', 'name_mismatch', 'approve') },
    resubmit: { path: path('harbor', 'lost_answer', 'resubmit') },
    'not possible': { path: path('harbor', 'lost_answer', 'approve') },
    'nothing waits': { path: path('riverside', 'name_mismatch', 'reject') },
    'unknown reason': { path: path('harbor', 'sleepy', 'reject') },
    unknown: { path: path('nowhere', 'name_mismatch', 'reject') },
    invalid: { path: path('harbor', 'name_mismatch', 'shrug') },
  };
};

export const API_CASES: CaseTable = {
  'GET /healthz': { good: { path: '/healthz' } },
  'GET /readyz': { good: { path: '/readyz' } },
  'GET /openapi.json': { good: { path: '/openapi.json' } },
  'GET /docs': { good: { path: '/docs' } },
  'GET /docs/guide': { good: { path: '/docs/guide' } },
  'GET /docs/guide/:page': {
    good: { path: '/docs/guide/concepts' },
    unknown: { path: '/docs/guide/nothing' },
  },
  'GET /docs/guide/images/:image': {
    good: { path: '/docs/guide/images/home.webp' },
    unknown: { path: '/docs/guide/images/nothing.webp' },
  },
  'GET /docs/styles.css': { good: { path: '/docs/styles.css' } },
  'GET /metrics': { good: { path: '/metrics' } },

  'GET /v1/integrations': { good: { path: '/v1/integrations' } },
  'POST /v1/integrations': {
    good: { path: '/v1/integrations', body: { integrations: [CLIENT] } },
    'dry run': { path: '/v1/integrations', body: { integrations: [CLIENT], dryRun: true } },
    'of the file': {
      path: '/v1/integrations',
      body: { integrations: [{ ...CLIENT, id: 'riverside' }] },
    },
    invalid: { path: '/v1/integrations', body: { integrations: [{ id: 'Lakeside' }] } },
    'unknown key': { path: '/v1/integrations', body: { integrations: [CLIENT], twoPeople: {} } },
    'without a body': { path: '/v1/integrations' },
    'not JSON': { path: '/v1/integrations', ...NOT_JSON },
  },
  'GET /v1/integrations/:integration': client(''),
  'DELETE /v1/integrations/:integration': {
    ...client('?digest=none'),
    ...unseen('/v1/integrations/meadow'),
  },
  'POST /v1/integrations/:integration/preview': {
    ...client('/preview'),
    'of the database': { path: '/v1/integrations/meadow/preview' },
  },
  'POST /v1/integrations/:integration/disconnect': {
    ...client('/disconnect?digest=none'),
    ...unseen('/v1/integrations/hillside/disconnect'),
  },
  'POST /v1/integrations/:integration/disconnect/preview': {
    ...client('/disconnect/preview'),
    'not connected': { path: '/v1/integrations/hillside/disconnect/preview' },
  },
  'GET /v1/setups': { good: { path: '/v1/setups' } },
  'GET /v1/setups/:setup': {
    good: { path: '/v1/setups/{setup}' },
    unknown: { path: '/v1/setups/nowhere' },
    'not a set-up': { path: '/v1/setups/riverside' },
  },
  'GET /v1/integrations/:integration/status': client('/status'),
  'POST /v1/integrations/:integration/plan': {
    ...client('/plan'),
    invalid: { path: '/v1/integrations/riverside/plan', body: { full: 'yes' } },
  },
  'GET /v1/integrations/:integration/network': {
    ...client('/network'),
    'invalid query': { path: '/v1/integrations/riverside/network?weakest=ninth' },
  },
  'GET /v1/integrations/:integration/networks': client('/networks'),
  'POST /v1/integrations/:integration/networks/check': client('/networks/check'),
  'POST /v1/integrations/:integration/networks/repair': {
    ...client('/networks/repair'),
    ...unseen('/v1/integrations/riverside/networks/repair'),
  },
  'POST /v1/integrations/:integration/networks/repair/preview': client('/networks/repair/preview'),
  'POST /v1/integrations/:integration/prospects': client('/prospects'),
  'POST /v1/integrations/:integration/contacts/:contact/paths': {
    good: { path: '/v1/integrations/riverside/contacts/c020/paths' },
    'unknown contact': { path: '/v1/integrations/riverside/contacts/nobody/paths' },
    unknown: { path: '/v1/integrations/nowhere/contacts/c020/paths' },
  },
  'POST /v1/integrations/:integration/runs': {
    ...client('/runs'),
    'one contact': { path: '/v1/integrations/riverside/runs', body: { contact: 'c001' } },
    full: { path: '/v1/integrations/riverside/runs', body: { full: true } },
    'accept marks': { path: '/v1/integrations/riverside/runs', body: { acceptMarks: true } },
    'accept match rate': {
      path: '/v1/integrations/riverside/runs',
      body: { acceptMatchRate: true },
    },
    'unknown contact': { path: '/v1/integrations/riverside/runs', body: { contact: 'nowhere' } },
    'not connected': { path: '/v1/integrations/hillside/runs' },
    invalid: { path: '/v1/integrations/riverside/runs', body: { full: 'yes', other: 1 } },
    contradictory: {
      path: '/v1/integrations/riverside/runs',
      body: { contact: 'c001', full: true },
    },
    'not JSON': { path: '/v1/integrations/riverside/runs', ...NOT_JSON },
    'not declared as JSON': { path: '/v1/integrations/riverside/runs', ...NOT_DECLARED },
    'invalid and unknown': { path: '/v1/integrations/nowhere/runs', body: { full: 'yes' } },
  },
  'GET /v1/webhooks': {
    good: { path: '/v1/webhooks' },
    'unknown parameter': { path: '/v1/webhooks?integration=harbor' },
  },
  'GET /v1/integrations/:integration/webhook': client('/webhook'),
  'POST /v1/integrations/:integration/webhook': address('/webhook'),
  'POST /v1/integrations/:integration/webhook/rotate': address('/webhook/rotate'),
  'DELETE /v1/integrations/:integration/webhook': {
    ...client('/webhook?digest={digest}'),
    ...unseen('/v1/integrations/riverside/webhook'),
  },
  'POST /v1/integrations/:integration/webhook/preview': client('/webhook/preview'),
  'GET /v1/schedules': {
    good: { path: '/v1/schedules' },
    'unknown parameter': { path: '/v1/schedules?integration=harbor' },
  },
  'GET /v1/integrations/:integration/schedule': client('/schedule'),
  'POST /v1/integrations/:integration/schedule/pause': scheduleChange('pause'),
  'POST /v1/integrations/:integration/schedule/resume': scheduleChange('resume'),
  'GET /v1/alerts': list('/v1/alerts'),
  'GET /v1/integrations/:integration/alerts': client('/alerts'),
  'POST /v1/alerts/test': { good: { path: '/v1/alerts/test' } },
  'POST /v1/integrations/:integration/alerts/test': client('/alerts/test'),
  'POST /v1/alerts/check': { good: { path: '/v1/alerts/check' } },
  'POST /v1/integrations/:integration/fields': {
    ...client('/fields'),
    'not connected': { path: '/v1/integrations/hillside/fields' },
    'invalid body': { path: '/v1/integrations/riverside/fields', body: { capacityAbove: 'much' } },
  },
  'GET /v1/integrations/:integration/fields': {
    ...client('/fields'),
    'not connected': { path: '/v1/integrations/hillside/fields' },
  },
  'GET /v1/integrations/:integration/fields/source': {
    ...client('/fields/source'),
    'another kind': { path: '/v1/integrations/hillside/fields/source' },
  },
  'POST /v1/integrations/:integration/doctor': {
    ...client('/doctor'),
    'not connected': { path: '/v1/integrations/hillside/doctor' },
  },

  'GET /v1/runs': {
    ...list('/v1/runs'),
    'wrong token': { path: '/v1/runs', headers: { authorization: 'Bearer dst_wrong' } },
    page: { path: '/v1/runs?limit=1' },
    invalid: { path: '/v1/runs?status=sleepy&limit=0' },
    'invalid cursor': { path: '/v1/runs?cursor=abc' },
  },
  'GET /v1/runs/:run': {
    good: { path: '/v1/runs/{run}' },
    stopped: { path: '/v1/runs/{run stopped}' },
    queued: { path: '/v1/runs/{run queued}' },
    unknown: { path: `/v1/runs/${NOWHERE}` },
    'not an id': { path: '/v1/runs/nowhere' },
    invalid: { path: '/v1/runs/%00' },
  },
  'GET /v1/runs/:run/contacts': {
    good: { path: '/v1/runs/{run}/contacts?limit=2' },
    held: { path: '/v1/runs/{run mismatched}/contacts?outcome=held&limit=2' },
    csv: { path: '/v1/runs/{run}/contacts', headers: { accept: 'text/csv' } },
    unknown: { path: `/v1/runs/${NOWHERE}/contacts` },
    'unknown contact': { path: '/v1/runs/{run}/contacts?contact=nowhere' },
    invalid: { path: '/v1/runs/{run}/contacts?outcome=sleepy&limit=0' },
    'invalid reason': { path: '/v1/runs/{run}/contacts?reason=sleepy' },
    'invalid cursor': { path: '/v1/runs/{run}/contacts?cursor=abc' },
  },
  'POST /v1/runs/:run/retry': {
    good: { path: '/v1/runs/{run}/retry' },
    unknown: { path: `/v1/runs/${NOWHERE}/retry` },
  },
  'POST /v1/runs/:run/stop': {
    good: { path: '/v1/runs/{run queued}/stop' },
    finished: { path: '/v1/runs/{run}/stop' },
    'other client': { path: '/v1/runs/{run stopped}/stop' },
    unknown: { path: `/v1/runs/${NOWHERE}/stop` },
  },
  'GET /v1/runs/:id/events': {
    good: { path: '/v1/runs/{run}/events' },
    unknown: { path: `/v1/runs/${NOWHERE}/events` },
  },

  'POST /v1/contact-names': {
    good: { path: '/v1/contact-names', body: { contacts: ['riverside/c001', 'riverside/c002'] } },
    unknown: {
      path: '/v1/contact-names',
      body: { contacts: ['riverside/nobody', 'nowhere/c001'] },
    },
    invalid: { path: '/v1/contact-names', body: { contacts: ['c001'] } },
    none: { path: '/v1/contact-names', body: { contacts: [] } },
  },
  'POST /v1/integrations/:integration/contact-search': {
    good: { path: '/v1/integrations/riverside/contact-search', body: { text: 'mar' } },
    'by ID': { path: '/v1/integrations/riverside/contact-search', body: { text: 'c001' } },
    unknown: { path: '/v1/integrations/nowhere/contact-search', body: { text: 'mar' } },
    invalid: { path: '/v1/integrations/riverside/contact-search', body: { text: '' } },
  },
  'POST /v1/integrations/:integration/contacts/:contact': {
    good: { path: '/v1/integrations/riverside/contacts/c001' },
    'unknown contact': { path: '/v1/integrations/riverside/contacts/nobody' },
    unknown: { path: '/v1/integrations/nowhere/contacts/c001' },
  },
  'POST /v1/integrations/:integration/contacts/:contact/about': {
    good: { path: '/v1/integrations/riverside/contacts/c001/about' },
    unknown: { path: '/v1/integrations/nowhere/contacts/c001/about' },
  },
  'GET /v1/integrations/:integration/settings': client('/settings'),
  'GET /v1/holds': list('/v1/holds'),
  'GET /v1/decisions': {
    ...list('/v1/decisions', 'client'),
    invalid: { path: '/v1/decisions?order=random' },
    'invalid cursor': { path: '/v1/decisions?after=abc' },
    'unknown parameter': { path: '/v1/decisions?limit=0&cursor=abc' },
    'unknown reason': { path: '/v1/decisions?reason=sleepy' },
  },
  'POST /v1/holds/names': {
    good: { path: '/v1/holds/names', body: { integration: 'harbor' } },
    examples: { path: '/v1/holds/names', body: { integration: 'harbor', examples: true } },
    unknown: { path: '/v1/holds/names', body: { integration: 'nowhere' } },
    invalid: { path: '/v1/holds/names', body: { examples: 'yes' } },
  },
  'POST /v1/holds/approve': several('approve', '{hold mismatch}'),
  'POST /v1/holds/reject': several('reject', '{hold mismatch}'),
  'POST /v1/holds/resubmit': several('resubmit', '{hold lost}'),
  'GET /v1/answers': { good: { path: '/v1/answers' } },
  'POST /v1/answers/:answer/withdraw': {
    good: { path: '/v1/answers/nowhere/withdraw' },
    unknown: { path: `/v1/answers/${NOWHERE}/withdraw` },
  },
  'POST /v1/holds/:id/:decision': {
    good: { path: '/v1/holds/{hold mismatch}/reject' },
    approve: { path: '/v1/holds/{hold mismatch}/approve' },
    resubmit: { path: '/v1/holds/{hold lost}/resubmit' },
    'without a profile': { path: '/v1/holds/{hold lost}/approve' },
    'in a batch': { path: '/v1/holds/{hold in batch}/resubmit' },
    decided: { path: '/v1/holds/{hold decided}/approve' },
    unknown: { path: `/v1/holds/${NOWHERE}/reject` },
    invalid: { path: '/v1/holds/{hold mismatch}/shrug' },
  },
  'POST /v1/holds/batches/:id/:decision': {
    good: { path: '/v1/holds/batches/{batch}/reject' },
    'waits for a second person': { path: '/v1/holds/batches/{batch}/approve' },
    unknown: { path: `/v1/holds/batches/${NOWHERE}/reject` },
    invalid: { path: '/v1/holds/batches/{batch}/resubmit' },
  },
  'GET /v1/approvals': { good: { path: '/v1/approvals' } },
  'POST /v1/clients/check': { good: { path: '/v1/clients/check' } },
  'POST /v1/doctor': { good: { path: '/v1/doctor' } },
  'POST /v1/integrations/:integration/export': {
    good: { path: '/v1/integrations/harbor/export' },
    unknown: { path: '/v1/integrations/nowhere/export' },
  },
  'POST /v1/integrations/:integration/erase': {
    good: { path: '/v1/integrations/riverside/erase?digest={digest}' },
    unknown: { path: '/v1/integrations/nowhere/erase?digest={digest}' },
    ...unseen('/v1/integrations/riverside/erase'),
  },
  'POST /v1/integrations/:integration/erase/preview': {
    good: { path: '/v1/integrations/riverside/erase/preview' },
    unknown: { path: '/v1/integrations/nowhere/erase/preview' },
  },
  'POST /v1/integrations/:integration/redelivery': {
    good: { path: '/v1/integrations/riverside/redelivery?digest={digest}' },
    unknown: { path: '/v1/integrations/nowhere/redelivery?digest={digest}' },
    ...unseen('/v1/integrations/riverside/redelivery'),
  },
  'POST /v1/integrations/:integration/redelivery/preview': {
    good: { path: '/v1/integrations/riverside/redelivery/preview' },
    unknown: { path: '/v1/integrations/nowhere/redelivery/preview' },
    invalid: {
      path: '/v1/integrations/riverside/redelivery/preview',
      body: { fields: ['Donor Hat Size'] },
    },
  },
  'POST /v1/integrations/:integration/redelivery/counts': {
    good: { path: '/v1/integrations/riverside/redelivery/counts' },
    unknown: { path: '/v1/integrations/nowhere/redelivery/counts' },
  },
  'GET /v1/approvals/:approval': {
    good: { path: '/v1/approvals/{approval}' },
    unknown: { path: `/v1/approvals/${NOWHERE}` },
  },
  'POST /v1/approvals/:approval/confirm': {
    good: { path: '/v1/approvals/{approval}/confirm' },
    undo: { path: '/v1/approvals/{approval undo}/confirm' },
    unknown: { path: `/v1/approvals/${NOWHERE}/confirm` },
  },
  'POST /v1/approvals/:approval/refuse': {
    good: { path: '/v1/approvals/{approval}/refuse' },
    undo: { path: '/v1/approvals/{approval undo}/refuse' },
    unknown: { path: `/v1/approvals/${NOWHERE}/refuse` },
  },

  'POST /v1/integrations/:integration/introductions': {
    good: { path: '/v1/integrations/riverside/introductions' },
    filtered: {
      path: '/v1/integrations/riverside/introductions',
      body: { capacity: '100k', mine: true },
    },
    unknown: { path: '/v1/integrations/nowhere/introductions' },
    invalid: { path: '/v1/integrations/riverside/introductions', body: { limit: 0 } },
  },
  'PUT /v1/integrations/:integration/listed-contacts/:contact': listed,
  'DELETE /v1/integrations/:integration/listed-contacts/:contact': listed,
  'GET /v1/mails': {
    good: { path: '/v1/mails' },
    invalid: { path: '/v1/mails?user=' },
  },
  'PUT /v1/mails/:kind': {
    good: { path: '/v1/mails/results', body: { state: 'off' } },
    'without a server': { path: '/v1/mails/results', body: { state: 'on' } },
    unknown: { path: '/v1/mails/nothing', body: { state: 'on' } },
    invalid: { path: '/v1/mails/results', body: { state: 'perhaps' } },
  },
  'POST /v1/mails/confirm': {
    good: { path: '/v1/mails/confirm', body: { code: 'abc' } },
    invalid: { path: '/v1/mails/confirm', body: {} },
  },
  'GET /v1/results': {
    ...list(`/v1/results?month=${THIS_MONTH}`),
    'other month': { path: '/v1/results?month=2020-01' },
    'unknown client': { path: '/v1/results?integration=nowhere' },
    'invalid month': { path: '/v1/results?month=2026-13' },
  },
  'GET /v1/credits': {
    ...list('/v1/credits'),
    month: { path: `/v1/credits?month=${THIS_MONTH}` },
    'other month': { path: '/v1/credits?days=90&month=2020-01' },
    invalid: { path: '/v1/credits?days=5' },
    'invalid month': { path: '/v1/credits?month=2026-13' },
  },
  'GET /v1/credits/bill': {
    good: { path: `/v1/credits/bill?month=${THIS_MONTH}` },
    'empty month': { path: '/v1/credits/bill?month=2020-01' },
    invalid: { path: '/v1/credits/bill?month=soon' },
    'without a month': { path: '/v1/credits/bill' },
    'as JSON': {
      path: `/v1/credits/bill?month=${THIS_MONTH}`,
      headers: { accept: 'application/json' },
    },
  },
  'GET /v1/credits/keys': list('/v1/credits/keys', 'integrations'),
  'GET /v1/credits/reconciliations/:month': {
    good: { path: `/v1/credits/reconciliations/${THIS_MONTH}` },
    'empty month': { path: '/v1/credits/reconciliations/2020-01' },
    invalid: { path: '/v1/credits/reconciliations/soon' },
  },

  'GET /v1/address': { good: { path: '/v1/address' } },
  'PUT /v1/address': {
    good: { path: '/v1/address', body: { url: 'https://donors.example.org' } },
    invalid: { path: '/v1/address', body: { url: '' } },
    'without a body': { path: '/v1/address' },
  },

  'GET /v1/users': { good: { path: '/v1/users' } },
  'POST /v1/users': {
    good: {
      path: '/v1/users',
      body: { name: 'Nora', email: 'nora@example.org', role: 'viewer', integrations: ['harbor'] },
    },
    'known address': {
      path: '/v1/users',
      body: { name: 'Zoe', email: 'zoe@example.org', role: 'viewer' },
    },
    'limited owner': {
      path: '/v1/users',
      body: { name: 'Nora', email: 'nora@example.org', role: 'owner', integrations: ['harbor'] },
    },
    unknown: {
      path: '/v1/users',
      body: { name: 'Nora', email: 'nora@example.org', role: 'viewer', integrations: ['nowhere'] },
    },
    invalid: { path: '/v1/users', body: { name: '', email: 'nora', role: 'queen' } },
    'invalid name': {
      path: '/v1/users',
      body: { name: '', email: 'nora@example.org', role: 'viewer' },
    },
    'invalid address': {
      path: '/v1/users',
      body: { name: 'Nora', email: 'nora', role: 'viewer' },
    },
    'without a body': { path: '/v1/users' },
    'not JSON': { path: '/v1/users', ...NOT_JSON },
  },
  'PUT /v1/users/:user/role': {
    good: { path: '/v1/users/{user viewer}/role', body: { role: 'decider' } },
    'by address': { path: '/v1/users/viewer@example.org/role', body: { role: 'decider' } },
    'some clients': {
      path: '/v1/users/{user viewer}/role',
      body: { role: 'decider', integrations: ['harbor'] },
    },
    'of a limited user': {
      path: '/v1/users/{user limited viewer}/role',
      body: { role: 'decider' },
    },
    'last owner': { path: '/v1/users/{user owner}/role', body: { role: 'viewer' } },
    unknown: { path: `/v1/users/${NOWHERE}/role`, body: { role: 'decider' } },
    'unknown client': {
      path: '/v1/users/{user viewer}/role',
      body: { role: 'viewer', integrations: ['nowhere'] },
    },
    'no clients': {
      path: '/v1/users/{user viewer}/role',
      body: { role: 'viewer', integrations: [] },
    },
    invalid: { path: '/v1/users/{user viewer}/role', body: { role: 'queen' } },
    'without a body': { path: '/v1/users/{user viewer}/role' },
  },
  'POST /v1/users/:user/link': user('{invited}', '/link'),
  'POST /v1/users/:user/disable': {
    ...user('{user viewer}', '/disable'),
    'last owner': { path: '/v1/users/{user owner}/disable' },
  },
  'POST /v1/users/:user/enable': user('{user viewer}', '/enable'),
  'POST /v1/users/:user/sign-out': user('{user viewer}', '/sign-out'),
  'DELETE /v1/users/:user': {
    ...user('{user viewer}', '?digest={digest}'),
    'last owner': { path: '/v1/users/{user owner}?digest={digest}' },
    ...unseen('/v1/users/{user viewer}'),
  },
  'POST /v1/users/:user/preview': user('{user viewer}', '/preview'),
  'GET /v1/users/:user/passkeys': user('{user viewer}', '/passkeys'),
  'DELETE /v1/users/:user/passkeys/:passkey': {
    ...user('{user viewer}', '/passkeys/nowhere?digest={digest}'),
    ...unseen('/v1/users/{user viewer}/passkeys/nowhere'),
  },
  'POST /v1/users/:user/passkeys/:passkey/preview': user(
    '{user viewer}',
    '/passkeys/nowhere/preview',
  ),
  'GET /v1/users/:user/crm-users': user('{user viewer}', '/crm-users'),
  'DELETE /v1/users/:user/crm-users/:link': user('{user viewer}', '/crm-users/nowhere'),
  'GET /v1/tokens': { good: { path: '/v1/tokens' } },
  'POST /v1/tokens': {
    good: { path: '/v1/tokens', body: { name: 'Reports', role: 'viewer' } },
    'some clients': {
      path: '/v1/tokens',
      body: { name: 'Reports', role: 'viewer', integrations: ['harbor'] },
    },
    'limited owner': {
      path: '/v1/tokens',
      body: { name: 'Reports', role: 'owner', integrations: ['harbor'] },
    },
    unknown: {
      path: '/v1/tokens',
      body: { name: 'Reports', role: 'viewer', integrations: ['nowhere'] },
    },
    invalid: { path: '/v1/tokens', body: { name: '', role: 'queen' } },
    'invalid name': { path: '/v1/tokens', body: { name: '', role: 'viewer' } },
    'without a body': { path: '/v1/tokens' },
    'not JSON': { path: '/v1/tokens', ...NOT_JSON },
  },
  'POST /v1/integrations/:integration/door-tokens': {
    good: { path: '/v1/integrations/riverside/door-tokens', body: { name: 'Salesforce' } },
    unknown: { path: '/v1/integrations/nowhere/door-tokens', body: { name: 'Salesforce' } },
    invalid: { path: '/v1/integrations/riverside/door-tokens', body: { name: '', perDay: 0 } },
    'without a body': { path: '/v1/integrations/riverside/door-tokens' },
    'not JSON': { path: '/v1/integrations/riverside/door-tokens', ...NOT_JSON },
  },
  'DELETE /v1/tokens/:token': {
    good: { path: '/v1/tokens/token-viewer?digest={digest}' },
    unknown: { path: `/v1/tokens/${NOWHERE}?digest={digest}` },
    ...unseen('/v1/tokens/token-viewer'),
  },
  'POST /v1/tokens/:token/preview': {
    good: { path: '/v1/tokens/token-viewer/preview' },
    unknown: { path: `/v1/tokens/${NOWHERE}/preview` },
  },

  'POST /v1/runs/:run/undo': {
    good: { path: '/v1/runs/{run held}/undo?digest={digest}' },
    'waits already': { path: '/v1/runs/{run}/undo?digest={digest}' },
    'nothing written': { path: '/v1/runs/{run stopped}/undo?digest={digest}' },
    unknown: { path: `/v1/runs/${NOWHERE}/undo?digest={digest}` },
    invalid: { path: '/v1/runs/%00/undo?digest={digest}' },
    ...unseen('/v1/runs/{run}/undo'),
  },
  'POST /v1/runs/:run/undo/counts': {
    good: { path: '/v1/runs/{run}/undo/counts' },
    'nothing written': { path: '/v1/runs/{run stopped}/undo/counts' },
    unknown: { path: `/v1/runs/${NOWHERE}/undo/counts` },
  },
  'POST /v1/runs/:run/undo/preview': {
    good: { path: '/v1/runs/{run}/undo/preview' },
    'nothing written': { path: '/v1/runs/{run stopped}/undo/preview' },
    unknown: { path: `/v1/runs/${NOWHERE}/undo/preview` },
  },
  'POST /v1/integrations/:integration/contacts/:contact/forget': {
    ...forget('?digest={digest}'),
    ...unseen('/v1/integrations/riverside/contacts/c001/forget'),
  },
  'POST /v1/integrations/:integration/contacts/:contact/forget/counts': {
    good: { path: '/v1/integrations/riverside/contacts/c001/forget/counts' },
    'in the CRM too': {
      path: '/v1/integrations/riverside/contacts/c001/forget/counts',
      body: { alsoInCrm: true },
    },
    'unknown contact': { path: '/v1/integrations/riverside/contacts/nowhere/forget/counts' },
    unknown: { path: '/v1/integrations/nowhere/contacts/c001/forget/counts' },
  },
  'POST /v1/integrations/:integration/contacts/:contact/forget/preview': forget('/preview'),
  'DELETE /v1/integrations/:integration/contacts/:contact/block': block('?digest={digest}'),
  'POST /v1/integrations/:integration/contacts/:contact/block/preview': block('/preview'),
  'POST /v1/integrations/:integration/decisions/:reason/:decision': {
    ...decideAll('?digest={digest}'),
    ...unseen('/v1/integrations/harbor/decisions/name_mismatch/reject'),
  },
  'POST /v1/integrations/:integration/decisions/:reason/:decision/preview': decideAll('/preview'),

  'GET /v1/connections': list('/v1/connections'),
  'GET /v1/audit': {
    ...list('/v1/audit'),
    page: { path: '/v1/audit?limit=1' },
    action: { path: '/v1/audit?action=run.asked&limit=2' },
    invalid: { path: '/v1/audit?since=soon&limit=0' },
    'unknown action': { path: '/v1/audit?action=sleepy' },
    'unknown filter': { path: '/v1/audit?actor=anna' },
    'from a day': { path: '/v1/audit?since=2000-01-01&limit=1' },
    'invalid cursor': { path: '/v1/audit?cursor=abc' },
  },
  'GET /v1/audit/export': {
    good: { path: '/v1/audit/export?action=run.asked&limit=2' },
    invalid: { path: '/v1/audit/export?since=soon&limit=0' },
    'unknown filter': { path: '/v1/audit/export?cursor=abc' },
  },
  'POST /v1/audit/verify': {
    good: { path: '/v1/audit/verify' },
    invalid: { path: '/v1/audit/verify', body: { known: 'x' } },
  },
  'GET /v1/clients': {
    good: { path: '/v1/clients' },
    page: { path: '/v1/clients?limit=1' },
    find: { path: '/v1/clients?q=harbor' },
    invalid: { path: '/v1/clients?state=sleepy&limit=0' },
    'invalid cursor': { path: '/v1/clients?cursor=abc' },
  },
  'POST /v1/find': {
    good: { path: '/v1/find', body: { q: 'river' } },
    contact: { path: '/v1/find', body: { q: 'c001' } },
    nothing: { path: '/v1/find', body: { q: 'zzzz' } },
    invalid: { path: '/v1/find', body: { q: 'z'.repeat(201) } },
  },
  'GET /v1/find': {
    good: { path: '/v1/find?q=river' },
    contact: { path: '/v1/find?q=c001' },
    run: { path: '/v1/find?q={run}' },
    nothing: { path: '/v1/find?q=zzzz' },
    invalid: { path: `/v1/find?q=${'z'.repeat(201)}` },
  },

  'GET /oauth/:kind/start': {
    good: { path: '/oauth/salesforce/start?integration=hillside' },
    'without a consent': { path: '/oauth/csv/start?integration=riverside' },
    unknown: { path: '/oauth/salesforce/start?integration=nowhere' },
    'unknown kind': { path: '/oauth/abacus/start?integration=hillside' },
    invalid: { path: '/oauth/salesforce/start' },
  },
  'GET /oauth/:kind/callback': {
    good: { path: '/oauth/salesforce/callback?code=abc&state=abc' },
    refused: { path: '/oauth/salesforce/callback?error=access_denied&state=abc' },
    'unknown kind': { path: '/oauth/abacus/callback?code=abc&state=abc' },
    invalid: { path: '/oauth/salesforce/callback' },
  },
  'GET /oauth/styles.css': { good: { path: '/oauth/styles.css' } },
  'GET /doors/token/openapi.json': { good: { path: '/doors/token/openapi.json' } },
  // No caller has a door token, so the route refuses all callers.
  'GET /doors/token/:integration/contacts/:contact': {
    good: { path: '/doors/token/riverside/contacts/c001?org=org' },
    unknown: { path: '/doors/token/nowhere/contacts/c001?org=org' },
    invalid: { path: '/doors/token/riverside/contacts/c001' },
  },
  'POST /doors/token/:integration/contacts/:contact/enhance': {
    good: { path: '/doors/token/riverside/contacts/c001/enhance?org=org&click=12345678' },
    unknown: { path: '/doors/token/nowhere/contacts/c001/enhance?org=org&click=12345678' },
    invalid: { path: '/doors/token/riverside/contacts/c001/enhance?org=org&click=1' },
  },
  'POST /hooks/:integration/:token': {
    good: { path: '/hooks/riverside/{hook}', body: { id: 'c001' } },
    unknown: { path: '/hooks/nowhere/{hook}', body: { id: 'c001' } },
    'wrong token': { path: '/hooks/riverside/wrong', body: { id: 'c001' } },
    'other client': { path: '/hooks/harbor/{hook}', body: { id: 'c001' } },
    invalid: { path: '/hooks/riverside/{hook}', body: { people: 1 } },
    'not JSON': { path: '/hooks/riverside/{hook}', ...NOT_JSON },
  },
  // This world's settings contain no app, so every call is refused.
  'POST /doors/hubspot/card/contact': { good: atDoor('card/contact', { contact: '1' }) },
  'POST /doors/hubspot/card/wanted': { good: atDoor('card/wanted', { contact: '1' }) },
  'POST /doors/hubspot/card/answer': {
    good: atDoor('card/answer', { contact: '1', question: 'q', decision: 'approve' }),
  },
  'POST /doors/hubspot/events': { good: { path: '/doors/hubspot/events', body: [] } },
  'POST /doors/hubspot/workflow': { good: atDoor('workflow', { callbackId: 'c' }) },
};
