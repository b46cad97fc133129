/** Service keys, and what credits were spent on. */
import type { DueReason } from './contacts.ts';
import { bigint, contactId, integer, nullable, personal, table, text } from './table.ts';

/** Where a submission stands; `intended` and `lost` are open, at most `MAX_SLOTS` of a partner key. */
export type SubmissionState =
  | 'intended'
  | 'accepted'
  | 'refused'
  | 'lost'
  | 'not_charged'
  | 'charged';

/** Where a job stands, one row for each contact that its profile is for. */
export type JobState =
  /** The submission's intent is on disk; no answer yet. */
  | 'intended'
  | 'processing'
  | 'completed'
  /** Done, and a person decides whether its profile is the contact's. */
  | 'held'
  /** Its profile is delivered, or its end is final in another way. */
  | 'delivered'
  | 'failed'
  | 'vanished'
  /** Not charged: refused, not processed, or settled so. */
  | 'unpaid'
  /** Charged or not provably unpaid, and its job id is unknown. */
  | 'lost';

/** `crm_id` of a job whose contact was erased. */
export const ERASED_ID = '';

export const CREDIT_TABLES = {
  partner_keys: table(
    {
      key: ['id'],
      whenClientErased: 'not of a client',
      exported: { not: 'of the service key, which clients share' },
      retention: null,
    },
    {
      /** Fingerprint of base URL and key. */
      id: text(),
      /**
       * Credits of the enhancements bucket: the last reading that was made with nothing of the key open, less
       * what was charged since by submissions that came to their end; null if unknown.
       */
      balance: nullable(bigint()),
      /** When the service was last asked for it. */
      balance_read_at: nullable(bigint()),
      /** Raised whenever a submission of the key closes, so that a reading can tell it is stale. */
      spend_sequence: integer(),
    },
  ),
  /** The pace of one partner key, or of one limit of a CRM account, on Postgres; on SQLite a process keeps it by itself. */
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
      /** When the next request may leave (epoch µs by the clock of the database); in the past after a rest. */
      next_at: bigint(),
    },
  ),
  /** A way of making persons of an integration's contacts, and whether its match rate is accepted. */
  mappings: table(
    {
      key: ['integration_id', 'id'],
      whenClientErased: 'deleted',
      exported: { not: 'fingerprints' },
      retention: null,
    },
    {
      integration_id: text(),
      /** Fingerprint of the connector's kind, identity columns and mode. */
      id: text(),
      first_seen_at: bigint(),
      /** When it became accepted (epoch ms); null while it is on trial. */
      accepted_at: nullable(bigint()),
      /** By its match rate, or by a user; null while it is on trial. */
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
      /** Credits charged, as far as is known. */
      charged: nullable(integer()),
      /**
       * The bucket's last reading with nothing of the key open, less what was charged since; submissions
       * that were open beside this one are not in it.
       */
      balance_before: bigint(),
      intended_at: bigint(),
      lost_at: nullable(bigint()),
      closed_at: nullable(bigint()),
      /** The mapping (`mappings.id`) that its persons were made by. */
      mapping: text(),
      /** From 1 to `MAX_SLOTS`, one submission in each while it is open. */
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
       * Fingerprint of partner key and person, the same wherever the same question was paid for; null
       * if the job is not shared.
       */
      person: personal(nullable(text())),
      /** Why the contact was submitted. */
      reason: personal(text<DueReason>()),
      state: text<JobState>(),
      job_id: personal(nullable(text())),
      /** 1 if the service knew the person (the profile passed the guard), 0 if not; null before. */
      known: personal(nullable(integer())),
      /** When that was settled (epoch ms). */
      answered_at: nullable(bigint()),
      /** Tracking id of the job whose credit brings this profile too; null if this one was paid for. */
      shared_from: nullable(text()),
      submitted_at: bigint(),
      closed_at: nullable(bigint()),
    },
  ),
  /** What was spent in a day or a month of UTC, added up when a run ends; what is not settled counts in full. */
  credit_spans: table(
    {
      key: ['integration_id', 'span', 'at'],
      whenClientErased: 'counted',
      exported: { not: 'sums of what is exported' },
      retention: null,
    },
    {
      /** The empty string for the sum of all. */
      integration_id: text(),
      span: text<'day' | 'month'>(),
      /** `2026-11-22` or `2026-11`. */
      at: text(),
      enhancements: bigint(),
      networks: bigint(),
      /** Contacts that runs begun then have written. */
      written: bigint(),
    },
  ),
  /** A query that costs credits, or may, and of which it is not known yet whether it did. */
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
      /** The bucket that it takes its credits from, as far as is known, and how many. */
      bucket: text(),
      credits: integer(),
      /** What the bucket held before it, as far as was known. */
      balance_before: bigint(),
      intended_at: bigint(),
    },
  ),
  /** What a run's queries for paths have cost; there is no row where they were free. */
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
