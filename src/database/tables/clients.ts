/** Clients (in code: integrations), what starts their runs, and what connects them with their CRM. */
import { bigint, integer, nullable, personal, sealed, table, text, withDefault } from './table.ts';

export const CLIENT_TABLES = {
  integrations: table(
    {
      key: ['id'],
      whenClientErased: 'cleared',
      exported: { not: 'exported as its settings' },
      retention: null,
    },
    {
      id: text(),
      /** Fingerprint of the CRM account that the contacts belong to; pinned by the first run. */
      crm_account: nullable(text()),
      /** Sealed settings, for integrations that live in the database instead of a file. */
      settings: nullable(sealed({ with: 'secret key', boundTo: ['id'] })),
      /** Raised over all rows whenever one's settings are applied or removed; 0 before. */
      settings_version: withDefault(bigint()),
      /** Where the next read starts. */
      cursor: nullable(text()),
      /** Fingerprint of what the cursor was made with; another one starts from the beginning. */
      cursor_scope: nullable(text()),
      /**
       * When the first run began that read the contacts by the present `cursor_scope`: a contact that none has read
       * since is outside the filter. Null if the scope never changed.
       */
      scope_since: nullable(bigint()),
      /** When a run last noticed that another tool writes into the CRM as the same user; null for never. */
      other_tool_at: nullable(bigint()),
      /** Fingerprint of the settings that make the list of contacts, as of the last list without missing contacts. */
      list_scope: nullable(text()),
      /**
       * JSON: the columns setting (a fingerprint) and the names of the identity sources that were ever
       * readable under it; null before the first run.
       */
      identity_sources: personal(nullable(text())),
      /** Raised when a run begins; each checkpoint checks it first. */
      run_epoch: integer(),
      lease_owner: nullable(text()),
      lease_until: nullable(bigint()),
      /** The run that began last; null before the first. */
      last_run: nullable(text()),
    },
  ),
  schedules: table(
    {
      key: ['integration_id'],
      whenClientErased: 'deleted first',
      exported: { not: 'in the settings' },
      retention: null,
    },
    {
      integration_id: text(),
      /** Cron line and time zone that `next_run_at` was computed from; another one computes it anew. */
      rule: text(),
      /** Epoch milliseconds; null if the rule never comes true again. */
      next_run_at: nullable(bigint()),
      /** 1 while a person has stopped it. */
      paused: integer(),
    },
  ),
  /** The webhook address of an integration. */
  hooks: table(
    {
      key: ['integration_id'],
      whenClientErased: 'deleted first',
      exported: { not: 'a secret, and what it is called by' },
      retention: null,
    },
    {
      integration_id: text(),
      /** SHA-256 of the token in the address. */
      token_hash: text(),
      /** How callers sign; null if they do not. */
      signature: nullable(text<'hubspot' | 'hmac'>()),
      /** The sealed secret that they sign with. */
      secret: nullable(sealed({ with: 'secret key', boundTo: ['integration_id'] })),
      created_at: bigint(),
      last_used_at: nullable(bigint()),
      /** Contacts that calls named and that its CRM does not have. */
      ignored_count: withDefault(bigint()),
      /** The last call that asked for something, by the clock of the database. */
      called_at: withDefault(bigint()),
      /** What further calls of a burst ask for does not begin before; 0 after a quiet time. */
      opens_at: withDefault(bigint()),
    },
  ),
  /** Signed calls that were taken, for as long as their age allows them to come again. */
  hook_receipts: table(
    {
      key: ['fingerprint'],
      whenClientErased: 'not of a client',
      exported: { not: 'fingerprints, for ten minutes' },
      retention: null,
    },
    {
      fingerprint: text(),
      received_at: bigint(),
    },
  ),
  /** Calls of a webhook that were answered alike, of each integration the last ones. */
  hook_calls: table(
    {
      key: ['id'],
      whenClientErased: 'deleted first',
      exported: { not: 'the last 50 calls, which name nobody' },
      retention: null,
    },
    {
      id: text(),
      integration_id: text(),
      /** The first of them, and the last one. */
      at: bigint(),
      last_at: bigint(),
      times: integer(),
      /** `accepted`, `repeated`, `other_account`, or the code of the refusal. */
      answer: text(),
      /** Contacts that the last of them named. */
      contacts: integer(),
      /** The run that answers; null if none does. */
      run_id: nullable(text()),
    },
  ),
  /** A person who is away at the CRM's consent page. */
  consents: table(
    {
      key: ['state_hash'],
      whenClientErased: 'deleted first',
      exported: { not: 'a secret, for ten minutes' },
      retention: null,
    },
    {
      /** SHA-256 of the state. */
      state_hash: text(),
      integration_id: text(),
      /** The sealed PKCE verifier. */
      verifier: sealed({ with: 'secret key', boundTo: ['state_hash', 'integration_id'] }),
      expires_at: bigint(),
      /** `connected`, or why not; null while no user has come back. */
      outcome: nullable(text()),
    },
  ),
  /** An integration that is being set up in a browser. */
  setup_drafts: table(
    {
      key: ['integration_id'],
      whenClientErased: 'deleted first',
      exported: { not: 'a draft, with keys in it' },
      retention: null,
    },
    {
      integration_id: text(),
      /** What was answered so far, keys among it, sealed. */
      draft: sealed({ with: 'secret key', boundTo: ['integration_id'] }),
      /** Grows with each change, so that of two browsers the second one learns of the first. */
      version: bigint(),
      updated_at: bigint(),
    },
  ),
  /** Something that people were notified of; one row of a subject, and it stays when it is over. */
  alerts: table(
    {
      key: ['integration_id', 'subject'],
      whenClientErased: 'deleted first',
      exported: { not: 'what users were notified of' },
      retention: null,
    },
    {
      integration_id: text(),
      /** What it is about, for example `held` or `credits_low/enhancements`. */
      subject: text(),
      since: bigint(),
      /** When people were notified; null while sending has not succeeded. */
      told_at: nullable(bigint()),
      /** When it was well again; null while it lasts. */
      over_at: nullable(bigint()),
    },
  ),
};
