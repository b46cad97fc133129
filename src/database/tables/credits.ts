import type { DueReason } from './contacts.ts';
import { bigint, contactId, integer, nullable, personal, table, text } from './table.ts';

/**
 * The state of a submission. A submission is open in the states `intended` and `lost`. For each service key, at most
 * `MAX_SLOTS` submissions are open.
 */
export type SubmissionState =
  | 'intended'
  | 'accepted'
  | 'refused'
  | 'lost'
  | 'not_charged'
  | 'charged';

/** The state of a job. If several contacts share a job's profile, each contact has its own row. */
export type JobState =
  /** The intent is saved on disk, and there is no response yet. */
  | 'intended'
  | 'processing'
  | 'completed'
  /** The job is done. A user has to decide whether the profile belongs to the contact. */
  | 'held'
  /** The profile was delivered, or the job ended for another reason. */
  | 'delivered'
  | 'failed'
  | 'vanished'
  /** The job cost nothing. The service rejected it, did not process it, or proved not to have charged it. */
  | 'unpaid'
  /** The job was charged, or donor-sync cannot prove that it was not charged. The service's job ID is unknown. */
  | 'lost';

/** The text that replaces the `crm_id` in the job of an erased contact. */
export const ERASED_ID = '';

/** The `balance_before` of a submission that is only in the journal and has no earlier reading. */
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
       * The balance of the enhancements bucket, or null if it is unknown. The balance is the last reading without open
       * submissions, minus all costs that became known later.
       */
      balance: nullable(bigint()),
      /** The time at which the balance was last read. */
      balance_read_at: nullable(bigint()),
      /**
       * A number that increases whenever a submission ends. This number shows whether a reading of the balance is
       * outdated.
       */
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
      /** The next free sending time (epoch µs by the database's clock). After a pause, this time is in the past. */
      next_at: bigint(),
    },
  ),
  /** The mappings, which define how contacts become people. Each row shows whether the mapping is accepted. */
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
      /** The time at which the mapping was accepted. Null during the trial. */
      accepted_at: nullable(bigint()),
      /** Whether a trial or a user accepted the mapping. Null during the trial. */
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
      /** The number of credits that the service has charged, as far as it is known. */
      charged: nullable(integer()),
      /**
       * The last reading without open submissions, minus later charges. This balance does not include submissions that
       * were open at the same time. `UNKNOWN_BALANCE` if there is no reading.
       */
      balance_before: bigint(),
      intended_at: bigint(),
      lost_at: nullable(bigint()),
      closed_at: nullable(bigint()),
      /** The mapping (`mappings.id`) with which the people's data was read. */
      mapping: text(),
      /** A number from 1 to `MAX_SLOTS`. Two open submissions never have the same number. */
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
       * The fingerprint of the service key and the person. The fingerprint is the same for all contacts and
       * integrations in which the key paid for the person.
       */
      person: personal(nullable(text())),
      /** The reason why the contact was submitted. */
      reason: personal(text<DueReason>()),
      state: text<JobState>(),
      job_id: personal(nullable(text())),
      /** 1 if the service recognised the person and the profile passed the guard, otherwise 0. */
      known: personal(nullable(integer())),
      answered_at: nullable(bigint()),
      /** The job whose credit paid for this profile. Null if this job itself was paid for. */
      shared_from: nullable(text()),
      submitted_at: bigint(),
      closed_at: nullable(bigint()),
    },
  ),
  /** Deleted jobs that cost a credit, added up. The contacts of these jobs were forgotten or have later jobs. */
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
   * Payments after the backup, from the spending journal. A row is deleted when the contact gets the job or a decision
   * about it is opened.
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
      /** The fingerprint of the contact's ID. The fingerprint gets a prefix after the payment is closed. */
      contact_fingerprint: personal(text()),
      /** The fingerprint of the submitted identity. */
      identity: personal(text()),
      /** The fingerprint of the key and the person. Null if the job is not shared. */
      person: personal(nullable(text())),
      /** The job's ID at the service. Null if the job's ID is unknown. */
      job_id: personal(nullable(text())),
      paid_at: bigint(),
    },
  ),
  /**
   * The credits of each day and month (UTC), which are added up when a run ends. Requests with an unknown cost count in
   * full.
   */
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
      /** The day or the month, for example `2026-11-22` or `2026-11`. */
      at: text(),
      enhancements: bigint(),
      networks: bigint(),
      /** Credits for queries by runs and users. */
      queries: bigint(),
      /** The number of contacts to which the runs of this day or month have written. */
      written: bigint(),
    },
  ),
  /** Queries that may cost credits. A row remains until the cost is known. */
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
  /** The costs of queries. Free queries have no row. */
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
