/** The tables of runs, of their results for contacts, and of requested runs. */
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
      /** The contact of the run. Empty for all contacts, `*` for several contacts, and null for an unknown contact. */
      contact: nullable(
        contactId({
          forget: 'otherwise',
          about: 'runsAsked',
          whenRemoved: { kept: '`retention.outcomes`' },
        }),
      ),
      /** 1 if the run reads all contacts. */
      full: integer(),
      /** 1 if the run was part of a client's set-up, which sends only a few contacts. */
      trial: integer(),
      status: text(),
      reason_code: nullable(text()),
      reason_message: nullable(text()),
      started_at: bigint(),
      finished_at: nullable(bigint()),
      read_count: integer(),
      chosen_count: integer(),
      submitted_count: integer(),
      enhanced_count: integer(),
      /** The number of contacts that needed no credit because they share a job of the same person. */
      shared_count: integer(),
      spent_enhancements: integer(),
      /** The number of contacts with a fresh profile, which have no `run_rows`. Null until the rows are written. */
      fresh_count: nullable(integer()),
      /** The finished report as JSON. */
      report: nullable(text()),
      /**
       * The time at which a user requested a stop, or null. The request to stop applies to any process that executes
       * the run.
       */
      stop_asked_at: nullable(bigint()),
      /**
       * JSON with the number of contacts for each reason, except contacts with a fresh profile. Null until `run_rows`
       * are written.
       */
      reasons: nullable(text()),
      /** JSON with data that only the run's process knows (`RunFacts`). These facts are stored every few seconds. */
      facts: nullable(text()),
      /** The last time at which an undo restored a value of the run. Null if no value was restored. */
      undone_at: nullable(bigint()),
      /** The number of values that undos have restored. */
      undone_values: integer(),
      /** The number of contacts whose values were all restored. */
      undone_contacts: integer(),
      /** The number of values that the last undo did not restore, because someone had changed them. */
      undone_kept: integer(),
    },
  ),
  /** The users who undid runs. The users are in a separate table, because the contact of a run can be erased. */
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
  /** The results of ended runs for each contact. `retention.runRows` limits their age. */
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
      /** The position of the outcome (`OUTCOME_ORDER`). Contacts that need a user's action come first. */
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
   * A request for a run. It waits until `left_at`. If equal requests for the same integration and contact wait, only
   * one row is stored. The row is kept until its run has ended, so that an interrupted run is not lost.
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
      contact: contactId({
        forget: 'otherwise',
        about: 'runsAsked',
        whenRemoved: { kept: 'until the run starts' },
      }),
      trigger: text<Trigger>(),
      /** 1 if the run must read all contacts. */
      full: integer(),
      requested_at: bigint(),
      times: integer(),
      /** The number of times that a run for this request was interrupted. */
      resumed: integer(),
      /** The time at which the run started or another request absorbed this request. Null while the request waits. */
      left_at: nullable(bigint()),
      /** The run that carries out this request together with another request. Null if there is no such run. */
      merged_into: personal(nullable(text())),
      /** 1 if a user or a webhook has also made the same request. */
      urgent: withDefault(integer()),
      /** The earliest start, by the database's clock. 0 means that the run can start immediately. */
      not_before: withDefault(bigint()),
    },
  ),
};
