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
      /** Empty for all contacts, `*` for several, and null for an unknown contact. */
      contact: nullable(
        contactId({
          forget: 'otherwise',
          about: 'runsAsked',
          whenRemoved: { kept: '`retention.outcomes`' },
        }),
      ),
      /** 1 if the run reads all contacts. */
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
      /** Contacts that used a job of the same person without a credit. */
      shared_count: integer(),
      spent_enhancements: integer(),
      /** Fresh contacts, which have no `run_rows`. Null until the rows are written. */
      fresh_count: nullable(integer()),
      /** The finished report as JSON. */
      report: nullable(text()),
      /** When a user asked the run to stop. Null if nobody did. Valid in any process that carries out the run. */
      stop_asked_at: nullable(bigint()),
      /** JSON with the number of contacts by reason, excluding fresh contacts. Null until `run_rows` are written. */
      reasons: nullable(text()),
      /** JSON with facts that only the run's process knows (`RunFacts`). Stored every few seconds. */
      facts: nullable(text()),
      /** When a value of the run was last restored. Null if they never were. */
      undone_at: nullable(bigint()),
      /** Values that undos have restored. */
      undone_values: integer(),
      /** Contacts whose values were all restored. */
      undone_contacts: integer(),
      /** Values that the last undo left alone, because they had changed. */
      undone_kept: integer(),
    },
  ),
  /** Who undid a run. A separate table, because the run's contact can be erased. */
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
  /** A finished run's result for a contact. `retention.runRows` limits its age. */
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
      /** The outcome's rank (`OUTCOME_ORDER`), so contacts that need a user come first. */
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
   * A requested run. The request waits until `left_at`. Equal requests for the same integration and contact wait only
   * once. It is kept until its run has ended, so an interrupted run is not forgotten.
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
      /** The number of interrupted runs for this request. */
      resumed: integer(),
      /** When the run started or another request absorbed this one. Null while it waits. */
      left_at: nullable(bigint()),
      /** The run that also serves this request. Null if there is no such run. */
      merged_into: personal(nullable(text())),
      /** 1 if a user or a webhook also requested it. */
      urgent: withDefault(integer()),
      /** The earliest start, by the database's clock. 0 means immediately. */
      not_before: withDefault(bigint()),
    },
  ),
};
