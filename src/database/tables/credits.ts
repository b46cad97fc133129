/** Service keys, and the purposes for which credits were spent. */
import type { DueReason } from './contacts.ts';
import { bigint, contactId, integer, nullable, personal, table, text } from './table.ts';

/**
 * The state of a submission. `intended` and `lost` are open, and at most `MAX_SLOTS` submissions per service
 * key are open.
 */
export type SubmissionState =
  | 'intended'
  | 'accepted'
  | 'refused'
  | 'lost'
  | 'not_charged'
  | 'charged';

/** The state of a job. A job has one row for each contact that its profile is for. */
export type JobState =
  /** The submission's intent is on disk, and there is no response yet. */
  | 'intended'
  | 'processing'
  | 'completed'
  /** Done. A user decides whether its profile belongs to the contact. */
  | 'held'
  /** Its profile is delivered, or the job ended permanently in another way. */
  | 'delivered'
  | 'failed'
  | 'vanished'
  /** The job was not charged: it was rejected, not processed, or settled as not charged. */
  | 'unpaid'
  /** Charged or not provably unpaid. The job ID is unknown. */
  | 'lost';

/** The `crm_id` of a job whose contact was erased. */
export const ERASED_ID = '';

/**
 * The `balance_before` of a submission that is known only from the spending journal, if the journal has no earlier
 * reading.
 */
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
       * The credits in the enhancements bucket, or null if unknown. This is the last reading while none of the key's
       * submissions was open, minus the cost of submissions that were closed since.
       */
      balance: nullable(bigint()),
      /** When the balance was last requested from the service. */
      balance_read_at: nullable(bigint()),
      /** Increased whenever a submission of the key closes, so an outdated reading is noticed. */
      spend_sequence: integer(),
    },
  ),
  /**
   * The pace of a service key, or of a limit of a CRM account, on Postgres. On SQLite, each process has its own pace.
   */
  paces: table(
    {
      key: ['id'],
      whenClientErased: 'not of a client',
      exported: { not: 'of the service key, which clients share' },
      retention: null,
    },
    {
      /** The fingerprint of the key, or a hash of the limit and its account. */
      id: text(),
      /**
       * When the next request may be sent (epoch µs by the database's clock). After a pause, it is in the
       * past.
       */
      next_at: bigint(),
    },
  ),
  /** A mapping from an integration's contacts to people, and whether its match rate is accepted. */
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
      /** When the mapping was accepted (epoch ms). Null while it is on trial. */
      accepted_at: nullable(bigint()),
      /** Whether its match rate or a user has accepted the mapping. Null while it is on trial. */
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
      /** Credits charged, as far as known. */
      charged: nullable(integer()),
      /**
       * The last reading of the bucket while no submission with the key was open, minus the charges since
       * then. Submissions that were open at the same time are not included. `UNKNOWN_BALANCE` if there was no
       * reading.
       */
      balance_before: bigint(),
      intended_at: bigint(),
      lost_at: nullable(bigint()),
      closed_at: nullable(bigint()),
      /** The mapping (`mappings.id`) with which its people were created. */
      mapping: text(),
      /** From 1 to `MAX_SLOTS`. While a submission is open, no other has its slot. */
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
       * The fingerprint of service key and person, which is the same wherever the same person was paid for. Null if the
       * job is not shared.
       */
      person: personal(nullable(text())),
      /** Why the contact was submitted. */
      reason: personal(text<DueReason>()),
      state: text<JobState>(),
      job_id: personal(nullable(text())),
      /** 1 if the service recognised the person (the profile passed the guard), and 0 if not. Null until then. */
      known: personal(nullable(integer())),
      /** When the job was settled (epoch ms). */
      answered_at: nullable(bigint()),
      /** Tracking ID of the job whose credit also pays for this profile, or null if this job was itself paid for. */
      shared_from: nullable(text()),
      submitted_at: bigint(),
      closed_at: nullable(bigint()),
    },
  ),
  /**
   * Contacts that were paid for after the backup that was restored, according to the spending journal. A row ends when
   * its contact adopts the job or a decision about it is opened.
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
      /** The fingerprint of the contact's ID, with a mark in front once the contact no longer takes part. */
      contact_fingerprint: personal(text()),
      /** The fingerprint of the submitted identity. */
      identity: personal(text()),
      /** The fingerprint of the service key and the person, or null if the job is not shared. */
      person: personal(nullable(text())),
      /** Null if it is not known which job the credit started. */
      job_id: personal(nullable(text())),
      paid_at: bigint(),
    },
  ),
  /** Credits spent in a day or a month (UTC), added up when a run ends. Unsettled credits count in full. */
  credit_spans: table(
    {
      key: ['integration_id', 'span', 'at'],
      whenClientErased: 'counted',
      exported: { not: 'sums of what is exported' },
      retention: null,
    },
    {
      /** The integration. Empty for the sum of all integrations. */
      integration_id: text(),
      span: text<'day' | 'month'>(),
      /** `2026-11-22` or `2026-11`. */
      at: text(),
      enhancements: bigint(),
      networks: bigint(),
      /** Credits of any bucket for queries about connections, by runs and by hand. */
      queries: bigint(),
      /** Contacts written by the runs that started in that span. */
      written: bigint(),
    },
  ),
  /** A query that costs credits or may do so, until it is known whether it was charged. */
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
      /** The bucket from which it takes credits, as far as known, and their number. */
      bucket: text(),
      credits: integer(),
      /** The bucket's balance before the query, as far as known. */
      balance_before: bigint(),
      intended_at: bigint(),
    },
  ),
  /** The cost of a run's queries for paths. There is no row if they were free. */
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
