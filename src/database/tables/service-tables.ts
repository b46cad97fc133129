/** The tables of the service that runs for years: what starts runs, who may ask, what was sent. */

import type { Generated } from 'kysely';
import type { Trigger } from '../../core/run.ts';

export interface ServiceTables {
  schedules: SchedulesTable;
  run_requests: RunRequestsTable;
  idempotency_keys: IdempotencyKeysTable;
  hooks: HooksTable;
  hook_receipts: HookReceiptsTable;
  rereads: RereadsTable;
  consents: ConsentsTable;
  alerts: AlertsTable;
  paces: PacesTable;
  restore_holds: RestoreHoldsTable;
  waiting_decisions: WaitingDecisionsTable;
  moves: MovesTable;
  credit_spans: CreditSpansTable;
  hook_calls: HookCallsTable;
  setup_drafts: SetupDraftsTable;
  approvals: ApprovalsTable;
}

export interface SchedulesTable {
  integration_id: string;
  /** Cron line and time zone that `next_run_at` was computed from; another one computes it anew. */
  rule: string;
  /** Epoch milliseconds; null if the rule never comes true again. */
  next_run_at: number | null;
  /** 1 while a person has stopped it. */
  paused: number;
}

/**
 * A run that was asked for. It waits until `left_at`; of each integration and contact only one
 * does, however often it is asked for. Once its run has begun, the request stays until the run has
 * ended, so that a run that was cut off is known to be wanted still.
 */
export interface RunRequestsTable {
  /** The id that the run will have. */
  run_id: string;
  integration_id: string;
  /** The CRM id of the one contact, or the empty string for all. */
  contact: string;
  trigger: Trigger;
  /** 1 if everything is to be read anew. */
  full: number;
  requested_at: number;
  /** How often it was asked for. */
  times: number;
  /** How many runs for it were cut off already. */
  resumed: number;
  /** When it left the list: its run began, or another one took it in; null while it waits. */
  left_at: number | null;
  /** The run that does its work too, as it waited beside others; else null. */
  merged_into: string | null;
  /** 1 if more than a schedule asks for it. */
  urgent: Generated<number>;
  /** It does not begin before, by the clock of the database; 0 for at once. */
  not_before: Generated<number>;
}

/** What an Idempotency-Key led to. */
export interface IdempotencyKeysTable {
  /** Of integration and key. */
  fingerprint: string;
  /** Fingerprint of what was asked with it. */
  request: string;
  run_id: string;
  used_at: number;
}

/** The webhook address of an integration. */
export interface HooksTable {
  integration_id: string;
  /** SHA-256 of the token in the address. */
  token_hash: string;
  /** How callers sign; null if they do not. */
  signature: 'hubspot' | 'hmac' | null;
  /** The sealed secret that they sign with. */
  secret: string | null;
  created_at: number;
  last_used_at: number | null;
  /** Contacts that calls named and that its CRM does not have. */
  ignored_count: Generated<number>;
  /** The last call that asked for something, by the clock of the database. */
  called_at: Generated<number>;
  /** What further calls of a burst ask for does not begin before; 0 after a quiet time. */
  opens_at: Generated<number>;
}

/**
 * An integration whose CRM finds changes only after a while: what was called for is read again. The
 * row is gone once that is done.
 */
export interface RereadsTable {
  integration_id: string;
  /** The last call that left open who has changed. */
  called_at: number;
  /** How often it was read again since. */
  times: number;
}

/** Signed calls that were taken, for as long as their age allows them to come again. */
export interface HookReceiptsTable {
  fingerprint: string;
  received_at: number;
}

/** A person who is away at the CRM's consent page. */
export interface ConsentsTable {
  /** SHA-256 of the state. */
  state_hash: string;
  integration_id: string;
  /** The sealed PKCE verifier. */
  verifier: string;
  expires_at: number;
  /** `connected`, or why not; null while no user has come back. */
  outcome: string | null;
}

/** Something that people were notified of; one row of a subject, and it stays when it is over. */
export interface AlertsTable {
  integration_id: string;
  /** What it is about, for example `held` or `credits_low/enhancements`. */
  subject: string;
  since: number;
  /** When people were notified; null while sending has not succeeded. */
  told_at: number | null;
  /** When it was well again; null while it lasts. */
  over_at: number | null;
}

/** The pace of one partner key, or of one limit of a CRM account, on Postgres; on SQLite a process keeps it by itself. */
export interface PacesTable {
  /** The fingerprint of the key, or a hash of the limit and its account. */
  id: string;
  /** When the next request may leave (epoch µs by the clock of the database); in the past after a rest. */
  next_at: number;
}

/** An integration of which less is known than was paid for: nothing is spent until a person agrees. */
export interface RestoreHoldsTable {
  integration_id: string;
  /** Its database was put back from a backup, or all of it was erased. */
  why: 'restored' | 'erased';
  /** When the backup was made; null if that is not known. */
  made_at: number | null;
  /** After when erasures are not known, so that nothing runs (epoch ms); null if the log of erasures was found. */
  erasures_unknown_after: number | null;
  /** Since when. */
  held_at: number;
}

/** The move of a store out of this database, or into it; no row if there was none. */
export interface MovesTable {
  role: 'source' | 'target';
  /** The same in both databases. */
  id: string;
  /** The other database, without its password. */
  other: string;
  /** Set in the source first, which is not used from then on, and then in the target, which is; null until then. */
  done_at: number | null;
}

/** What was spent in a day or a month of UTC, added up when a run ends; what is not settled counts in full. */
export interface CreditSpansTable {
  /** The empty string for the sum of all. */
  integration_id: string;
  span: 'day' | 'month';
  /** `2026-11-22` or `2026-11`. */
  at: string;
  enhancements: number;
  networks: number;
  /** Contacts that runs begun then have written. */
  written: number;
}

/** Calls of a webhook that were answered alike, of each integration the last ones. */
export interface HookCallsTable {
  id: string;
  integration_id: string;
  /** The first of them, and the last one. */
  at: number;
  last_at: number;
  times: number;
  /** `accepted`, `repeated`, `other_account`, or the code of the refusal. */
  answer: string;
  /** Contacts that the last of them named. */
  contacts: number;
  /** The run that answers; null if none does. */
  run_id: string | null;
}

/**
 * A decision that was made in a page and can still be taken back: it counts from `counts_at` on, or when
 * the next run of its integration begins, whichever comes first; then its row goes.
 */
export interface WaitingDecisionsTable {
  id: string;
  integration_id: string;
  /** What `subject` is: the id of a hold of a contact or of a network, of a batch, or a kind of holds. */
  about: 'contact' | 'network' | 'batch' | 'reason';
  subject: string;
  /** Of a kind or a batch: it is about the holds that were opened until then (epoch ms); null for all. */
  opened_until: number | null;
  decision: 'approved' | 'rejected' | 'resubmitted';
  /** Sealed: who decided, for the audit. */
  actor: string;
  counts_at: number;
  /** When it began to count; from then on it cannot be taken back. */
  claimed_at: number | null;
}

/** An integration that is being set up in a browser. */
export interface SetupDraftsTable {
  integration_id: string;
  /** What was answered so far, keys among it, sealed. */
  draft: string;
  /** Grows with each change, so that of two browsers the second one learns of the first. */
  version: number;
  updated_at: number;
}

/**
 * Something that was asked for and does nothing before a second person confirms it. Its row goes when it is
 * done, refused or run out; the audit keeps that.
 */
export interface ApprovalsTable {
  id: string;
  /** The first of those that it is about. */
  integration_id: string;
  /** The contact that is to be forgotten; null for all else. */
  crm_id: string | null;
  /** A keyed hash of what was asked for and of what it was about at that moment. */
  digest: string;
  /** Sealed: what was asked for, about how much, and by which user. */
  asked: string;
  asked_at: number;
  runs_out_at: number;
  /** When a second person has confirmed what is carried out outside of the database; null until then. */
  confirmed_at: number | null;
  /** Sealed: who that was, for the audit. */
  confirmed_by: string | null;
}
