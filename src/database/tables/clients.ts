/** Clients (integrations in code), the data that starts their runs, and the data that connects them with their CRM. */
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
      /** The fingerprint of the CRM account that the contacts belong to. The first run sets it permanently. */
      crm_account: nullable(text()),
      /** Encrypted settings, for integrations whose settings are in the database instead of a file. */
      settings: nullable(sealed({ with: 'secret key', boundTo: ['id'] })),
      /** Increased across all rows whenever settings are applied or removed. 0 before that. */
      settings_version: withDefault(bigint()),
      /** The position at which the next reading starts. */
      cursor: nullable(text()),
      /**
       * The fingerprint of the settings with which the cursor was created. If they differ, reading starts from the
       * beginning.
       */
      cursor_scope: nullable(text()),
      /**
       * The start of the first run that read the contacts with the current `cursor_scope`. A contact that no
       * run has read since then is outside the filter. Null if the scope never changed.
       */
      scope_since: nullable(bigint()),
      /**
       * When a run last noticed that another tool writes to the CRM as the same user. Null if this was never noticed.
       */
      other_tool_at: nullable(bigint()),
      /** The fingerprint of the settings that define the list of contacts, when the list was last complete. */
      list_scope: nullable(text()),
      /**
       * JSON with the fingerprint of the columns setting, and the names of the identity sources that could ever be read
       * with it. Null before the first run.
       */
      identity_sources: personal(nullable(text())),
      /** Increased when a run starts. Each checkpoint checks it first. */
      run_epoch: integer(),
      lease_owner: nullable(text()),
      lease_until: nullable(bigint()),
      /** The run that was started last. Null before the first run. */
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
      /**
       * The cron expression and the time zone from which `next_run_at` was computed. If they change, it is
       * computed again.
       */
      rule: text(),
      /** Epoch milliseconds, or null if the expression never matches again. */
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
      /** How callers sign their calls: the kind of a CRM, or `hmac`. Null if they do not sign. */
      signature: nullable(text()),
      /** The encrypted secret with which they sign. */
      secret: nullable(sealed({ with: 'secret key', boundTo: ['integration_id'] })),
      created_at: bigint(),
      last_used_at: nullable(bigint()),
      /** How many contacts calls have named that the CRM does not have. */
      ignored_count: withDefault(bigint()),
      /** The time of the last call that requested something, by the database's clock. */
      called_at: withDefault(bigint()),
      /** Runs for further calls of a burst do not start before this time. 0 after a quiet time. */
      opens_at: withDefault(bigint()),
    },
  ),
  /** Signed calls that were accepted. They are kept until a repetition would be refused because of its age. */
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
  /** The responses to clicks at doors, so a repeated click gets the first response again. */
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
      /** The fingerprint of what was clicked. */
      request: text(),
      /** The response as JSON. It contains nothing about a person. */
      reply: text(),
      replied_at: bigint(),
    },
  ),
  /** The marks that count towards a limit of the day: of workflows, and of door tokens. Each counts once. */
  door_marks: table(
    {
      key: ['fingerprint'],
      whenClientErased: 'deleted first',
      exported: { not: 'fingerprints' },
      retention: null,
    },
    {
      /** Fingerprint of the client, the counter, and the execution or the click. */
      fingerprint: text(),
      integration_id: text(),
      /** What has the limit: `workflow`, or the ID of a door token. */
      counter: text(),
      marked_at: bigint(),
    },
  ),
  /** Tokens with which a CRM's own pages call a client's door. They have no role. */
  door_tokens: table(
    {
      key: ['id'],
      whenClientErased: 'deleted first',
      exported: { not: 'a secret, and what it is called by' },
      retention: null,
    },
    {
      id: text(),
      /** The name that its owner gave it. */
      name: personal(text()),
      integration_id: text(),
      /** The number of contacts that it may mark as wanted in a day (UTC). */
      per_day: integer(),
      /** SHA-256 of the token. */
      hash: text(),
      created_at: bigint(),
      last_used_at: nullable(bigint()),
    },
  ),
  /** Webhook calls with the same response. Only each integration's latest calls are kept. */
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
      /** The first and the last of these calls. */
      at: bigint(),
      last_at: bigint(),
      times: integer(),
      /** `accepted`, `repeated`, `other_account`, or a refusal's code. */
      answer: text(),
      /** How many contacts the last of these calls named. */
      contacts: integer(),
      /** The run that the call led to. Null if it led to none. */
      run_id: nullable(text()),
    },
  ),
  /** A user who is on the CRM's consent page. */
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
      /** `connected`, or the reason for the failure. Null until a user has returned. */
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
      /** The answers so far, including keys. They are encrypted. */
      draft: sealed({ with: 'secret key', boundTo: ['integration_id'] }),
      /** Increases with each change, so of two browsers the second one notices the change of the first. */
      version: bigint(),
      updated_at: bigint(),
    },
  ),
  /** A problem that users were notified of. There is one row per subject, which stays after the problem is over. */
  alerts: table(
    {
      key: ['integration_id', 'subject'],
      whenClientErased: 'deleted first',
      exported: { not: 'what users were notified of' },
      retention: null,
    },
    {
      integration_id: text(),
      /** The subject of the alert, for example `held` or `credits_low/enhancements`. */
      subject: text(),
      since: bigint(),
      /** When users were notified. Null until sending has succeeded. */
      told_at: nullable(bigint()),
      /** When the problem was over. Null while it lasts. */
      over_at: nullable(bigint()),
    },
  ),
  /**
   * The results of a client's runs in a past month. They are never stored for one run, because the sums of a run for
   * one contact would show that person's wealth. An erasure deletes the months in which the person may be counted.
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
      /** `2026-11`, in UTC. */
      month: text(),
      /** Encrypted JSON of the sums. */
      results: sealed({ with: 'secret key', boundTo: ['integration_id', 'month'] }),
    },
  ),
};
