import type { DueReason } from './contacts.ts';
import { bigint, contactId, integer, nullable, personal, table, text } from './table.ts';

/**
 * The states `intended` and `lost` mean that the submission is open. At most `MAX_SLOTS` submissions per service key
 * are open.
 */
export type SubmissionState =
  | 'intended'
  | 'accepted'
  | 'refused'
  | 'lost'
  | 'not_charged'
  | 'charged';

/** Each contact that uses a job's profile has its own row. */
export type JobState =
  /** The intent is on disk, without a response. */
  | 'intended'
  | 'processing'
  | 'completed'
  /** The job is done. A user decides whether the profile belongs to the contact. */
  | 'held'
  /** The profile was delivered, or the job ended for another reason. */
  | 'delivered'
  | 'failed'
  | 'vanished'
  /** The job cost nothing. It was rejected, not processed, or settled as not charged. */
  | 'unpaid'
  /** The job was charged, or the opposite cannot be proved. The service's job ID is unknown. */
  | 'lost';

/** Replaces the `crm_id` of an erased contact's job. */
export const ERASED_ID = '';

/** The `balance_before` if only the journal has the submission and no earlier reading. */
export const UNKNOWN_BALANCE = 0;

export const CREDIT_TABLES = {
  partner_keys: table(
    {
      key: ['id'],
      whenClientErased: 'not of a client',
      exported: { not: 'of the service key, which clients share' },
      retention: null,
    },
    {
      /** The fingerprint of the base URL and the key. */
      id: text(),
      /**
       * The enhancements balance, or null if unknown. It comes from the last reading without open submissions. Later
       * known costs are subtracted.
       */
      balance: nullable(bigint()),
      /** When the balance was last requested. */
      balance_read_at: nullable(bigint()),
      /** Increases whenever a submission closes. Shows whether a reading is outdated. */
      spend_sequence: integer(),
    },
  ),
  /**
   * The pace of requests with a service key or to a CRM account, on Postgres. On SQLite, each process has its own pace.
   */
  paces: table(
    {
      key: ['id'],
      whenClientErased: 'not of a client',
      exported: { not: 'of the service key, which clients share' },
      retention: null,
    },
    {
      /** A key's fingerprint, or a hash of the limit and its account. */
      id: text(),
      /** The next free departure (epoch µs by the database's clock). After a pause, it is in the past. */
      next_at: bigint(),
    },
  ),
  /** How an integration's contacts become people, and whether this is accepted. */
  mappings: table(
    {
      key: ['integration_id', 'id'],
      whenClientErased: 'deleted',
      exported: { not: 'fingerprints' },
      retention: null,
    },
    {
      integration_id: text(),
      /** The fingerprint of the connector's kind, the identity columns and the mode. */
      id: text(),
      first_seen_at: bigint(),
      /** Null during the trial. */
      accepted_at: nullable(bigint()),
      /** The match rate or a user. Null during the trial. */
      accepted_by: nullable(text<'trial' | 'person'>()),
    },
  ),
  submissions: table(
    {
      key: ['id'],
      whenClientErased: 'counted',
      exported: {
        as: 'submissions',
        columns: ['id', 'run_id', 'state', 'persons', 'charged', 'intended_at', 'closed_at'],
      },
      retention: null,
    },
    {
      id: text(),
      integration_id: text(),
      run_id: text(),
      partner_key: text(),
      state: text<SubmissionState>(),
      persons: integer(),
      /** Credits that are known to be charged. */
      charged: nullable(integer()),
      /**
       * The last reading without open submissions, minus later charges. Excludes submissions that were open at the same
       * time. `UNKNOWN_BALANCE` without a reading.
       */
      balance_before: bigint(),
      intended_at: bigint(),
      lost_at: nullable(bigint()),
      closed_at: nullable(bigint()),
      /** The mapping (`mappings.id`) of its people. */
      mapping: text(),
      /** From 1 to `MAX_SLOTS`. Open submissions never share a slot. */
      slot: integer(),
    },
  ),
  jobs: table(
    {
      key: ['tracking_id'],
      whenClientErased: 'counted',
      exported: {
        as: 'jobs',
        columns: [
          'tracking_id',
          'submission_id',
          'crm_id',
          'reason',
          'state',
          'job_id',
          'shared_from',
          'submitted_at',
          'closed_at',
        ],
      },
      retention: null,
    },
    {
      tracking_id: personal(text()),
      submission_id: text(),
      integration_id: text(),
      crm_id: contactId({
        forget: 'otherwise',
        about: 'jobs',
        whenRemoved: { kept: 'what was paid' },
      }),
      identity: personal(text()),
      /**
       * The fingerprint of the key and the person. It is equal for all contacts and integrations in which the person
       * was paid for.
       */
      person: personal(nullable(text())),
      /** Why the contact was submitted. */
      reason: personal(text<DueReason>()),
      state: text<JobState>(),
      job_id: personal(nullable(text())),
      /** 1 if the service recognised the person and the profile passed the guard, otherwise 0. */
      known: personal(nullable(integer())),
      answered_at: nullable(bigint()),
      /** The job whose credit paid for this profile. Null if this job was paid for. */
      shared_from: nullable(text()),
      submitted_at: bigint(),
      closed_at: nullable(bigint()),
    },
  ),
  /** Deleted jobs that cost a credit, added up. Their contacts were forgotten or have later jobs. */
  closed_jobs: table(
    {
      key: ['partner_key', 'month', 'integration_id', 'reason'],
      whenClientErased: 'counted',
      exported: { not: 'sums of deleted rows, which name no contact' },
      retention: null,
    },
    {
      partner_key: text(),
      /** The month of the submission (UTC), such as `2026-11`. */
      month: text(),
      integration_id: text(),
      reason: text<DueReason>(),
      jobs: bigint(),
    },
  ),
  /**
   * Payments after the backup, from the spending journal. Deleted when the contact gets the job or a question about it
   * is opened.
   */
  recalled_payments: table(
    {
      key: ['tracking_id'],
      whenClientErased: 'deleted',
      exported: { not: 'fingerprints' },
      retention: null,
    },
    {
      tracking_id: personal(text()),
      submission_id: text(),
      integration_id: text(),
      /** Has a prefix after the payment is closed. */
      contact_fingerprint: personal(text()),
      /** The fingerprint of the submitted identity. */
      identity: personal(text()),
      /** Null if the job is not shared. */
      person: personal(nullable(text())),
      /** Null if the job is unknown. */
      job_id: personal(nullable(text())),
      paid_at: bigint(),
    },
  ),
  /** Credits per day or month (UTC), added up when a run ends. Unsettled credits count in full. */
  credit_spans: table(
    {
      key: ['integration_id', 'span', 'at'],
      whenClientErased: 'counted',
      exported: { not: 'sums of what is exported' },
      retention: null,
    },
    {
      integration_id: text(),
      span: text<'day' | 'month'>(),
      /** For example `2026-11-22` or `2026-11`. */
      at: text(),
      enhancements: bigint(),
      networks: bigint(),
      /** Credits for queries by runs and users. */
      queries: bigint(),
      /** Contacts that were written by the span's runs. */
      written: bigint(),
    },
  ),
  /** Queries that may cost credits. A row stays until the cost is known. */
  query_intents: table(
    {
      key: ['id'],
      whenClientErased: 'deleted',
      exported: { not: 'kept until the price is known' },
      retention: null,
    },
    {
      id: text(),
      integration_id: text(),
      run_id: text(),
      bucket: text(),
      credits: integer(),
      /** The last known balance before the query. */
      balance_before: bigint(),
      intended_at: bigint(),
    },
  ),
  /** Free queries have no row. */
  warm_path_costs: table(
    {
      key: ['run_id'],
      whenClientErased: 'deleted with its run',
      exported: { not: 'names no contact' },
      retention: null,
    },
    {
      run_id: text(),
      bucket: text(),
      credits: bigint(),
    },
  ),
};
