/** The tables of clients (`integration` in code), of the triggers of their runs, and of their CRM connections. */
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
      /** The fingerprint of the CRM account. The first run of the client sets the account permanently. */
      crm_account: nullable(text()),
      /** Encrypted settings of a client without a settings file. */
      settings: nullable(sealed({ with: 'secret key', boundTo: ['id'] })),
      /** The number of the last change of the settings. The settings of all clients share this numbering. */
      settings_version: withDefault(bigint()),
      /** The position at which the next reading starts. */
      cursor: nullable(text()),
      /**
       * The last position before the current complete reading. If the complete reading is interrupted before it has a
       * position, the next reading reports the contacts that have left the CRM since this position. Null if all
       * contacts were never read again.
       */
      cursor_before: nullable(text()),
      /**
       * The fingerprint of the settings with which the cursor was created. If the settings change, reading starts from
       * the beginning.
       */
      cursor_scope: nullable(text()),
      /**
       * The start of the first run with the current scope (`cursor_scope`). Contacts that no run has read since then
       * are outside the filter.
       */
      scope_since: nullable(bigint()),
      /** The last time at which a run noticed that another tool uses the same CRM user. */
      other_tool_at: nullable(bigint()),
      /** The fingerprint of the settings with which the last complete list was read. */
      list_scope: nullable(text()),
      /**
       * JSON with the fingerprint of the columns and all identity fields that were ever readable. Null before the first
       * run.
       */
      identity_sources: personal(nullable(text())),
      /** A number that increases with each run. Each checkpoint first compares its run's number with this number. */
      run_epoch: integer(),
      lease_owner: nullable(text()),
      lease_until: nullable(bigint()),
      /** The run that started last. Null before the first run. */
      last_run: nullable(text()),
      /**
       * The number of contacts whose record has ended since they left the CRM. If they return, the database does not
       * know the donor IDs in their fields.
       */
      ended_contacts: withDefault(bigint()),
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
      /** The cron expression and the time zone of `next_run_at`. If they change, the time is computed again. */
      rule: text(),
      /** The time of the next run (epoch ms), or null if there is no further time. */
      next_run_at: nullable(bigint()),
      /** 1 while a user has paused the schedule. */
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
      /** The method with which callers sign: a CRM's kind, or `hmac`. */
      signature: nullable(text()),
      secret: nullable(sealed({ with: 'secret key', boundTo: ['integration_id'] })),
      created_at: bigint(),
      last_used_at: nullable(bigint()),
      /** The number of named contacts that the CRM does not contain. */
      ignored_count: withDefault(bigint()),
      /** The time of the last call that requested a run, by the database's clock. */
      called_at: withDefault(bigint()),
      /** The earliest start of the next run for this series of calls. 0 means that there is no series. */
      opens_at: withDefault(bigint()),
    },
  ),
  /** Accepted signed calls. A row remains until a repeated call would be too old anyway. */
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
  /** Responses to clicks in CRM pages. A repeated click gets the same response. */
  door_replies: table(
    {
      key: ['fingerprint'],
      whenClientErased: 'not of a client',
      exported: { not: 'fingerprints, for a day' },
      retention: null,
    },
    {
      /** The fingerprint of the CRM user and of the click's key. */
      fingerprint: text(),
      /** The fingerprint of the click. */
      request: text(),
      /** The response as JSON, which contains nothing about a person. */
      reply: text(),
      replied_at: bigint(),
    },
  ),
  /** Marks that count towards a daily limit. Each mark counts only once. */
  door_marks: table(
    {
      key: ['fingerprint'],
      whenClientErased: 'deleted first',
      exported: { not: 'fingerprints' },
      retention: null,
    },
    {
      /** The fingerprint of the client, the counter, and the workflow execution or click. */
      fingerprint: text(),
      integration_id: text(),
      /** The name of the counter: `workflow`, or the ID of a door token. */
      counter: text(),
      marked_at: bigint(),
    },
  ),
  /** Tokens that CRM pages use for a client. They have no role. */
  door_tokens: table(
    {
      key: ['id'],
      whenClientErased: 'deleted first',
      exported: { not: 'a secret, and what it is called by' },
      retention: null,
    },
    {
      id: text(),
      /** The name that its owner gave the token. */
      name: personal(text()),
      integration_id: text(),
      /** The maximum number of contacts that may be marked per day (UTC). */
      per_day: integer(),
      /** SHA-256 of the token. */
      hash: text(),
      created_at: bigint(),
      last_used_at: nullable(bigint()),
    },
  ),
  /** Only the latest webhook calls are kept. */
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
      /** The times of the first and the last call. */
      at: bigint(),
      last_at: bigint(),
      times: integer(),
      /** The result: `accepted`, `repeated`, `other_account`, or the code of a refusal. */
      answer: text(),
      /** The number of contacts that the last call named. */
      contacts: integer(),
      /** The run that the calls requested. Null if the calls requested no run. */
      run_id: nullable(text()),
    },
  ),
  /** A consent in progress, whose user is on the CRM's consent page. */
  consents: table(
    {
      key: ['state_hash'],
      whenClientErased: 'deleted first',
      exported: { not: 'a secret, for ten minutes' },
      retention: null,
    },
    {
      /** SHA-256 of the consent's state. */
      state_hash: text(),
      integration_id: text(),
      /** The encrypted PKCE verifier. */
      verifier: sealed({ with: 'secret key', boundTo: ['state_hash', 'integration_id'] }),
      expires_at: bigint(),
      /** `connected`, or the reason for the failure. */
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
      /** The encrypted answers, including keys. */
      draft: sealed({ with: 'secret key', boundTo: ['integration_id'] }),
      /** A number that increases with each change, so that changes by another browser are noticed. */
      version: bigint(),
      updated_at: bigint(),
    },
  ),
  /** The alerts. Each subject of an alert has one row, which remains after the problem has ended. */
  alerts: table(
    {
      key: ['integration_id', 'subject'],
      whenClientErased: 'deleted first',
      exported: { not: 'what users were notified of' },
      retention: null,
    },
    {
      integration_id: text(),
      /** The subject, for example `held` or `credits_low/enhancements`. */
      subject: text(),
      since: bigint(),
      /** The time at which the message was sent. Null until then. */
      told_at: nullable(bigint()),
      /** The time at which the problem ended. Null while it continues. */
      over_at: nullable(bigint()),
    },
  ),
  /**
   * A client's results in a past month. Results of a run for one contact would reveal the person's wealth, so results
   * are stored only for whole months. An erasure deletes the months that may include the person.
   */
  month_results: table(
    {
      key: ['integration_id', 'month'],
      whenClientErased: 'deleted',
      exported: { not: 'sums of what is exported' },
      retention: null,
    },
    {
      integration_id: text(),
      /** The month in UTC, such as `2026-11`. */
      month: text(),
      /** Encrypted JSON of the sums. */
      results: sealed({ with: 'secret key', boundTo: ['integration_id', 'month'] }),
    },
  ),
};
