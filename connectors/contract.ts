/**
 * The contract of every connector. It defines the functions that a sync can call. Each kind of CRM has a folder that
 * implements the contract. Every connector must pass the tests in `testing/`. The connector in `memory/` is the
 * reference implementation of the contract.
 *
 * If the whole CRM fails, a connector throws one of the four kinds of error in `src/core/errors.ts`. If only one record
 * fails, the connector returns a result for the record.
 */
import type { z } from 'zod';
import type { Clock, WallClock } from '../src/core/clock.ts';
import type { Contact } from '../src/core/contact.ts';
import type { CrmField, FieldSpec, FieldValues } from '../src/core/crm-field.ts';
import type { FieldMapping, FieldSource } from '../src/core/field-map.ts';
import type { ForeignText } from '../src/core/foreign-text.ts';
import type { IdentityShape } from '../src/core/identity-shape.ts';
import type { Log } from '../src/core/log.ts';
import type { DepartureBoard } from '../src/outbound/pace.ts';
import type { AboutCrm } from './about.ts';

export type { IdentityShape, IdentitySource } from '../src/core/identity-shape.ts';

/** The definition of one kind of CRM. `index.ts` registers it. */
export interface ConnectorDefinition<Settings = unknown> {
  /**
   * The version of this contract that the connector follows. donor-sync does not load a connector for a different
   * version.
   */
  contract: 2;
  /** The value of `crm.kind` in the settings. */
  kind: string;
  /**
   * The CRM's name, the questions of the set-up, and the CRM's own webhooks. If `about` is omitted, users see `kind` as
   * the CRM's name, and they write the settings by hand. If `about` is omitted, the CRM's webhooks must use one of
   * donor-sync's general forms.
   */
  about?: AboutCrm;
  /** The schema of the `crm` part of a client's settings. */
  settingsSchema: z.ZodType<Settings>;
  /** The schema of `networks[].group` in the settings. */
  groupSchema: z.ZodType<GroupSelector>;
  /** The field map that donor-sync uses if the settings contain none. */
  defaultFields: readonly FieldMapping[];
  /**
   * Describes how a user grants donor-sync access on a page of the CRM. The field is omitted if the CRM has no page for
   * granting access.
   */
  consent?: Consent<Settings>;
  /**
   * Returns the canonical form of a contact's ID. Users and programs may write the same ID in several forms. Returns
   * null if the text cannot be a contact's ID. The function is omitted if the CRM's IDs have only one form.
   */
  canonicalId?(text: string): string | null;
  /**
   * Returns all other forms of a contact's canonical ID that users and programs may type. When donor-sync erases a
   * contact, it also searches for these forms of the contact's ID. The function is omitted if the CRM's IDs have only
   * one form.
   */
  otherForms?(id: string): readonly string[];
  /**
   * Returns the address of the contact's page in the CRM. Returns null if donor-sync cannot determine the address from
   * the settings. The function sends no request to the CRM. The function is omitted if contacts have no page, or if
   * only the CRM knows the page's address.
   */
  recordUrl?(settings: Settings, id: string): string | null;
  /**
   * True if donor-sync rejects plain http in `crm.url`. Plain http is still allowed for this machine and for hosts in
   * `allowInsecureHttp` of the settings. If the field is omitted, donor-sync only prints a warning about plain http.
   */
  refusesPlainHttp?: boolean;
  /**
   * True if a confirmed write may be stored outside the CRM until `finish`. A connector that stores confirmed writes
   * outside the CRM must have the function `erase`. The field is omitted if every confirmed write is already in the
   * CRM.
   */
  keepsWrites?: boolean;
  /**
   * The delays (ms) after which donor-sync reads again after a webhook, in ascending order. A CRM needs these delays if
   * its searches find changes late. The delays are omitted if the CRM's searches find changes immediately.
   */
  rereadAfterMs?: readonly number[];
  /**
   * Signs in and loads everything that the connector needs. An open connector is ready for work and knows its account.
   * Throws a ConfigurationError that describes the problem if the connector cannot be opened. After a failure, the CRM
   * is unchanged and all connections are closed.
   */
  open(options: ConnectorOptions<Settings>): Promise<Connector>;
  /**
   * Checks the prerequisites for `doctor`, and returns one finding for each prerequisite. The check closes everything
   * that it has opened, and it never throws.
   */
  check(options: ConnectorOptions<Settings>): Promise<Finding[]>;
  /**
   * Returns the mapped fields, and the parts that show them to users, as files that an administrator deploys with the
   * CRM's own tools. If `door` is given and the CRM supports a button, also returns the button that enhances a record.
   * `door` is the https address at which the CRM calls donor-sync for this client, without a trailing slash. The
   * function sends no request to the CRM. The function is omitted if the CRM cannot import files.
   */
  fieldsAsSource?(
    settings: Settings,
    fields: readonly MappedFieldSpec[],
    door?: string | null,
  ): FieldsSource;
}

/** A field that the field map requires. */
export interface MappedFieldSpec extends FieldSpec {
  from: FieldSource;
}

export interface FieldsSource {
  /**
   * The contents of the files. The key is the path. Each path is relative to the folder of the project. Paths use
   * slashes as separators.
   */
  files: ReadonlyMap<string, string>;
  /** The mapped fields that the files do not contain, with the reason for each. */
  leftOut: readonly { name: string; problem: string }[];
  /** Instructions for the user about the next steps with the files. */
  next: readonly string[];
}

/**
 * Describes OAuth with PKCE (RFC 6749 and 7636). The object contains the parts of OAuth that differ between kinds of
 * CRM. After the user grants access, the CRM returns a refresh token. If the settings contain no token, the connector
 * reads the refresh token from its secrets.
 */
export interface Consent<Settings = unknown> {
  /** True if a user must grant access in the CRM, but the settings lack the values that result. */
  isWanted(settings: Settings): boolean;
  /** The name of the secret in which the connector looks for the refresh token. */
  secretName(settings: Settings): string;
  /**
   * The only host name of this machine to which the CRM redirects users over http, for example `localhost`. The field
   * is omitted if the CRM accepts any host name.
   */
  loopbackName?: string;
  /**
   * Returns the address of the page to which donor-sync sends the user. Throws a ConfigurationError for an address that
   * the CRM rejects.
   */
  begin(settings: Settings, request: ConsentRequest): string | Promise<string>;
  /**
   * Exchanges the code for a refresh token. Returns the refresh token and the account that it belongs to. Throws an
   * error of one of the four kinds.
   */
  complete(settings: Settings, reply: ConsentReply, deps: ConsentDeps): Promise<Consented>;
  /**
   * Revokes the token. If the token is already revoked, the function does not throw. Throws the same errors as the
   * function `complete`.
   */
  revoke(settings: Settings, refreshToken: string, deps: ConsentDeps): Promise<void>;
}

export interface ConsentRequest {
  /**
   * The address to which the CRM redirects the user after the consent. The address must be registered for the app in
   * the CRM.
   */
  redirectUri: string;
  /** A random value that nobody can guess. The CRM passes this value back through the user's browser. */
  state: string;
  /** The PKCE verifier, which has at least 43 characters. The user's browser receives only its hash. */
  codeVerifier: string;
}

export interface ConsentReply {
  code: string;
  /** The same value as in the request for consent. */
  redirectUri: string;
  codeVerifier: string;
}

export type ConsentDeps = Pick<ConnectorDeps, 'clock' | 'signal' | 'fetch'>;

export interface Consented {
  account: CrmAccount;
  refreshToken: string;
}

export interface ConnectorOptions<Settings> {
  settings: Settings;
  contacts: ContactsSettings;
  deps: ConnectorDeps;
  /** The fields and groups that runs use in addition to contacts. donor-sync passes them only to `check`. */
  uses?: ConnectorUses;
}

/** The fields and groups in a client's settings. */
export interface ConnectorUses {
  /** The contact fields that runs write. */
  fields: readonly string[];
  /** The groups that donor-sync copies to networks. */
  groups: readonly GroupSelector[];
}

/** The settings that select the contacts of a client. */
export interface ContactsSettings {
  /** A condition in the CRM's own filter language, or null for all contacts. */
  filter: string | null;
  /** The field that is true (or not blank) for people who must not be researched. */
  optOutField: string | null;
  /** The values that mean an opt-out, if the opt-out field is a picklist. */
  optOutValues?: readonly string[] | null;
  /**
   * An additional field that marks contacts as deceased. donor-sync also reads the CRM's own fields for deceased
   * contacts.
   */
  deceasedField?: string | null;
  /**
   * An additional field that marks contacts as "do not contact". donor-sync also reads the CRM's own fields for this
   * mark.
   */
  doNotContactField?: string | null;
  /**
   * Values of `deceasedField` that mark deceased contacts. If they are omitted, every date and every word such as "yes"
   * marks the contact.
   */
  deceasedValues?: readonly string[] | null | undefined;
  /**
   * Values of `doNotContactField` that mark a contact. If they are omitted, every date and every word such as "yes"
   * marks the contact.
   */
  doNotContactValues?: readonly string[] | null | undefined;
  /**
   * For each field, the values that do not mark a contact. A contact whose value is in neither list waits for a
   * decision (`mark_unknown`).
   */
  unmarkedValues?:
    | {
        optOut?: readonly string[] | undefined;
        deceased?: readonly string[] | undefined;
        doNotContact?: readonly string[] | undefined;
      }
    | undefined;
  /** True if donor-sync also enhances contacts that are marked as deceased. */
  includeDeceased?: boolean;
  /** True if donor-sync also enhances contacts that are marked as "do not contact". */
  includeDoNotContact?: boolean;
}

/**
 * The objects that donor-sync passes to a connector. A connector must not create its own clock, log or secret store.
 */
export interface ConnectorDeps {
  /** The clock. donor-sync's own clock also measures elapsed time (`monotonicMs`). */
  clock: WallClock & Partial<Clock>;
  log: Log;
  /** The signal is aborted when the run stops. All waits then end immediately, but requests in flight may finish. */
  signal: AbortSignal;
  /** Encrypted storage for tokens that change, for example rotated refresh tokens. */
  secrets: ConnectorSecrets;
  /**
   * Set if several processes share the request pace of an account. If it is null or omitted, each process has its own
   * pace.
   */
  board?: DepartureBoard | null;
  /**
   * The function that sends requests if a user entered the CRM's address in a browser. It rejects requests to a private
   * network. The function is omitted if the operator wrote the CRM's address in a settings file. Without this function,
   * the connector sends the requests itself.
   */
  fetch?: typeof globalThis.fetch;
  /**
   * donor-sync counts these calls for the run's report. A connector calls this function for each request to the CRM.
   */
  onCall(call: { throttled: boolean }): void;
  /**
   * Returns which of these contacts still exist according to donor-sync, although they are missing from the CRM's data.
   * A connector must not delete their values before a user has confirmed that the contacts are gone. The function is
   * omitted if donor-sync has not read any contacts yet. If the function is omitted, all missing contacts are treated
   * as gone.
   */
  countAsPresent?(ids: readonly string[]): Promise<ReadonlySet<string>>;
}

export interface ConnectorSecrets {
  read(name: string): Promise<string | null>;
  /** The promise resolves after the secret has been written to the disk. */
  write(name: string, value: string): Promise<void>;
}

/** An open connector of one client. Each open connector is used for one run or command. */
export interface Connector {
  readonly kind: string;
  readonly capabilities: Capabilities;
  /**
   * The account to which the connector is signed in. A client always belongs to the first account to which it was
   * connected.
   */
  readonly account: CrmAccount;

  /**
   * The parts of a record that donor-sync submits to the service, and which of these parts the connector can read. The
   * list of readable parts is omitted if the connector can always read every part of an identity.
   */
  identity?(): IdentityShape;

  /**
   * Yields the contacts that have changed since the cursor, in pages. If the cursor is null, the function yields all
   * contacts. If the CRM reports deleted or merged contacts, the function yields them first. Because a merge comes
   * first, the remaining contact can take over the other contact's profile before donor-sync spends a credit. If the
   * CRM reports a merge only in the record of the remaining contact, both contacts are on the same page. A contact may
   * appear more than once. If the caller stops a reading early, the next reading is not affected.
   *
   * If all contacts are read again, `known` contains the contacts from earlier readings. A connector that reports
   * removals then also reports the contacts that were removed since `known.cursor`, because no later reading would
   * report them.
   */
  readPages(cursor: string | null, known?: KnownContacts): AsyncIterable<ContactPage>;

  /**
   * Returns the current records of these contacts with the current values of `fields`. The result contains one entry
   * for each ID. The entries have the same order as the requested IDs. The caller passes at most
   * `capabilities.readBatch` IDs.
   */
  readByIds(ids: readonly string[], fields: readonly string[]): Promise<RecordLookup[]>;

  /**
   * Returns the IDs of records that were merged directly into this record, if the CRM still reports them. An erasure
   * calls this function, because donor-sync may not have read the merge yet. A connector omits this function if its CRM
   * does not merge records.
   */
  findMerged?(id: string): Promise<readonly string[]>;

  /**
   * Returns which of these contacts currently match `contacts.filter`. If the settings contain a filter, donor-sync
   * calls this function before it spends a credit. donor-sync calls it for contacts that the current run has not read.
   * A CRM does not report that a contact no longer matches the filter, because the contact still exists. The caller
   * passes at most `capabilities.readBatch` IDs. A connector omits this function if it has no filters, or if it reports
   * such contacts as removed.
   */
  findIncluded?(ids: readonly string[]): Promise<ReadonlySet<string>>;

  /**
   * Returns the IDs of at most `most` contacts that match both the text and `contacts.filter`. Each word of the text
   * must match the start of a word in the contact's first or last name. All characters except letters and digits are
   * ignored, so they cannot have a special meaning in the CRM. The text is a name, so it must not appear in a request's
   * address, in a log or in an error. A connector omits this function if the CRM cannot search.
   */
  search?(text: string, most: number): Promise<readonly string[]>;

  /**
   * Yields the IDs of contacts that have opted out or objected to research and that `readPages(cursor)` does not
   * return. `readPages` misses a contact that does not match `contacts.filter`, or whose mark is on a different record.
   * The function may also yield contacts without a new mark, because donor-sync looks up each contact that it knows. If
   * `readPages` cannot miss a marked contact, the function sends no request. A connector omits this function if
   * `readPages` returns every marked contact.
   */
  findMarked?(cursor: string | null): AsyncIterable<readonly string[]>;

  /**
   * Writes changes. For each change, yields a result as soon as the result is known. The results may be in any order. A
   * change writes only the fields that it contains, and null clears a field. A rejected record does not affect other
   * records. If the CRM rejects a value and names its field, the connector still writes the record's other values. A
   * value is reported as written only if the CRM has stored the complete value. If two changes are for the same
   * contact, the later change wins. Writing the same change twice is harmless.
   */
  write(
    changes: Iterable<ContactChange> | AsyncIterable<ContactChange>,
  ): AsyncIterable<WriteResult>;

  /**
   * Reads records again shortly after a write. The result shows which values the CRM's own automation has changed.
   * Returns one entry for each write. The entries have the same order as the writes. The caller passes at most
   * `capabilities.readBatch` writes. The function is omitted if the CRM never changes a value after a write.
   */
  readBack?(writes: readonly WrittenFields[]): Promise<ReadBack[]>;

  /**
   * Finds values that the CRM's automation has derived from values that an app has written. For example, a workflow may
   * run an hour after our write. Returns one entry for each record that contains a value derived by automation. A field
   * is included only if automation has changed it since an app last wrote it. A field that a user has changed is not
   * included. The caller passes at most `capabilities.readBatch` records. The function is omitted if the CRM does not
   * store who changed a value.
   */
  findAutomated?(
    records: readonly { id: string; fields: readonly string[] }[],
  ): Promise<AutomatedFields[]>;

  /** Returns the contact fields that the CRM user of donor-sync can see. */
  describeFields(): Promise<CrmField[]>;

  /** Creates missing fields and gives the CRM user of donor-sync access to them. Calling the function again is safe. */
  createFields(fields: readonly FieldSpec[]): Promise<FieldCreation[]>;

  /**
   * Makes these fields visible to other users of the CRM. `assignTo` is a group of users in the CRM's own terms, such
   * as a profile. If `assignTo` is null, the connector gives the permission to no user. Calling the function again is
   * safe. The function is omitted if the CRM shows new fields to all users.
   */
  showFields?(names: readonly string[], assignTo: string | null): Promise<FieldViewers>;

  /**
   * Returns the number of users who can see at least one of these fields. Omitted if the CRM does not hide new fields
   * from users.
   */
  countViewers?(names: readonly string[]): Promise<number>;

  /**
   * Creates lists of contacts for users. The CRM itself updates the members of these lists. If a list already exists,
   * the connector does not change it. The function can safely be called again. The function is omitted if the CRM has
   * no lists of contacts, or if the connector cannot create lists.
   */
  createLists?(lists: readonly ListSpec[]): Promise<ListCreation[]>;

  /** Returns the groups of people that users can choose in the settings. */
  listGroups(): Promise<GroupSummary[]>;

  /**
   * Yields the contact IDs of a group, in batches. Throws if the group cannot be read completely, because an
   * incomplete group must never look complete.
   */
  readGroup(selector: GroupSelector): AsyncIterable<readonly string[]>;

  /**
   * Returns the CRM's own fields that mark contacts. donor-sync uses them without a setting. The function is omitted if
   * the CRM has no fields that mark contacts.
   */
  automaticMarks?(): readonly AutomaticMark[];

  /**
   * For each mark field in the settings, returns the number of excluded contacts and the values that exclude them. The
   * function is omitted if the connector cannot count contacts before it reads all of them.
   */
  countMarks?(): Promise<MarkCount[]>;

  /**
   * Returns the IDs of at most `most` contacts of this client. `doctor` uses the IDs, so the request should be fast. If
   * the function is omitted, `doctor` uses the first contacts from `readPages`.
   */
  sampleIds?(most: number): Promise<string[]>;

  /**
   * Returns facts about the account for a report. Every user with read access to contacts must be able to read these
   * facts. The function is omitted if the CRM offers no facts about the account.
   */
  readFacts?(): Promise<AccountFact[]>;

  /** Returns the request limits that the CRM reports, or null if the CRM has no limits. */
  readLimits(): Promise<LimitState | null>;

  /**
   * Permanently deletes changes to these contacts that the connector has stored outside the CRM. The CRM does not
   * contain the deleted changes yet. Resolves with the number of deleted changes. donor-sync calls the function at the
   * start of each run and when it erases a person. Omitted if every confirmed write is already in the CRM.
   */
  erase?(isErased: (id: string) => boolean): Promise<number>;

  /** Makes all confirmed writes visible to other users. donor-sync calls the function at the end of each run. */
  finish(): Promise<void>;

  /** Closes connections and files. Closing a connector twice is harmless. */
  close(): Promise<void>;
}

/** The capabilities of a kind of CRM. donor-sync never calls a function that a capability rules out. */
export interface Capabilities {
  /**
   * True if `readPages` accepts a cursor. If the connector does not accept a cursor, each reading returns all contacts.
   */
  incremental: boolean;
  /**
   * True if pages contain the contacts that were removed. If pages do not contain removed contacts, only a full reading
   * shows that contacts are missing.
   */
  reportsRemovals: boolean;
  createsFields: boolean;
  /**
   * True if `write` supports `together`. With `together`, the connector writes either every value of a change or none
   * of them. The default is false. If it is false and a contact becomes a different person, donor-sync holds the
   * contact and does not write it.
   */
  writesTogether?: boolean;
  /**
   * The function that reports values that other users typed between donor-sync's reading and its write. The field is
   * omitted if the connector does not report values that other users typed.
   */
  tellsOverwritten?: 'write' | 'readBack';
  /** True if reading and writing send requests to a server. False if the connector reads and writes a file. */
  remote: boolean;
  /** The keys of the group selectors that the connector accepts, for example `campaign`. */
  groups: readonly string[];
  /** The maximum number of IDs in one `readByIds` call. */
  readBatch: number;
  /**
   * The number of changes for which one `write` call is efficient (`preferred`), and the maximum number of changes
   * (`max`). From `bulk` changes on, the CRM has a cheaper way to write them. `bulk` is null if the CRM has no cheaper
   * way.
   */
  writeBatch: { preferred: number; bulk: number | null; max: number };
}

/**
 * The CRM account that the credentials belong to. The ID is fixed when a client first runs, and is stored in plain
 * text. The account's ID is the ID that the CRM has assigned to the organisation. The account's ID stays the same if
 * the organisation uses a different address or key. The account's ID does not contain a key. If a CRM runs on the
 * organisation's own server and has no such ID, the server's address is the ID.
 */
export interface CrmAccount {
  id: string;
  name: string;
}

export interface ContactPage {
  contacts: readonly Contact[];
  removed: readonly RemovedContact[];
  /**
   * Known contacts that the connector looked up and that are `missing`. `missing` has the same meaning as in a
   * `RecordLookup`. The default is an empty list.
   */
  missing?: readonly string[];
  /**
   * The position from which a later reading can start. donor-sync stores it only after it has decided about all
   * contacts up to this page. The cursor is null if a later reading must start from the beginning. A later reading also
   * returns the changes that are made during this reading. The cursor contains no key and no data about people.
   */
  cursor: string | null;
}

/** The results of earlier readings of the same contacts. */
export interface KnownContacts {
  /**
   * The IDs of all contacts that donor-sync has read and that have not been removed, in batches. Some of these strings
   * may not be valid IDs of this CRM.
   */
  ids(): AsyncIterable<readonly string[]>;
  /**
   * The IDs of contacts that donor-sync has read and that have been removed since then. Someone may have restored some
   * of the removed contacts.
   */
  leftIds(): AsyncIterable<readonly string[]>;
  /** The cursor from which the next reading would have continued. */
  cursor: string;
  /**
   * True if the settings still select the same contacts as at the time of the cursor. If the settings still select the
   * same contacts, every unknown contact was created after the cursor. The connector can therefore read the known
   * contacts by ID and skip the list.
   */
  isSameSelection: boolean;
}

/** A contact that no longer exists. A merged contact continues to exist under a different ID. */
export interface RemovedContact {
  id: string;
  mergedInto: string | null;
}

export type RecordLookup =
  | { state: 'found'; id: string; contact: Contact; values: FieldValues }
  /**
   * The CRM confirms that the record was deleted or merged. The CRM still has the deleted record, or an entry about the
   * deletion.
   */
  | { state: 'removed'; id: string; mergedInto: string | null }
  /**
   * The CRM has no record with this ID and reports no deletion. A record without access looks the same, so this result
   * alone never removes a contact.
   */
  | { state: 'missing'; id: string };

/** The values to write into one contact. */
export interface ContactChange {
  id: string;
  values: FieldValues;
  /**
   * True if the CRM must write all these values or none of them. If the contact has become a different person, values
   * of the former person must not remain in the record. donor-sync sets it only if `capabilities.writesTogether` is
   * true. If the CRM rejects one value, the whole change is rejected. The result names the rejected fields if the CRM
   * reports them, or if the connector finds them without a write.
   */
  together?: boolean;
  /**
   * True if the connector must send every value, even a value that breaks a rule that the connector has read. By
   * sending such values, donor-sync checks from time to time whether the connector still interprets the CRM's rules
   * correctly.
   */
  probe?: boolean;
  /**
   * Groups of fields that make sense only together, such as the two ends of a range and its label. If the CRM rejects a
   * change without naming a field, the connector searches for the field. The search omits either all fields of a group
   * or none of them. The groups only make the search faster. Without groups, the connector tests the fields one after
   * another.
   */
  groups?: readonly (readonly string[])[];
  /**
   * The values that the caller had read for these fields. The connector compares them with the CRM's values to report
   * which values other users have changed since then. If the earlier values are omitted, the connector does not compare
   * values.
   */
  seen?: FieldValues;
}

/**
 * Values that other users or apps entered after the caller had read the contact. donor-sync's write then replaced the
 * values of these users or apps. Values that the CRM's automation entered are excluded if the CRM identifies them.
 * Values that someone has cleared are included.
 */
export interface Overwritten {
  /** The values before our write. A value is null if someone had cleared the field. */
  values: FieldValues;
  /**
   * The CRM's ID or name for the user or app that entered these values. The author is null if the CRM does not report
   * who entered the values.
   */
  by: string | null;
}

/** Fields that this connector has just written into one contact. */
export interface WrittenFields {
  id: string;
  fields: readonly string[];
  /** The time at which the request was sent (epoch ms). */
  sentAtMs: number;
  /**
   * The values that were sent, and the values that the caller had read before. If the earlier values are omitted, the
   * connector does not compare values.
   */
  sent?: FieldValues;
  seen?: FieldValues;
}

/** The current values of the written fields. */
export interface ReadBack {
  id: string;
  /** The current values of these fields, or null if the record can no longer be read. */
  values: FieldValues | null;
  /**
   * True if another tool also changes contacts with donor-sync's CRM user. The connector reports it if this user
   * changed the record after the write, although the connector made no further change. The field is
   * omitted if the connector found no such change.
   */
  sharesUser?: true;
  /**
   * Fields whose current value comes from the CRM's automation, as a reaction to this write. Salesforce shows who last
   * changed a record. HubSpot shows the source of each change in the property's history.
   */
  automated: readonly string[];
  /**
   * Values of other users that the write replaced. The list is omitted if no user's value was lost, or if the CRM
   * cannot report lost values.
   */
  overwritten?: Overwritten;
}

/**
 * Fields of one contact whose current values come only from the CRM's automation. The automation has changed values
 * that an app had written.
 */
export interface AutomatedFields {
  id: string;
  /** For each field, the value that the app wrote. */
  madeFrom: FieldValues;
}

export type WriteResult =
  | { status: 'written'; id: string; overwritten?: Overwritten }
  /**
   * The connector has written all fields except the fields in `refusals`. Each field that the connector did not write
   * has an entry in `refusals`.
   */
  | {
      status: 'written_in_part';
      id: string;
      refusals: readonly Refusal[];
      overwritten?: Overwritten;
    }
  | RefusedWrite;

/** The connector has written none of the values. */
export interface RefusedWrite extends Refusal {
  status: 'refused';
  id: string;
}

/** The reason why a CRM rejects a change or some of its fields. */
export interface Refusal {
  /** True if the same write may succeed later, for example after a lock or a temporary fault. */
  retriable: boolean;
  /**
   * True if another user or process had locked the record. The field is omitted if the rejection has a different reason
   * than a lock.
   */
  isLock?: boolean;
  /** The CRM's own code, for example `FIELD_CUSTOM_VALIDATION_EXCEPTION`. */
  code: string;
  /** donor-sync's own sentence for the nonprofit's administrator. donor-sync's sentence never quotes the CRM. */
  message: string;
  /** The fields that caused the rejection, if the CRM reports them. */
  fields: readonly string[];
  /** The reason why the CRM rejects the value. The reason is omitted if the CRM does not report it. */
  cause?: RefusalCause;
  /**
   * True if the connector did not send the value, because it breaks a rule that the connector has read from the CRM. If
   * the change has `probe`, the connector sends the value anyway.
   */
  unsent?: true;
  /**
   * True if the record may contain some of the refused values. donor-sync then treats these values as written, so an
   * erasure finds them.
   */
  isPartlyStored?: true;
  /** The CRM's own text, which donor-sync stores in encrypted form. The text is omitted if the CRM sends none. */
  words?: ForeignText | null;
}

/**
 * The reason why a CRM rejects a value. The reason `rule` means that the value breaks a rule of the CRM (validation,
 * trigger, uniqueness). The reason `does_not_fit` means that the value does not fit the field's type, length or
 * options. The reason `no_permission` means that donor-sync's CRM user is not allowed to write the field. The reason
 * `no_such_field` means that the field does not exist.
 */
export type RefusalCause = 'rule' | 'does_not_fit' | 'no_permission' | 'no_such_field';

export interface FieldCreation {
  name: string;
  result: 'created' | 'existed' | 'failed';
  /** The reason why the field was not created, and the way to fix the problem. Null if the field was created. */
  problem: string | null;
}

/** The users who can see the written fields, and the next step for the administrator. */
export interface FieldViewers {
  /** The permission that makes the fields visible, in the CRM's own term, such as a permission set. */
  grant: string;
  /** The number of users who have the permission, including users who had it before. */
  people: number;
  /** The number of users who just got the permission, and the number of users for whom the CRM refused it. */
  assigned: number;
  refused: number;
  /** The problem and the way to fix it, or null if there is no problem. */
  problem: string | null;
  /** The place where users can add the fields to a page. */
  next: string;
}

/** The specification of a list of contacts. The members of the list are contacts that meet a condition on one field. */
export interface ListSpec {
  name: string;
  field: string;
  /** The condition on the field's value in canonical form. */
  condition: { above: number } | { equals: string };
}

export interface ListCreation {
  name: string;
  /**
   * The result for the list. The result `left_out` means that the field map does not contain the field that the list
   * needs.
   */
  result: FieldCreation['result'] | 'left_out';
  /**
   * The problem, or the reason why the list was left out, and the way to fix it. Null if the list was created or
   * already exists.
   */
  problem: string | null;
}

/**
 * The value of `group` in the settings. The object has a single key, which names the kind of group. The value of the
 * key selects the group.
 */
export type GroupSelector = Readonly<Record<string, unknown>>;

export interface GroupSummary {
  selector: GroupSelector;
  name: string;
  memberCount: number | null;
}

export interface LimitState {
  /** The requests of all tools of the account, on the current day or in the last 24 hours. */
  daily: { max: number; remaining: number };
}

/** A field with which the CRM itself marks contacts, for example a field of the Nonprofit Success Pack. */
export interface AutomaticMark {
  kind: 'deceased' | 'doNotContact';
  fields: readonly string[];
}

/** The number of contacts that one mark field excludes. */
export interface MarkCount {
  kind: 'optOut' | 'deceased' | 'doNotContact';
  /** The mark field that the settings name. */
  field: string;
  /** The number of contacts that were counted. */
  contacts: number;
  /** The number of contacts that the field excludes. */
  marked: number;
  /** The normalised values that exclude contacts, with the number of contacts. All dates count as one value. */
  values: ReadonlyMap<string, number>;
}

/** A fact about the account, for example its edition. A fact never contains a name, an ID or a value from a contact. */
export interface AccountFact {
  name: string;
  value: string | number;
}

/** The result of checking one prerequisite. If the prerequisite is not met, the finding contains the exact fix. */
export interface Finding {
  subject: string;
  ok: boolean;
  message: string;
  fix: string | null;
  /** A fixed word that all findings with the same cause share, such as `crm_scope_missing`. */
  cause?: string;
  /**
   * The message in a form that users may share. The shared message contains no names, values, IDs and addresses. The
   * shared message is omitted if the subject and the cause are enough.
   */
  report?: string;
  /** The CRM's own text. Users can display the CRM's text in the terminal. */
  words?: ForeignText | null;
}
