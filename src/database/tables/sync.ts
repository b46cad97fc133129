/** Runs, their effects on contacts, and requested runs. */
import type { Trigger } from '../../core/run.ts';
import {
  bigint,
  contactId,
  integer,
  nullable,
  personal,
  sealed,
  table,
  text,
  withDefault,
} from './table.ts';

export const SYNC_TABLES = {
  runs: table(
    {
      key: ['id'],
      whenClientErased: 'deleted with its run',
      exported: {
        as: 'runs',
        columns: [
          'id',
          'trigger',
          'contact',
          'status',
          'reason_code',
          'started_at',
          'finished_at',
          'read_count',
          'chosen_count',
          'submitted_count',
          'enhanced_count',
          'spent_enhancements',
        ],
      },
      retention: 'outcomes',
    },
    {
      id: text(),
      integration_id: text(),
      epoch: integer(),
      trigger: text(),
      /** The contact's ID in the CRM. Empty for all contacts, `*` for several, and null if it is no longer known. */
      contact: nullable(
        contactId({
          forget: 'otherwise',
          about: 'runsAsked',
          whenRemoved: { kept: '`retention.outcomes`' },
        }),
      ),
      /** 1 if everything is read again. */
      full: integer(),
      status: text(),
      reason_code: nullable(text()),
      reason_message: nullable(text()),
      started_at: bigint(),
      finished_at: nullable(bigint()),
      read_count: integer(),
      chosen_count: integer(),
      submitted_count: integer(),
      enhanced_count: integer(),
      /** Contacts that needed no credit, because they used the same person's job. */
      shared_count: integer(),
      spent_enhancements: integer(),
      /** Contacts that were fresh and therefore have no `run_rows`. Null until the rows are written. */
      fresh_count: nullable(integer()),
      /** The finished report as JSON. */
      report: nullable(text()),
      /**
       * The time at which a user requested the stop of the run, or null if no user has requested it. It applies to this
       * run, whichever process runs it.
       */
      stop_asked_at: nullable(bigint()),
      /** JSON with the number of contacts by reason, without fresh contacts. Null until `run_rows` are written. */
      reasons: nullable(text()),
      /**
       * Data that only the run's process knows, as JSON (`RunFacts`). It is stored every few seconds while
       * the process runs.
       */
      facts: nullable(text()),
      /** When values that the run wrote were last restored, or null if never. */
      undone_at: nullable(bigint()),
      /** The number of values that were restored, by all undos of the run together. */
      undone_values: integer(),
      /** How many contacts had every value of the run restored. */
      undone_contacts: integer(),
      /** The number of values that the last undo left alone, because they had changed since the run. */
      undone_kept: integer(),
    },
  ),
  /** The user who undid a run. It is apart from the run, whose contact can be erased. */
  run_undos: table(
    {
      key: ['run_id'],
      whenClientErased: 'deleted with its run',
      exported: { not: 'of a user' },
      retention: null,
    },
    {
      run_id: text(),
      /** The user's name, encrypted. */
      author: sealed({ with: 'secret key', boundTo: ['run_id'] }),
    },
  ),
  /** The result of a finished run for a contact. `retention.runRows` defines how long it is kept. */
  run_rows: table(
    {
      key: ['run_id', 'place', 'crm_id'],
      whenClientErased: 'deleted with its run',
      exported: {
        as: 'run-contacts',
        columns: ['run_id', 'crm_id', 'reason', 'detail', 'at'],
        sortedBy: ['run_id', 'crm_id'],
      },
      retention: 'runRows',
    },
    {
      run_id: text(),
      /** Rank of the outcome among all outcomes (`OUTCOME_ORDER`), so contacts that need a user are listed first. */
      place: integer(),
      crm_id: contactId({
        forget: 'otherwise',
        about: 'runRows',
        whenRemoved: { kept: 'deleted there on its own, after the run' },
      }),
      reason: personal(text()),
      /** Details of the reason, without personal data. */
      detail: personal(nullable(text())),
      at: bigint(),
    },
  ),
  /**
   * A requested run. It waits until `left_at`. For each integration and contact only one request waits, however often
   * it is made. After its run has started, the request stays until the run has ended, so an interrupted run is not
   * forgotten.
   */
  run_requests: table(
    {
      key: ['run_id'],
      whenClientErased: 'deleted first',
      exported: { not: 'kept until the run starts' },
      retention: null,
    },
    {
      /** The ID that the run will have. */
      run_id: text(),
      integration_id: text(),
      /** The contact's ID in the CRM, or the empty string for all contacts. */
      contact: contactId({
        forget: 'otherwise',
        about: 'runsAsked',
        whenRemoved: { kept: 'until the run starts' },
      }),
      trigger: text<Trigger>(),
      /** 1 if everything is to be read again. */
      full: integer(),
      requested_at: bigint(),
      /** How often it was requested. */
      times: integer(),
      /** How many runs for this request were interrupted. */
      resumed: integer(),
      /**
       * When the request left the queue, because its run started or another request absorbed it. Null while it waits.
       */
      left_at: nullable(bigint()),
      /** The run that also does this request's work, because both waited at the same time. Otherwise null. */
      merged_into: personal(nullable(text())),
      /** 1 if it was requested by more than a schedule. */
      urgent: withDefault(integer()),
      /** The earliest start, by the database's clock. 0 means immediately. */
      not_before: withDefault(bigint()),
    },
  ),
};
