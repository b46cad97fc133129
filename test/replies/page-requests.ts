/** The recorded requests of browsers: pages and submitted forms. */

import { THIS_MONTH } from '../helpers/this-month.ts';
import { type Cases, type CaseTable, NOWHERE } from './requests.ts';

const post = (path: string, form: Readonly<Record<string, string>> = {}) => ({ path, form });

const page = (before: string, after = ''): Cases => ({
  good: { path: `${before}/riverside${after}` },
  'other client': { path: `${before}/harbor${after}` },
  unknown: { path: `${before}/nowhere${after}` },
});

const button = (before: string, after: string): Cases => ({
  good: post(`${before}/riverside${after}`),
  'other client': post(`${before}/harbor${after}`),
  unknown: post(`${before}/nowhere${after}`),
});

/** Returns the cases for a button that acts on a different object with an ID. */
const about = (before: string, id: string, after: string, nowhere = NOWHERE): Cases => ({
  good: post(`${before}/${id}${after}`),
  unknown: post(`${before}/${nowhere}${after}`),
});

const all = (word: string, clientId: string, reason: string) =>
  post(`/decisions/all/${word}?client=${clientId}&reason=${reason}&until=9999999999999`);

const allOf = (word: string): Cases => ({
  good: all(word, 'harbor', word === 'resubmit' ? 'lost_answer' : 'name_mismatch'),
  unknown: all(word, 'nowhere', 'name_mismatch'),
  'unknown reason': all(word, 'harbor', 'sleepy'),
  invalid: post(`/decisions/all/${word}`),
});

/** Returns requests that create or replace a client's webhook address. */
const webhook = (after: string): Cases => ({
  ...button('/clients', after),
  signed: post(`/clients/riverside${after}`, { signature: 'hmac' }),
  'other client, signed': post(`/clients/harbor${after}`, { signature: 'hmac' }),
  invalid: post(`/clients/riverside${after}`, { signature: 'wax' }),
});

/** Returns the cases of a button on a contact's page, without the additions from its preview. */
const contact = (after: string): Cases => ({
  good: post(`/clients/riverside/contacts/c001${after}`),
  'unknown contact': post(`/clients/riverside/contacts/nobody${after}`),
  unknown: post(`/clients/nowhere/contacts/c001${after}`),
});

const FILE = 'Donor ID,First Name,Last Name\n1,Ada,Vale\n';

const upload = (path: string, text: string) => ({
  path,
  text: [
    '--b',
    'Content-Disposition: form-data; name="file"; filename="donors.csv"',
    'Content-Type: text/csv',
    '',
    text,
    '--b--',
    '',
  ].join('\r\n'),
  headers: { 'content-type': 'multipart/form-data; boundary=b' },
});

export const PAGE_CASES: CaseTable = {
  'GET /assets/:file': {
    good: { path: '/assets/pages.css' },
    unknown: { path: '/assets/nowhere.css' },
  },
  'GET /sign-in': {
    good: { path: '/sign-in' },
    'to a page': { path: '/sign-in?to=/runs' },
    invalid: { path: '/sign-in?to=//elsewhere.example' },
  },
  'POST /sign-in': {
    good: post('/sign-in', { email: 'viewer@example.org', password: 'three blue herons' }),
    'wrong password': post('/sign-in', { email: 'viewer@example.org', password: 'wrong' }),
    unknown: post('/sign-in', { email: 'nobody@example.org', password: 'wrong' }),
    'unknown token': post('/sign-in', { token: 'dst_wrong' }),
    invalid: post('/sign-in'),
  },
  'POST /sign-out': { good: post('/sign-out') },
  'GET /first-visit': { good: { path: '/first-visit' } },
  'POST /first-visit': {
    good: post('/first-visit', {
      ...{ name: 'Anna', email: 'anna@example.org', fresh: 'four grey geese' },
    }),
  },
  'GET /first-visit/:secret': { good: { path: '/first-visit/abc' } },
  'POST /first-visit/:secret': { good: post('/first-visit/abc') },
  'GET /sign-in/state': { good: { path: '/sign-in/state?form=/users' } },
  'GET /sign-in/provider': { good: { path: '/sign-in/provider' } },
  'GET /sign-in/provider/callback': { good: { path: '/sign-in/provider/callback' } },
  'GET /join/:secret': {
    good: { path: '/join/{invitation}' },
    unknown: { path: '/join/nowhere' },
  },
  'POST /join/:secret': {
    good: post('/join/{invitation}', { fresh: 'four grey geese' }),
    unknown: post('/join/nowhere', { fresh: 'four grey geese' }),
    invalid: post('/join/{invitation}', { fresh: 'x' }),
  },

  'GET /account': { good: { path: '/account' }, note: { path: '/account?note=password' } },
  'POST /account/password': {
    good: post('/account/password', { old: 'three blue herons', fresh: 'four grey geese' }),
    'wrong password': post('/account/password', { old: 'wrong', fresh: 'four grey geese' }),
    invalid: post('/account/password', { old: 'three blue herons', fresh: 'x' }),
  },
  'POST /account/proof': {
    good: post('/account/proof', { password: 'three blue herons' }),
    invalid: post('/account/proof', { password: 'wrong' }),
  },
  'POST /account/passkeys': {
    good: post('/account/passkeys', { name: 'My phone', response: '{}', way: 'x' }),
    invalid: post('/account/passkeys'),
  },
  'POST /account/passkeys/:id/remove': { good: post('/account/passkeys/nowhere/remove') },
  'POST /account/sessions/:id/end': { good: post('/account/sessions/nowhere/end') },
  'POST /account/links/:link/end': {
    good: post('/account/links/0191/end'),
    unknown: post('/account/links/nowhere/end'),
  },
  'GET /link/:secret': { good: { path: '/link/abc' }, unknown: { path: '/link/nowhere' } },
  'POST /link/:secret': { good: post('/link/abc'), unknown: post('/link/nowhere') },
  'POST /account/sign-out-everywhere': { good: post('/account/sign-out-everywhere') },

  'GET /address': { good: { path: '/address' } },
  'POST /address': {
    good: post('/address', { url: 'https://donors.example.org' }),
    invalid: post('/address', { url: '' }),
  },
  'GET /confirm-address/:secret': {
    good: { path: '/confirm-address/abc' },
    unknown: { path: '/confirm-address/nowhere' },
  },
  'POST /confirm-address/:secret': {
    good: post('/confirm-address/abc'),
    unknown: post('/confirm-address/nowhere'),
  },

  'POST /account/mails/:kind': {
    good: post('/account/mails/results', { state: 'on' }),
    unknown: post('/account/mails/nothing', { state: 'on' }),
    invalid: post('/account/mails/results', { state: 'perhaps' }),
  },
  'GET /account/mails/confirm': { good: { path: '/account/mails/confirm?code=abc' } },
  'POST /account/mails-confirmed': {
    good: post('/account/mails-confirmed', { code: 'abc' }),
    invalid: post('/account/mails-confirmed', { code: '' }),
  },
  'GET /stop-mails/:secret': {
    good: { path: '/stop-mails/results.someone.proof' },
    unknown: { path: '/stop-mails/nowhere' },
  },
  'POST /stop-mails/:secret': {
    good: post('/stop-mails/results.someone.proof'),
    unknown: post('/stop-mails/nowhere'),
  },

  'GET /users': { good: { path: '/users' }, note: { path: '/users?note=changed' } },
  'POST /users': {
    good: post('/users', {
      ...{ name: 'Nora', email: 'nora@example.org', role: 'viewer', reach: 'all' },
    }),
    'known address': post('/users', {
      ...{ name: 'Zoe', email: 'zoe@example.org', role: 'viewer', reach: 'all' },
    }),
    unknown: post('/users', {
      ...{ name: 'Nora', email: 'nora@example.org', role: 'viewer' },
      ...{ reach: 'some', ids: 'nowhere' },
    }),
    invalid: post('/users', { name: '', email: 'nora', role: 'queen' }),
    'invalid name': post('/users', {
      ...{ name: '', email: 'nora@example.org', role: 'viewer', reach: 'all' },
    }),
    'invalid address': post('/users', {
      ...{ name: 'Nora', email: 'nora', role: 'viewer', reach: 'all' },
    }),
  },
  'POST /users/:user/link': about('/users', '{invited}', '/link'),
  'POST /users/:user/role': {
    good: post('/users/{user viewer}/role', { role: 'decider', reach: 'all' }),
    'last owner': post('/users/{user owner}/role', { role: 'viewer', reach: 'all' }),
    unknown: post(`/users/${NOWHERE}/role`, { role: 'decider', reach: 'all' }),
    invalid: post('/users/{user viewer}/role', { role: 'queen' }),
  },
  'POST /users/:user/disable': {
    ...about('/users', '{user viewer}', '/disable'),
    'last owner': post('/users/{user owner}/disable'),
  },
  'POST /users/:user/enable': about('/users', '{user viewer}', '/enable'),
  'POST /users/:user/passkeys/:passkey/remove': about(
    '/users',
    '{user viewer}',
    '/passkeys/nowhere/remove',
  ),
  'POST /users/:user/remove': {
    ...about('/users', '{user viewer}', '/remove'),
    'last owner': post('/users/{user owner}/remove'),
  },
  'POST /users/:user/sign-out': about('/users', '{user viewer}', '/sign-out'),
  'POST /door-tokens': {
    good: post('/door-tokens', { name: 'Salesforce', integration: 'riverside', perDay: '100' }),
    unknown: post('/door-tokens', { name: 'Salesforce', integration: 'nowhere', perDay: '100' }),
    invalid: post('/door-tokens', { name: '', integration: 'riverside', perDay: 'many' }),
  },
  'POST /tokens': {
    good: post('/tokens', { name: 'Reports', role: 'viewer', reach: 'all' }),
    'limited owner': post('/tokens', {
      ...{ name: 'Reports', role: 'owner', reach: 'some', ids: 'harbor' },
    }),
    invalid: post('/tokens', { name: '', role: 'queen' }),
    'invalid name': post('/tokens', { name: '', role: 'viewer', reach: 'all' }),
    unknown: post('/tokens', { name: 'Reports', role: 'viewer', reach: 'some', ids: 'nowhere' }),
  },
  'POST /tokens/:token/revoke': about('/tokens', 'token-viewer', '/revoke', 'nowhere'),

  'GET /': { good: { path: '/' }, find: { path: '/?q=zzzz' }, note: { path: '/?note=sync' } },
  'GET /introductions': { good: { path: '/introductions' } },
  'GET /introductions/:integration': {
    good: { path: '/introductions/riverside' },
    filtered: { path: '/introductions/riverside?capacity=100k&mine=1' },
    unknown: { path: '/introductions/nowhere' },
  },
  'POST /introductions/:integration/csv': {
    good: post('/introductions/riverside/csv'),
    unknown: post('/introductions/nowhere/csv'),
  },
  'POST /introductions/:integration/listed/:contact': {
    good: post('/introductions/riverside/listed/c001'),
    'unknown contact': post('/introductions/riverside/listed/nobody'),
    unknown: post('/introductions/nowhere/listed/c001'),
  },
  'POST /introductions/:integration/listed/:contact/remove': {
    good: post('/introductions/riverside/listed/c001/remove'),
    'unknown contact': post('/introductions/riverside/listed/nobody/remove'),
    unknown: post('/introductions/nowhere/listed/c001/remove'),
  },
  'GET /results': {
    good: { path: `/results?month=${THIS_MONTH}` },
    'other client': { path: `/results?month=${THIS_MONTH}&client=harbor` },
    unknown: { path: '/results?client=nowhere' },
    invalid: { path: '/results?month=soon' },
  },
  'GET /credits': {
    good: { path: '/credits' },
    'other client': { path: '/credits?client=harbor' },
    unknown: { path: '/credits?client=nowhere' },
    invalid: { path: '/credits?days=5&month=soon' },
  },
  'GET /credits/bill': {
    good: { path: `/credits/bill?month=${THIS_MONTH}` },
    invalid: { path: '/credits/bill?month=soon' },
  },
  'GET /clients/:id': page('/clients'),
  'GET /runs': {
    good: { path: '/runs' },
    'other client': { path: '/runs?client=harbor' },
    unknown: { path: '/runs?client=nowhere' },
    invalid: { path: '/runs?status=sleepy&cursor=abc' },
  },
  'GET /runs/:id': {
    good: { path: '/runs/{run}' },
    stopped: { path: '/runs/{run stopped}' },
    queued: { path: '/runs/{run queued}' },
    unknown: { path: `/runs/${NOWHERE}` },
    'not an id': { path: '/runs/nowhere' },
    invalid: { path: '/runs/{run}?outcome=sleepy&reason=sleepy' },
  },
  'GET /runs/:id/changes': {
    good: { path: '/runs/{run}/changes?contact=c001' },
    'unknown contact': { path: '/runs/{run}/changes?contact=nowhere' },
    unknown: { path: `/runs/${NOWHERE}/changes?contact=c001` },
    invalid: { path: '/runs/{run}/changes' },
  },
  'POST /runs/:run/stop': {
    ...about('/runs', '{run queued}', '/stop'),
    finished: post('/runs/{run}/stop'),
  },
  'POST /runs/:run/undo/preview': {
    ...about('/runs', '{run}', '/undo/preview'),
    'nothing written': post('/runs/{run stopped}/undo/preview'),
  },
  'POST /runs/:run/undo': {
    ...about('/runs', '{run held}', '/undo'),
    'waits already': post('/runs/{run}/undo'),
    'nothing written': post('/runs/{run stopped}/undo'),
  },
  'POST /runs/:run/retry': {
    ...about('/runs', '{run stopped}', '/retry'),
    succeeded: post('/runs/{run}/retry'),
  },
  'POST /integrations/:integration/pause': button('/integrations', '/pause'),
  'POST /integrations/:integration/resume': button('/integrations', '/resume'),
  'POST /integrations/:id/sync': {
    ...button('/integrations', '/sync'),
    'from another site': {
      ...post('/integrations/riverside/sync'),
      headers: { origin: 'https://elsewhere.example' },
    },
  },
  'POST /integrations/:id/accept-match-rate': button('/integrations', '/accept-match-rate'),
  'POST /integrations/:id/accept-marks': button('/integrations', '/accept-marks'),
  'GET /integrations/:id/persons': page('/integrations', '/persons'),
  'GET /audit': {
    good: { path: '/audit' },
    'other client': { path: '/audit?client=harbor' },
    unknown: { path: '/audit?client=nowhere' },
    invalid: { path: '/audit?action=sleepy&from=soon&before=abc' },
    'unknown filter': { path: '/audit?since=soon' },
  },
  'GET /audit/csv': {
    good: { path: '/audit/csv?action=run.asked' },
    unknown: { path: '/audit/csv?client=nowhere' },
    invalid: { path: '/audit/csv?action=sleepy&from=soon' },
    'unknown filter': { path: '/audit/csv?limit=2' },
  },
  'POST /audit/verify': { good: post('/audit/verify') },

  'GET /clients/:id/webhooks': page('/clients', '/webhooks'),
  'POST /clients/:integration/webhooks': webhook('/webhooks'),
  'POST /clients/:integration/webhooks/rotate': webhook('/webhooks/rotate'),
  'POST /clients/:integration/webhooks/revoke': button('/clients', '/webhooks/revoke'),
  'GET /clients/:id/schedule': {
    ...page('/clients', '/schedule'),
    invalid: { path: '/clients/riverside/schedule?rhythm=cron&cron=soon&timezone=Mars' },
  },
  'POST /clients/:id/schedule': {
    good: post('/clients/meadow/schedule', { rhythm: 'daily', time: '04:00', timezone: 'UTC' }),
    'of the file': post('/clients/riverside/schedule', { rhythm: 'daily' }),
    'other client': post('/clients/harbor/schedule', { rhythm: 'daily' }),
    unknown: post('/clients/nowhere/schedule', { rhythm: 'daily' }),
    invalid: post('/clients/meadow/schedule', { rhythm: 'cron', cron: 'soon', timezone: 'Mars' }),
  },
  'POST /clients/:integration/schedule/pause': button('/clients', '/schedule/pause'),
  'POST /clients/:integration/schedule/resume': button('/clients', '/schedule/resume'),
  'GET /clients/:id/contacts': page('/clients', '/contacts'),
  'POST /clients/:integration/contacts': {
    good: post('/clients/riverside/contacts', { text: 'mar' }),
    unknown: post('/clients/nowhere/contacts', { text: 'mar' }),
    invalid: post('/clients/riverside/contacts'),
  },
  'GET /clients/:id/contacts/:contact': {
    good: { path: '/clients/riverside/contacts/c001' },
    'unknown contact': { path: '/clients/riverside/contacts/nobody' },
    unknown: { path: '/clients/nowhere/contacts/c001' },
  },
  'POST /clients/:integration/contacts/:contact/plan': contact('/plan'),
  'POST /clients/:integration/contacts/:contact/enhance': contact('/enhance'),
  'POST /clients/:integration/contacts/:contact/redelivery/preview': contact('/redelivery/preview'),
  'POST /clients/:integration/contacts/:contact/redelivery': contact('/redelivery'),
  'POST /clients/:integration/contacts/:contact/forget/preview': contact('/forget/preview'),
  'POST /clients/:integration/contacts/:contact/forget': contact('/forget'),
  'GET /clients/:id/alerts': page('/clients', '/alerts'),
  'POST /clients/:id/alerts/test': button('/clients', '/alerts/test'),
  'GET /clients/:id/fields': {
    ...page('/clients', '/fields'),
    'not connected': { path: '/clients/hillside/fields' },
  },
  'POST /clients/:integration/fields/create': {
    ...button('/clients', '/fields/create'),
    'not connected': post('/clients/hillside/fields/create'),
  },
  'GET /clients/:id/doctor': page('/clients', '/doctor'),
  'POST /clients/:integration/doctor': button('/clients', '/doctor'),

  'GET /setup': { good: { path: '/setup' }, note: { path: '/setup?note=dropped' } },
  'POST /setup': { good: post('/setup', { name: 'Hillcrest School' }), invalid: post('/setup') },
  'GET /setup/:id': {
    good: { path: '/setup/{setup}' },
    'of the file': { path: '/setup/riverside' },
    'of the database': { path: '/setup/meadow' },
    unknown: { path: '/setup/nowhere' },
  },
  'GET /setup/:id/leave': {
    good: { path: '/setup/{setup}/leave' },
    unknown: { path: '/setup/nowhere/leave' },
  },
  'GET /setup/:id/results': {
    good: { path: '/setup/{setup}/results' },
    'of the database': { path: '/setup/meadow/results' },
    unknown: { path: '/setup/nowhere/results' },
  },
  'GET /setup/:id/:step': {
    good: { path: '/setup/{setup}/crm' },
    early: { path: '/setup/{setup}/schedule' },
    'of the file': { path: '/setup/riverside/schedule' },
    unknown: { path: '/setup/nowhere/schedule' },
    invalid: { path: '/setup/{setup}/dance' },
  },
  'POST /setup/:id/:step': {
    good: post('/setup/{setup}/key', { baseUrl: '{service}', apiKey: '{service key}' }),
    'wrong key': post('/setup/{setup}/key', { baseUrl: '{service}', apiKey: 'pk_wrong' }),
    early: post('/setup/{setup}/schedule', { rhythm: 'weekly' }),
    unknown: post('/setup/nowhere/key'),
    invalid: post('/setup/{setup}/key'),
    'unknown step': post('/setup/{setup}/dance'),
  },
  'POST /setup/:id/change': {
    good: post('/setup/meadow/change'),
    'of the file': post('/setup/riverside/change'),
    unknown: post('/setup/nowhere/change'),
  },
  'POST /setup/:id/drop': about('/setup', '{setup}', '/drop', 'nowhere'),
  'POST /setup/:id/file': {
    good: upload('/setup/{setup}/file', FILE),
    unknown: upload('/setup/nowhere/file', FILE),
    invalid: upload('/setup/{setup}/file', ''),
  },
  'POST /setup/:id/preview': {
    good: { path: '/setup/{setup}/preview', text: FILE },
    unknown: { path: '/setup/nowhere/preview', text: FILE },
    invalid: { path: '/setup/{setup}/preview', text: '' },
  },

  'GET /decisions': {
    good: { path: '/decisions' },
    'other client': { path: '/decisions?client=harbor' },
    unknown: { path: '/decisions?client=nowhere' },
    invalid: { path: '/decisions?after=abc' },
    note: { path: '/decisions?note=too-late' },
  },
  'GET /decisions/:id': {
    good: { path: '/decisions/{hold mismatch}' },
    decided: { path: '/decisions/{hold decided}' },
    unknown: { path: `/decisions/${NOWHERE}` },
  },
  'GET /decisions/batches/:id': {
    good: { path: '/decisions/batches/{batch}' },
    unknown: { path: `/decisions/batches/${NOWHERE}` },
  },
  'POST /decisions/:id/approve': {
    ...about('/decisions', '{hold mismatch}', '/approve'),
    'without a profile': post('/decisions/{hold lost}/approve'),
    decided: post('/decisions/{hold decided}/approve'),
  },
  'POST /decisions/:id/reject': {
    ...about('/decisions', '{hold mismatch}', '/reject'),
    decided: post('/decisions/{hold decided}/reject'),
  },
  'POST /decisions/:id/resubmit': {
    ...about('/decisions', '{hold lost}', '/resubmit'),
    'in a batch': post('/decisions/{hold in batch}/resubmit'),
  },
  'POST /decisions/all/approve': allOf('approve'),
  'POST /decisions/all/reject': allOf('reject'),
  'POST /decisions/all/resubmit': allOf('resubmit'),
  'POST /decisions/batches/:id/approve': about(
    '/decisions/batches',
    '{batch}',
    '/approve?until=9999999999999',
  ),
  'POST /decisions/batches/:id/reject': about(
    '/decisions/batches',
    '{batch}',
    '/reject?until=9999999999999',
  ),
  'POST /decisions/approvals/:approval/confirm': {
    ...about('/decisions/approvals', '{approval}', '/confirm'),
    undo: post('/decisions/approvals/{approval undo}/confirm'),
  },
  'POST /decisions/approvals/:approval/refuse': {
    ...about('/decisions/approvals', '{approval}', '/refuse'),
    undo: post('/decisions/approvals/{approval undo}/refuse'),
  },
  'POST /decisions/answers/:answer/withdraw': {
    good: post('/decisions/answers/nowhere/withdraw'),
  },

  'GET /networks': { good: { path: '/networks' } },
  'GET /networks/:id': {
    ...page('/networks'),
    invalid: { path: '/networks/riverside?sort=sleepy&from=abc' },
  },
  'GET /networks/:id/picture': page('/networks', '/picture'),
  'GET /networks/:id/paths.csv': page('/networks', '/paths.csv'),
  'POST /networks/:integration/who': button('/networks', '/who'),
  'POST /networks/:integration/check': button('/networks', '/check'),
  'POST /networks/:integration/prospects': button('/networks', '/prospects'),
  'POST /networks/:integration/repair': button('/networks', '/repair'),
};
