/**
 * The tables as Kysely sees them. Text, integers and 0/1 only, so that SQLite and Postgres hold
 * the same; instants are epoch milliseconds. No column holds a name, an address, a wealth figure
 * or a key in clear: there are ids, keyed fingerprints, states and sealed text.
 */

import type { Generated, Kysely, Transaction } from 'kysely';
import type { AuditTables } from './audit-tables.ts';
import type { KeptTables } from './kept-tables.ts';
import type { NetworkTables } from './network-tables.ts';
import type { PeopleTables } from './people-tables.ts';
import type { ServiceTables } from './service-tables.ts';
import type { StatusTables } from './status-tables.ts';
import type { WarmPathTables } from './warm-path-tables.ts';

/** The store's database; every query starts here. */
export type Database = Kysely<Tables>;

/** The inside of a transaction; the inner functions take this, never a `Database`. */
export type Trx = Transaction<Tables>;

/** Where a contact stands. */
export type ContactState =
  /** Nothing to do until the CRM, the calendar or a person says otherwise. */
  | 'settled'
  /** Chosen, waits to be submitted. */
  | 'due'
  /** Part of an open submission, or its job is running. */
  | 'submitted'
  /** Its job is done; the profile waits to be fetched and delivered. */
  | 'ready'
  /** Waits for a person's decision. */
  | 'held'
  /** Gone from the CRM. */
  | 'removed';

/** Why a credit is to be spent on a contact. */
export type DueReason =
  | 'never_enhanced'
  | 'identity_changed'
  /** The same, after a person has approved it. */
  | 'identity_change_approved'
  | 'profile_old'
  | 'resubmitted_by_person'
  | 'lost_answer_resubmitted'
  | 'job_vanished';

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

export interface Tables
  extends ServiceTables,
    PeopleTables,
    NetworkTables,
    WarmPathTables,
    StatusTables,
    KeptTables,
    AuditTables {
  secrets: SecretsTable;
  integrations: IntegrationsTable;
  partner_keys: PartnerKeysTable;
  runs: RunsTable;
  run_rows: RunRowsTable;
  contacts: ContactsTable;
  submissions: SubmissionsTable;
  jobs: JobsTable;
  mappings: MappingsTable;
  writes: WritesTable;
  holds: HoldsTable;
  forgotten: ForgottenTable;
  foreign_texts: ForeignTextsTable;
  normalised_fields: NormalisedFieldsTable;
  mark_questions: MarkQuestionsTable;
  automatic_erasures: AutomaticErasuresTable;
}

/** Sealed text by name: tokens, the fingerprint key. */
export interface SecretsTable {
  name: string;
  value: string;
}

export interface IntegrationsTable {
  id: string;
  /** Fingerprint of the CRM account that the contacts belong to; pinned by the first run. */
  crm_account: string | null;
  /** Sealed settings, for integrations that live in the database instead of a file. */
  settings: string | null;
  /** Raised over all rows whenever one's settings are applied or removed; 0 before. */
  settings_version: Generated<number>;
  /** Where the next read starts. */
  cursor: string | null;
  /** Fingerprint of what the cursor was made with; another one starts from the beginning. */
  cursor_scope: string | null;
  /**
   * When the first run began that read the contacts by the present `cursor_scope`: a contact that none has read
   * since is outside the filter. Null if the scope never changed.
   */
  scope_since: number | null;
  /** When a run last noticed that another tool writes into the CRM as the same user; null for never. */
  other_tool_at: number | null;
  /** Fingerprint of the settings that make the list of contacts, as of the last list without missing contacts. */
  list_scope: string | null;
  /**
   * JSON: the columns setting (a fingerprint) and the names of the identity sources that were ever
   * readable under it; null before the first run.
   */
  identity_sources: string | null;
  /** Raised when a run begins; each checkpoint checks it first. */
  run_epoch: number;
  lease_owner: string | null;
  lease_until: number | null;
  /** The run that began last; null before the first. */
  last_run: string | null;
}

export interface PartnerKeysTable {
  /** Fingerprint of base URL and key. */
  id: string;
  /**
   * Credits of the enhancements bucket: the last reading that was made with nothing of the key open, less
   * what was charged since by submissions that came to their end; null if unknown.
   */
  balance: number | null;
  /** When the service was last asked for it. */
  balance_read_at: number | null;
  /** Raised whenever a submission of the key closes, so that a reading can tell it is stale. */
  spend_sequence: number;
}

export interface RunsTable {
  id: string;
  integration_id: string;
  epoch: number;
  trigger: string;
  /** The CRM id of the one contact, the empty string for all, `*` for several; null if that is not known any more. */
  contact: string | null;
  /** 1 if everything is read anew. */
  full: number;
  status: string;
  reason_code: string | null;
  reason_message: string | null;
  started_at: number;
  finished_at: number | null;
  read_count: number;
  chosen_count: number;
  submitted_count: number;
  enhanced_count: number;
  /** Contacts that took the job of the same person instead of a credit. */
  shared_count: number;
  spent_enhancements: number;
  /** Contacts that were simply fresh, which have no `run_rows`; null until those are written. */
  fresh_count: number | null;
  /** The finished report as JSON. */
  report: string | null;
  /** When a person asked for its end; null while none has. It counts for this run, whichever process runs it. */
  stop_asked_at: number | null;
  /** JSON: contacts by reason, without those that were simply fresh; null until `run_rows` are written. */
  reasons: string | null;
  /** What only its process knows, as JSON (`RunFacts`), noted every few seconds while it goes on. */
  facts: string | null;
}

/** What a run that is over did to a contact; `retention.runRows` says how long it is kept. */
export interface RunRowsTable {
  run_id: string;
  /** The outcome's place among all (`OUTCOME_ORDER`), so that what needs a person is listed first. */
  place: number;
  crm_id: string;
  reason: string;
  /** More of the reason, without personal data. */
  detail: string | null;
  at: number;
}

export interface ContactsTable {
  integration_id: string;
  crm_id: string;
  state: ContactState;
  /** Fingerprint of name, addresses and employers as last read. */
  identity: string;
  /** 1 if it may be submitted as far as the CRM's record goes: names there, not opted out. */
  eligible: number;
  due_reason: DueReason | null;
  /** 0 members of mirrored groups, 1 never enhanced, 2 all others. */
  priority: number;
  /**
   * The identity that the last credit was spent on, and when: below zero if the next run has to think
   * about the contact again, 0 if it brought nothing.
   */
  asked_identity: string | null;
  asked_at: number | null;
  /** The job at hand; a contact that left before its end comes back to it. */
  tracking_id: string | null;
  donor_id: string | null;
  /** When a profile was last delivered. */
  enhanced_at: number | null;
  /**
   * JSON: field → fingerprint of the value that we wrote last, and behind a space that of the value which the
   * CRM's own automation made of it.
   */
  owned_values: string;
  /** The donor whose values those are; null if nothing was ever delivered. */
  values_donor: string | null;
  /** The identity that those values were bought for, in the form of `identity`; null likewise. */
  values_identity: string | null;
  /** What the last run that touched it did, and why. */
  outcome_reason: string;
  outcome_run: string;
  outcome_at: number;
  /** More of the reason for a person, without personal data. */
  outcome_detail: string | null;
  /** The run that last saw it in the CRM; empty once its departure was read. */
  seen_run: string;
  /** The contact that it became a part of, when it left; what it was paid for may come to that one later. */
  merged_into: string | null;
  /**
   * 1 if it had opted out when it was last read, 2 if its person objects, also while work for it was in progress: it is in no
   * network, and nothing of it is shown.
   */
  has_opted_out: Generated<number>;
  /**
   * Since when (epoch ms) neither a lookup nor a complete reading has found it, without a sign that it was
   * deleted; null while it is there. A contact that was removed for this reason keeps it.
   */
  missing_since: number | null;
  /** The currencies of its record when it was last read (`currenciesText`); null where the CRM has none on its records. */
  currency: string | null;
}

export interface SubmissionsTable {
  id: string;
  integration_id: string;
  run_id: string;
  partner_key: string;
  state: SubmissionState;
  persons: number;
  /** Credits charged, as far as is known. */
  charged: number | null;
  /**
   * The bucket's last reading with nothing of the key open, less what was charged since; submissions
   * that were open beside this one are not in it.
   */
  balance_before: number;
  intended_at: number;
  lost_at: number | null;
  closed_at: number | null;
  /** The mapping (`mappings.id`) that its persons were made by. */
  mapping: string;
  /** From 1 to `MAX_SLOTS`, one submission in each while it is open. */
  slot: number;
}

/** `crm_id` of a job whose contact was erased. */
export const ERASED_ID = '';

export interface JobsTable {
  tracking_id: string;
  submission_id: string;
  integration_id: string;
  crm_id: string;
  identity: string;
  /**
   * Fingerprint of partner key and person, the same wherever the same question was paid for; null
   * if the job is not shared.
   */
  person: string | null;
  /** Why the contact was submitted. */
  reason: DueReason;
  state: JobState;
  job_id: string | null;
  /** 1 if the service knew the person (the profile passed the guard), 0 if not; null before. */
  known: number | null;
  /** When that was settled (epoch ms). */
  answered_at: number | null;
  /** Tracking id of the job whose credit brings this profile too; null if this one was paid for. */
  shared_from: string | null;
  submitted_at: number;
  closed_at: number | null;
}

/** A way of making persons of an integration's contacts, and whether its match rate is accepted. */
export interface MappingsTable {
  integration_id: string;
  /** Fingerprint of the connector's kind, identity columns and mode. */
  id: string;
  first_seen_at: number;
  /** When it became accepted (epoch ms); null while it is on trial. */
  accepted_at: number | null;
  /** By its match rate, or by a user; null while it is on trial. */
  accepted_by: 'trial' | 'person' | null;
}

/** What a run wrote into one contact, and what was there before. */
export interface WritesTable {
  id: string;
  run_id: string;
  integration_id: string;
  crm_id: string;
  state: 'intended' | 'written' | 'refused' | 'undone';
  /** Sealed JSON: field → value before. */
  before: string;
  /** JSON: field → fingerprint of the value written. */
  after: string;
  /** JSON: the contact's `owned_values` before. */
  owned_before: string;
  /** The contact's `values_donor` before, if this write replaces the values of another donor; null if not. */
  donor_before: string | null;
  /** The donor whose profile it brings; null if it brings none, as a status. */
  donor: string | null;
  /**
   * Keyed fingerprint of the donor that its texts name as the introducer; the empty string if they name none, or once
   * that donor's erasure has cleared them.
   */
  introducer: string;
  /** JSON: field → fingerprint of each value of the warm path, as it was sent; null if there is none. Undo leaves it. */
  introduced: string | null;
  written_at: number;
}

/** Why a contact waits for a person. */
export type HoldKind =
  | 'name_mismatch'
  | 'match_unsure'
  | 'lost_answer'
  | 'identity_mass_change'
  | 'profile_deceased'
  /** The values of another person could not all be replaced, so nothing was written. */
  | 'values_of_two_people'
  /** It has another name now, no profile that was paid for fits it, and it holds the values of the former name. */
  | 'new_person_unknown'
  /** The service now gives other donors for many contacts that did not change. */
  | 'donor_mass_change'
  /** It is missing together with many others: are they gone? */
  | 'contacts_missing'
  /** It was marked as opted out together with many others: are the marks right? */
  | 'mass_opt_out'
  /** The CRM asks for its erasure. */
  | 'erasure_requested'
  /** It looks like a person who was erased, or an erased contact was merged into it. */
  | 'forgotten_person';

/** Erasures that started without a user, counted by day. */
export interface AutomaticErasuresTable {
  integration_id: string;
  /** Days since 1970 in UTC. */
  day: number;
  count: number;
}

export interface HoldsTable {
  id: string;
  integration_id: string;
  crm_id: string;
  kind: HoldKind;
  /** Holds of one cause share this id; null for one that stands alone. */
  batch: string | null;
  tracking_id: string;
  detail: string | null;
  opened_at: number;
  decision: 'approved' | 'rejected' | 'resubmitted' | 'superseded' | null;
  decided_at: number | null;
}

/**
 * People who must not be enhanced again, and contacts of which a person has to say whether they are
 * one of them. A row counts in every integration of the same CRM account.
 */
export interface ForgottenTable {
  integration_id: string;
  /** Of the id in its canonical form. */
  crm_id_fingerprint: string;
  forgotten_at: number;
  state: ForgottenState;
  /** JSON: fingerprints of name, addresses and employers; null if nothing of them was known. */
  person: string | null;
  /** 1 if the person is to be recognised in the integrations of other accounts as well. */
  everywhere: number;
  /** When the erasure came to its end. */
  erased_at: number | null;
  /** JSON: what was done, without any id of the contact. */
  receipt: string | null;
  /** JSON: keyed fingerprints of the donors that the person was and no other contact is. */
  donors: string;
}

/** What a CRM said about a contact or a run, for those who decide; kept for a while. */
export interface ForeignTextsTable {
  id: string;
  integration_id: string;
  run_id: string;
  /** The contact's id in the CRM; the empty string for what is about the whole run. */
  crm_id: string;
  /** The sealed text. */
  sealed: string;
  kept_at: number;
}

/** A field whose values the CRM's own automation changes after a write, for example by rounding. */
export interface NormalisedFieldsTable {
  integration_id: string;
  field: string;
  noticed_at: number;
}

/** Values of a mark that left out more than half of the contacts. */
export interface MarkQuestionsTable {
  integration_id: string;
  /** Fingerprint of the mark, its field and the value. */
  mark: string;
  asked_at: number;
  /** When a user confirmed that contacts with this value are to be left out; null before. */
  confirmed_at: number | null;
}

export type ForgottenState =
  /** Blocked; its erasure has not come to its end. */
  | 'begun'
  | 'erased'
  /** Blocked without having been known. */
  | 'blocked'
  /** Not blocked: the CRM made an erased contact a part of it, and a person decides. */
  | 'merged';
