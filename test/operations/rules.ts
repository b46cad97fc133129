/**
 * What each operation is allowed to be, written from the design and the guides, never from the operations themselves:
 * a wrong declaration has to fail. A new operation goes into this table first.
 */
import type { Role } from '../../src/core/role.ts';

export interface OperationRule {
  /** The lowest role that may ask for it over HTTP. */
  role: Role;
  /** `all`: only for callers who reach all clients. */
  reach: 'all' | 'some';
  /** `person`: never with an access token. */
  by: 'person' | 'person+token';
  /** True if a question comes first: what erases, undoes, revokes or removes. */
  asks: boolean;
  effect: 'reads' | 'changes' | 'acts';
  /** Its route, and its preview's where it asks. */
  route: string;
  /** What the audit records; none for what only reads. */
  audit?: string;
}

const ofOwners = { role: 'owner', reach: 'all' } as const;
const ofAdmins = { role: 'admin', reach: 'some', by: 'person+token' } as const;
const ofDeciders = { role: 'decider', reach: 'some', by: 'person+token' } as const;
const ofReaders = { role: 'reader', reach: 'some', by: 'person+token' } as const;
const ofViewers = { role: 'viewer', reach: 'some', by: 'person+token' } as const;

export const RULES: Readonly<Record<string, OperationRule>> = {
  audit: { ...ofAdmins, asks: false, effect: 'reads', route: 'GET /v1/audit' },
  'audit export': {
    ...ofAdmins,
    asks: false,
    effect: 'reads',
    route: 'GET /v1/audit/export',
    audit: 'audit.exported',
  },
  'audit verify': {
    ...ofAdmins,
    reach: 'all',
    asks: false,
    effect: 'reads',
    route: 'POST /v1/audit/verify',
  },
  status: {
    ...ofViewers,
    asks: false,
    effect: 'reads',
    route: 'GET /v1/integrations/:integration/status',
  },
  plan: {
    ...ofAdmins,
    asks: false,
    effect: 'acts',
    route: 'POST /v1/integrations/:integration/plan',
    audit: 'work.asked',
  },
  'clients connections': {
    ...ofAdmins,
    asks: false,
    effect: 'acts',
    route: 'GET /v1/connections',
  },
  'users list': {
    ...ofOwners,
    by: 'person+token',
    asks: false,
    effect: 'reads',
    route: 'GET /v1/users',
  },
  'users invite': {
    ...ofOwners,
    by: 'person',
    asks: false,
    effect: 'changes',
    route: 'POST /v1/users',
    audit: 'person.invited',
  },
  'users role': {
    ...ofOwners,
    by: 'person',
    asks: false,
    effect: 'changes',
    route: 'PUT /v1/users/:user/role',
    audit: 'person.changed',
  },
  'users link': {
    ...ofOwners,
    by: 'person',
    asks: false,
    effect: 'changes',
    route: 'POST /v1/users/:user/link',
    audit: 'person.invited',
  },
  'users disable': {
    ...ofOwners,
    by: 'person+token',
    asks: false,
    effect: 'changes',
    route: 'POST /v1/users/:user/disable',
    audit: 'person.changed',
  },
  'users enable': {
    ...ofOwners,
    by: 'person',
    asks: false,
    effect: 'changes',
    route: 'POST /v1/users/:user/enable',
    audit: 'person.changed',
  },
  'users sign-out': {
    ...ofOwners,
    by: 'person+token',
    asks: false,
    effect: 'changes',
    route: 'POST /v1/users/:user/sign-out',
    audit: 'session.ended',
  },
  'users remove': {
    ...ofOwners,
    by: 'person',
    asks: true,
    effect: 'changes',
    route: 'DELETE /v1/users/:user',
    audit: 'person.removed',
  },
  'users passkeys list': {
    ...ofOwners,
    by: 'person+token',
    asks: false,
    effect: 'reads',
    route: 'GET /v1/users/:user/passkeys',
  },
  'users passkeys remove': {
    ...ofOwners,
    by: 'person',
    asks: true,
    effect: 'changes',
    route: 'DELETE /v1/users/:user/passkeys/:passkey',
    audit: 'passkey.removed',
  },
  'tokens create': {
    ...ofOwners,
    by: 'person',
    asks: false,
    effect: 'changes',
    route: 'POST /v1/tokens',
    audit: 'token.made',
  },
  'tokens list': {
    ...ofOwners,
    by: 'person+token',
    asks: false,
    effect: 'reads',
    route: 'GET /v1/tokens',
  },
  'tokens revoke': {
    ...ofOwners,
    by: 'person+token',
    asks: true,
    effect: 'changes',
    route: 'DELETE /v1/tokens/:token',
    audit: 'token.revoked',
  },
  runs: { ...ofViewers, asks: false, effect: 'reads', route: 'GET /v1/runs' },
  'runs show': { ...ofViewers, asks: false, effect: 'reads', route: 'GET /v1/runs/:run' },
  'runs contacts': {
    ...ofViewers,
    asks: false,
    effect: 'reads',
    route: 'GET /v1/runs/:run/contacts',
  },
  'runs start': {
    ...ofAdmins,
    asks: false,
    effect: 'acts',
    route: 'POST /v1/integrations/:integration/runs',
    audit: 'run.asked',
  },
  erase: {
    ...ofOwners,
    by: 'person',
    asks: true,
    effect: 'acts',
    route: 'POST /v1/integrations/:integration/erase',
    audit: 'integration.erased',
  },
  'runs redeliver': {
    ...ofAdmins,
    asks: true,
    effect: 'acts',
    route: 'POST /v1/integrations/:integration/redelivery',
    audit: 'run.asked',
  },
  'runs redelivery': {
    ...ofAdmins,
    asks: false,
    effect: 'acts',
    route: 'POST /v1/integrations/:integration/redelivery/counts',
  },
  'runs retry': {
    ...ofAdmins,
    asks: false,
    effect: 'acts',
    route: 'POST /v1/runs/:run/retry',
    audit: 'run.asked',
  },
  // Stopping loses nothing, and the next run continues: no question comes first.
  stop: {
    ...ofAdmins,
    asks: false,
    effect: 'changes',
    route: 'POST /v1/runs/:run/stop',
    audit: 'run.stopped',
  },
  'clients list': {
    ...ofViewers,
    asks: false,
    effect: 'reads',
    route: 'GET /v1/integrations',
  },
  'clients show': {
    ...ofViewers,
    asks: false,
    effect: 'reads',
    route: 'GET /v1/integrations/:integration',
  },
  // It asks every CRM.
  'clients check': {
    ...ofAdmins,
    asks: false,
    effect: 'acts',
    route: 'POST /v1/clients/check',
    audit: 'work.asked',
  },
  // A host that a client sets is looked up before anything is stored.
  apply: {
    ...ofAdmins,
    asks: false,
    effect: 'acts',
    route: 'POST /v1/integrations',
    audit: 'settings.applied',
  },
  // The file that was uploaded in its set-up is deleted too.
  remove: {
    ...ofAdmins,
    asks: true,
    effect: 'acts',
    route: 'DELETE /v1/integrations/:integration',
    audit: 'settings.removed',
  },
  disconnect: {
    ...ofAdmins,
    asks: true,
    effect: 'acts',
    route: 'POST /v1/integrations/:integration/disconnect',
    audit: 'crm.disconnected',
  },
  'setups list': {
    ...ofAdmins,
    asks: false,
    effect: 'reads',
    route: 'GET /v1/setups',
  },
  'setups show': {
    ...ofAdmins,
    asks: false,
    effect: 'reads',
    route: 'GET /v1/setups/:setup',
  },
  // Both ask the CRM, with the rights of the client.
  'fields check': {
    ...ofAdmins,
    asks: false,
    effect: 'acts',
    route: 'GET /v1/integrations/:integration/fields',
  },
  'fields create': {
    ...ofAdmins,
    asks: false,
    effect: 'acts',
    route: 'POST /v1/integrations/:integration/fields',
  },
  doctor: {
    ...ofAdmins,
    asks: false,
    effect: 'acts',
    route: 'POST /v1/integrations/:integration/doctor',
  },
  undo: {
    role: 'admin',
    reach: 'some',
    by: 'person+token',
    asks: true,
    effect: 'acts',
    route: 'POST /v1/runs/:run/undo',
    audit: 'work.asked',
  },
  forget: {
    role: 'admin',
    reach: 'some',
    by: 'person',
    asks: true,
    effect: 'acts',
    route: 'POST /v1/integrations/:integration/contacts/:contact/forget',
    audit: 'work.asked',
  },
  'contacts show': {
    role: 'reader',
    reach: 'some',
    by: 'person+token',
    asks: false,
    effect: 'acts',
    route: 'POST /v1/integrations/:integration/contacts/:contact',
    audit: 'contact.shown',
  },
  about: {
    ...ofAdmins,
    asks: false,
    effect: 'acts',
    route: 'POST /v1/integrations/:integration/contacts/:contact/about',
    audit: 'contact.shown',
  },
  export: {
    ...ofAdmins,
    asks: false,
    effect: 'reads',
    route: 'GET /v1/integrations/:integration/settings',
  },
  approvals: {
    ...ofViewers,
    asks: false,
    effect: 'acts',
    route: 'GET /v1/approvals',
  },
  'approvals show': {
    ...ofViewers,
    asks: false,
    effect: 'acts',
    route: 'GET /v1/approvals/:approval',
  },
  'approvals confirm': {
    role: 'decider',
    reach: 'some',
    by: 'person+token',
    asks: false,
    effect: 'acts',
    route: 'POST /v1/approvals/:approval/confirm',
    audit: 'approval.confirmed',
  },
  'approvals refuse': {
    role: 'decider',
    reach: 'some',
    by: 'person+token',
    asks: false,
    effect: 'acts',
    route: 'POST /v1/approvals/:approval/refuse',
    audit: 'approval.refused',
  },
  holds: { ...ofViewers, asks: false, effect: 'reads', route: 'GET /v1/holds' },
  'holds names': {
    ...ofReaders,
    asks: false,
    effect: 'acts',
    route: 'POST /v1/holds/names',
    audit: 'names.shown',
  },
  'holds queue': { ...ofViewers, asks: false, effect: 'reads', route: 'GET /v1/decisions' },
  'holds approve': {
    ...ofDeciders,
    asks: false,
    effect: 'acts',
    route: 'POST /v1/holds/approve',
    audit: 'hold.decided',
  },
  'holds reject': {
    ...ofDeciders,
    asks: false,
    effect: 'acts',
    route: 'POST /v1/holds/reject',
    audit: 'hold.decided',
  },
  'holds resubmit': {
    ...ofDeciders,
    asks: false,
    effect: 'acts',
    route: 'POST /v1/holds/resubmit',
    audit: 'hold.decided',
  },
  'holds decide': {
    ...ofDeciders,
    asks: false,
    effect: 'acts',
    route: 'POST /v1/holds/:id/:decision',
    audit: 'hold.decided',
  },
  'holds batch': {
    ...ofDeciders,
    asks: false,
    effect: 'acts',
    route: 'POST /v1/holds/batches/:id/:decision',
    audit: 'batch.decided',
  },
  'holds answers': { ...ofViewers, asks: false, effect: 'reads', route: 'GET /v1/answers' },
  'holds withdraw': {
    ...ofDeciders,
    asks: false,
    effect: 'changes',
    route: 'POST /v1/answers/:answer/withdraw',
    audit: 'answer.withdrawn',
  },
  'holds all': {
    role: 'decider',
    reach: 'some',
    by: 'person+token',
    asks: true,
    effect: 'acts',
    route: 'POST /v1/integrations/:integration/decisions/:reason/:decision',
    audit: 'hold.decided',
  },
  'schedule list': {
    ...ofViewers,
    asks: false,
    effect: 'reads',
    route: 'GET /v1/schedules',
  },
  'schedule show': {
    ...ofViewers,
    asks: false,
    effect: 'reads',
    route: 'GET /v1/integrations/:integration/schedule',
  },
  'schedule pause': {
    ...ofAdmins,
    asks: false,
    effect: 'changes',
    route: 'POST /v1/integrations/:integration/schedule/pause',
    audit: 'schedule.paused',
  },
  'schedule resume': {
    ...ofAdmins,
    asks: false,
    effect: 'changes',
    route: 'POST /v1/integrations/:integration/schedule/resume',
    audit: 'schedule.resumed',
  },
  // Reading the balances is free, so every viewer may.
  credits: {
    ...ofViewers,
    asks: false,
    effect: 'acts',
    route: 'GET /v1/credits/keys',
  },
  'credits spent': {
    ...ofViewers,
    asks: false,
    effect: 'acts',
    route: 'GET /v1/credits',
  },
  'credits bill': {
    ...ofViewers,
    asks: false,
    effect: 'reads',
    route: 'GET /v1/credits/bill',
  },
  // A key may be shared with clients without access: its balance is about all of them.
  'credits reconcile': {
    ...ofViewers,
    reach: 'all',
    asks: false,
    effect: 'reads',
    route: 'GET /v1/credits/reconciliations/:month',
  },
  'hooks list': {
    ...ofAdmins,
    asks: false,
    effect: 'reads',
    route: 'GET /v1/webhooks',
  },
  'hooks show': {
    ...ofAdmins,
    asks: false,
    effect: 'reads',
    route: 'GET /v1/integrations/:integration/webhook',
  },
  'hooks create': {
    ...ofAdmins,
    asks: false,
    effect: 'changes',
    route: 'POST /v1/integrations/:integration/webhook',
    audit: 'hook.made',
  },
  'hooks rotate': {
    ...ofAdmins,
    asks: false,
    effect: 'changes',
    route: 'POST /v1/integrations/:integration/webhook/rotate',
    audit: 'hook.made',
  },
  'hooks revoke': {
    ...ofAdmins,
    asks: true,
    effect: 'changes',
    route: 'DELETE /v1/integrations/:integration/webhook',
    audit: 'hook.revoked',
  },
  'alerts list': {
    ...ofViewers,
    asks: false,
    effect: 'reads',
    route: 'GET /v1/alerts',
  },
  'alerts show': {
    ...ofViewers,
    asks: false,
    effect: 'reads',
    route: 'GET /v1/integrations/:integration/alerts',
  },
  'alerts test': {
    ...ofAdmins,
    reach: 'all',
    asks: false,
    effect: 'acts',
    route: 'POST /v1/alerts/test',
  },
  'alerts test-own': {
    ...ofAdmins,
    asks: false,
    effect: 'acts',
    route: 'POST /v1/integrations/:integration/alerts/test',
  },
  'alerts check': {
    ...ofAdmins,
    reach: 'all',
    asks: false,
    effect: 'acts',
    route: 'POST /v1/alerts/check',
  },
  networks: {
    ...ofViewers,
    asks: false,
    effect: 'reads',
    route: 'GET /v1/integrations/:integration/networks',
  },
  'networks introductions': {
    ...ofViewers,
    asks: false,
    effect: 'reads',
    route: 'GET /v1/integrations/:integration/network',
  },
  // The service can charge for queries, so the next four are for admins.
  'networks check': {
    ...ofAdmins,
    asks: false,
    effect: 'acts',
    route: 'POST /v1/integrations/:integration/networks/check',
  },
  'networks repair': {
    ...ofAdmins,
    asks: true,
    effect: 'acts',
    route: 'POST /v1/integrations/:integration/networks/repair',
  },
  prospects: {
    ...ofAdmins,
    asks: false,
    effect: 'acts',
    route: 'POST /v1/integrations/:integration/prospects',
    audit: 'names.shown',
  },
  paths: {
    ...ofAdmins,
    asks: false,
    effect: 'acts',
    route: 'POST /v1/integrations/:integration/contacts/:contact/paths',
    audit: 'names.shown',
  },
};
