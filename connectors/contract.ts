/**
 * The contract of every connector: the functions that a sync can call. Each kind of CRM has a folder with an
 * implementation. `testing/` contains the suite that every implementation has to pass, and `memory/` is the reference
 * implementation.
 *
 * Failures of the whole CRM are thrown as one of the four kinds in `src/core/errors.ts`. Results for a single record
 * are returned.
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
  /** The version of this contract that the connector follows. No other version is loaded. */
  contract: 2;
  /** The value of `crm.kind` in the settings. */
  kind: string;
  /**
   * The CRM's name, the questions of the set-up, and the CRM's own webhooks. If omitted, users see `kind` as the CRM's
   * name and write the settings by hand. Webhooks then have only the general forms.
   */
  about?: AboutCrm;
  /** The `crm` part of an integration's settings. */
  settingsSchema: z.ZodType<Settings>;
  /** One `networks[].group` of the settings. */
  groupSchema: z.ZodType<GroupSelector>;
  /** The field map that is used if the settings have none. */
  defaultFields: readonly FieldMapping[];
  /** How a user grants donor-sync access on a page of the CRM. Omitted if there is no such page. */
  consent?: Consent<Settings>;
  /**
   * Returns a contact's ID in the form that the connector uses, from any form that users and programs may enter.
   * Returns null if the text cannot be a contact's ID. Omitted if IDs have only one form.
   */
  canonicalId?(text: string): string | null;
  /**
   * Returns other strings that users and programs may use for the contact with this canonical ID. An erasure also
   * searches for traces under these strings. Omitted if IDs have only one form.
   */
  otherForms?(id: string): readonly string[];
  /**
   * Returns the address of the page on which the CRM's users see this contact. Returns null if it does not follow from
   * the settings. Sends no request. Omitted if contacts have no page, or if only the CRM knows its address.
   */
  recordUrl?(settings: Settings, id: string): string | null;
  /**
   * True if plain http in `crm.url` is rejected, unless it leads to this machine or to a host in `allowInsecureHttp` of
   * the settings. If omitted, this version only warns about it.
   */
  refusesPlainHttp?: boolean;
  /**
   * True if an acknowledged write may wait outside the CRM until `finish`. In that case, the connector has
   * `erase`. Omitted if an acknowledged write is in the CRM.
   */
  keepsWrites?: boolean;
  /**
   * When to read again after a webhook, in ascending order, for a CRM whose searches lag behind its records. Omitted if
   * reading never lags.
   */
  rereadAfterMs?: readonly number[];
  /**
   * Signs in and loads everything that is needed. An open connector is ready for work and knows its account. If this
   * fails, throws a ConfigurationError that describes the problem. After a failure, nothing has been changed, and
   * nothing is open.
   */
  open(options: ConnectorOptions<Settings>): Promise<Connector>;
  /**
   * Checks the prerequisites for `doctor`, with one finding for each. Closes everything that it has opened, and never
   * throws.
   */
  check(options: ConnectorOptions<Settings>): Promise<Finding[]>;
  /**
   * Returns the mapped fields, and the parts that show them to users, as files that an administrator deploys with the
   * CRM's own tools. If `door` is given and the CRM supports it, adds the button that enhances a record. `door` is the
   * address of the client's door (https, without a slash at its end). Sends no request to the CRM. Omitted if a CRM has
   * no such files.
   */
  fieldsAsSource?(
    settings: Settings,
    fields: readonly MappedFieldSpec[],
    door?: string | null,
  ): FieldsSource;
}

/** A field that an entry of the field map requires. */
export interface MappedFieldSpec extends FieldSpec {
  from: FieldSource;
}

export interface FieldsSource {
  /** The files' contents by path. Each path is relative to the folder of the project. Paths contain slashes. */
  files: ReadonlyMap<string, string>;
  /** Mapped fields that none of the files contains, with the reasons. */
  leftOut: readonly { name: string; problem: string }[];
  /** The user's next steps with the files. */
  next: readonly string[];
}

/**
 * OAuth with PKCE (RFC 6749 and 7636). It contains everything that is different for each kind of CRM. The result is one
 * refresh token. If the settings contain no token, the connector reads it from its secrets.
 */
export interface Consent<Settings = unknown> {
  /** True if the settings require a consent for the sign-in but lack some of its values. */
  isWanted(settings: Settings): boolean;
  /** The name of the secret in which the connector looks for the refresh token. */
  secretName(settings: Settings): string;
  /**
   * The only name of this machine to which the CRM redirects users over http, for example `localhost`. Omitted if it
   * accepts any name.
   */
  loopbackName?: string;
  /**
   * Returns the page to which the user has to be sent. Throws a ConfigurationError for an address that the CRM rejects.
   */
  begin(settings: Settings, request: ConsentRequest): string | Promise<string>;
  /** Exchanges the code for a refresh token. Returns the token's account. Throws one of the four kinds of error. */
  complete(settings: Settings, reply: ConsentReply, deps: ConsentDeps): Promise<Consented>;
  /** Revokes the token. It is not an error if the token is already revoked. Throws the same errors as `complete`. */
  revoke(settings: Settings, refreshToken: string, deps: ConsentDeps): Promise<void>;
}

export interface ConsentRequest {
  /**
   * The address to which the CRM redirects the user afterwards. It must be registered for the app in the CRM.
   */
  redirectUri: string;
  /** A random value that nobody can guess. The user's browser returns it. */
  state: string;
  /** The PKCE verifier, at least 43 characters. The user's browser receives only its hash. */
  codeVerifier: string;
}

export interface ConsentReply {
  code: string;
  /** The same value as in the request. */
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
  /** The parts of the CRM that runs use in addition to contacts. Used only for `check`, and omitted elsewhere. */
  uses?: ConnectorUses;
}

/** The fields and groups that an integration's settings need in addition to `crm` and `contacts`. */
export interface ConnectorUses {
  /** The contact fields that runs write. */
  fields: readonly string[];
  /** The groups that become networks. */
  groups: readonly GroupSelector[];
}

/** The contacts that belong to the integration. */
export interface ContactsSettings {
  /** A condition in the CRM's own filter language, or null for all contacts. */
  filter: string | null;
  /** The field that is true (or not blank) for people who must not be researched. */
  optOutField: string | null;
  /** The values that mean an opt-out, if the opt-out field is a picklist. */
  optOutValues?: readonly string[] | null;
  /** A field that marks contacts as deceased. The CRM's own fields for this are also read. */
  deceasedField?: string | null;
  /** A field that marks contacts as do not contact. The CRM's own fields for this are also read. */
  doNotContactField?: string | null;
  /**
   * Values of `deceasedField` that mark deceased contacts. If omitted, every word for yes and every date marks the
   * contact.
   */
  deceasedValues?: readonly string[] | null | undefined;
  /**
   * Values of `doNotContactField` that mark a contact. If omitted, every word for yes and every date marks the contact.
   */
  doNotContactValues?: readonly string[] | null | undefined;
  /**
   * Values of each field that do not mark a contact. If a contact's value is in neither list, it waits for a user
   * (`mark_unknown`).
   */
  unmarkedValues?:
    | {
        optOut?: readonly string[] | undefined;
        deceased?: readonly string[] | undefined;
        doNotContact?: readonly string[] | undefined;
      }
    | undefined;
  /** True if contacts marked as deceased are still enhanced. */
  includeDeceased?: boolean;
  /** True if contacts marked as do not contact are still enhanced. */
  includeDoNotContact?: boolean;
}

/** The dependencies of a connector. It never creates a clock, a log or a secret store itself. */
export interface ConnectorDeps {
  /** donor-sync's own clock also measures elapsed time (`monotonicMs`). */
  clock: WallClock & Partial<Clock>;
  log: Log;
  /** Aborted when the run stops. All waits then end immediately, and requests in flight may finish. */
  signal: AbortSignal;
  /** Encrypted storage for tokens that change, for example rotated refresh tokens. */
  secrets: ConnectorSecrets;
  /** Set if several processes share the pace of an account. If null or omitted, each process has its own pace. */
  board?: DepartureBoard | null;
  /**
   * Sends requests to the CRM if its address was set in a browser. Requests to a private network are rejected. Omitted
   * if the operator wrote the address in a settings file. The connector then sends requests itself.
   */
  fetch?: typeof globalThis.fetch;
  /** Called for each request to the CRM, for the run's report. */
  onCall(call: { throttled: boolean }): void;
  /**
   * Returns the contacts that the CRM's data lacks but that still exist according to donor-sync. A connector must not
   * drop their values before a user has confirmed that they are gone. Omitted if donor-sync has not read any contacts
   * yet. In that case, no missing contact is treated as existing.
   */
  countAsPresent?(ids: readonly string[]): Promise<ReadonlySet<string>>;
}

export interface ConnectorSecrets {
  read(name: string): Promise<string | null>;
  /** The promise resolves after the secret has been written to the disk. */
  write(name: string, value: string): Promise<void>;
}

/** An open connector of one integration. Each open connector is used for one run or command. */
export interface Connector {
  readonly kind: string;
  readonly capabilities: Capabilities;
  /**
   * The account to which the connector is signed in. The integration belongs permanently to its first
   * account.
   */
  readonly account: CrmAccount;

  /**
   * The parts of a record that describe a person for the service, and which of these parts can be read.
   * Omitted if every part of an identity can always be read.
   */
  identity?(): IdentityShape;

  /**
   * Yields the contacts that have changed since the cursor, in pages. If the cursor is null, yields all contacts. If
   * the CRM reports deleted or merged contacts, they come first. After a merge, the remaining contact can then take
   * over the profile of the other one before donor-sync spends a credit. If the CRM reports a merge only through the remaining
   * contact, both contacts are on one page. A contact may appear more than once. If a reading is stopped early, the
   * next reading is not affected.
   *
   * If all contacts are read again, `known` contains the contacts that were read before. A connector that reports
   * removals then also reports the contacts that have left since `known.cursor`, because no later reading would.
   */
  readPages(cursor: string | null, known?: KnownContacts): AsyncIterable<ContactPage>;

  /**
   * Returns the current records of these contacts with the current values of `fields`. There is one entry for each ID.
   * The entries are in the order of the IDs. Gets at most `capabilities.readBatch` IDs.
   */
  readByIds(ids: readonly string[], fields: readonly string[]): Promise<RecordLookup[]>;

  /**
   * Returns the IDs of records that were merged directly into this record, if the CRM still reports them. An erasure
   * calls this, because donor-sync may not have read the merge yet. A connector whose CRM does not merge records omits
   * this method.
   */
  findMerged?(id: string): Promise<readonly string[]>;

  /**
   * Returns the IDs of the contacts that `contacts.filter` includes now. If there is a filter, donor-sync calls this
   * before it spends a credit. It applies to contacts that this run has not read. A CRM does not report that a contact
   * has left the filter, because the contact still exists. Gets at most `capabilities.readBatch` IDs. A connector omits
   * this method if it has no filters, or if it reports such contacts as removed.
   */
  findIncluded?(ids: readonly string[]): Promise<ReadonlySet<string>>;

  /**
   * Returns the IDs of at most `most` contacts that `contacts.filter` includes. Each word of the text must be the start
   * of a word in the contact's first or last name. Every other character is ignored, so it cannot have a meaning for
   * the CRM. The text is a name, so it must not appear in a request's address, in a log or in an error. A connector
   * omits this method if the CRM cannot search.
   */
  search?(text: string, most: number): Promise<readonly string[]>;

  /**
   * Yields the IDs of contacts that have opted out or objected, and that `readPages(cursor)` does not return. The
   * contacts are outside `contacts.filter`, or their mark is on a record to which they refer. It may also yield
   * contacts that were marked before the cursor, or that are not marked at all, because donor-sync looks up each known
   * contact. Costs nothing if there can be no such contacts. A connector omits this method if `readPages` shows every
   * mark.
   */
  findMarked?(cursor: string | null): AsyncIterable<readonly string[]>;

  /**
   * Writes the changes. Yields one result for each as soon as it is known, in any order. A change writes exactly its
   * fields, and null clears a field. A rejected record does not affect other records. If the CRM rejects a value and
   * reports its field, the record's other values are still written. A value is acknowledged only if the CRM holds all
   * of it. If there are two changes to one contact, the later change wins. Writing the same change twice is harmless.
   */
  write(
    changes: Iterable<ContactChange> | AsyncIterable<ContactChange>,
  ): AsyncIterable<WriteResult>;

  /**
   * Reads records right after a write. This shows which values the CRM's own automation has changed. Returns one entry
   * for each write. The entries are in the order of the writes. Gets at most `capabilities.readBatch` writes. Omitted
   * if nothing changes a value after a write.
   */
  readBack?(writes: readonly WrittenFields[]): Promise<ReadBack[]>;

  /**
   * Finds values that the CRM's automation has derived from our values. For example, a workflow may run an hour after
   * our write. Returns an entry for each record with such a field. A field is included only if automation has changed
   * it after an app's last write. No user may have changed it. Gets at most `capabilities.readBatch` records. Omitted
   * if the CRM does not keep the authors of values.
   */
  findAutomated?(
    records: readonly { id: string; fields: readonly string[] }[],
  ): Promise<AutomatedFields[]>;

  /** Returns the fields of a contact that the integration's user can see. */
  describeFields(): Promise<CrmField[]>;

  /** Creates missing fields and gives the integration's user access to them. Can be repeated. */
  createFields(fields: readonly FieldSpec[]): Promise<FieldCreation[]>;

  /**
   * Makes these fields visible to users other than the integration's. `assignTo` is the group of users in the CRM's
   * terms, such as a profile. If it is null, no user is assigned. Can be repeated. Omitted if the CRM does not hide new
   * fields from users.
   */
  showFields?(names: readonly string[], assignTo: string | null): Promise<FieldViewers>;

  /**
   * Returns the number of users who can see any of these fields. Omitted if the CRM does not hide new fields.
   */
  countViewers?(names: readonly string[]): Promise<number>;

  /**
   * Creates lists for users to work with, which the CRM itself keeps up to date. A list that already exists is not
   * changed. Can be repeated. Omitted if the CRM has no such lists, or if they cannot be created.
   */
  createLists?(lists: readonly ListSpec[]): Promise<ListCreation[]>;

  /** Returns the groups of people that the CRM offers as choices. */
  listGroups(): Promise<GroupSummary[]>;

  /**
   * Yields the contact IDs of a group, in batches. Throws if the group cannot be read completely, because an
   * incomplete group must never look complete.
   */
  readGroup(selector: GroupSelector): AsyncIterable<readonly string[]>;

  /** Returns the fields with which the CRM itself marks contacts. They need no setting. Omitted if there are none. */
  automaticMarks?(): readonly AutomaticMark[];

  /**
   * For each marking field in the settings, returns the number of contacts that it excludes, and the values that
   * exclude them. Omitted if the connector cannot count all contacts before a reading.
   */
  countMarks?(): Promise<MarkCount[]>;

  /**
   * Returns the IDs of at most `most` of the integration's contacts. `doctor` needs these IDs, and the request should
   * be cheap. If omitted, the first contacts of `readPages` are used.
   */
  sampleIds?(most: number): Promise<string[]>;

  /**
   * Returns facts about the account for a report. Any user who has read access to contacts can read these facts.
   * Omitted if there are no such facts.
   */
  readFacts?(): Promise<AccountFact[]>;

  /** Returns the limits that the CRM reports, or null if it has no limits. */
  readLimits(): Promise<LimitState | null>;

  /**
   * Permanently deletes the connector's pending changes to these contacts. Pending changes have not been written to the
   * CRM yet. Resolves with their number. Called at the start of each run, and when a person is erased. Omitted if an
   * acknowledged write is always in the CRM.
   */
  erase?(isErased: (id: string) => boolean): Promise<number>;

  /** Makes every acknowledged write visible to other users. Called at the end of each run. */
  finish(): Promise<void>;

  /** Releases connections and files. Calling it twice does no harm. */
  close(): Promise<void>;
}

/** A CRM kind's capabilities. Functions that are not among them are never called. */
export interface Capabilities {
  /** True if `readPages` accepts a cursor. Otherwise each reading is complete. */
  incremental: boolean;
  /**
   * True if pages name the contacts that have left. If this is false, only a full reading shows that contacts are
   * missing.
   */
  reportsRemovals: boolean;
  createsFields: boolean;
  /**
   * True if `write` obeys `together`. It then writes either every value of a change or none of them. Defaults to false.
   * If a contact then becomes a different person, it is held and not written.
   */
  writesTogether?: boolean;
  /**
   * The function that reports values that other users entered between our reading and our write. Omitted if the
   * connector does not report them.
   */
  tellsOverwritten?: 'write' | 'readBack';
  /** True if reading and writing need requests to a server. False for a file. */
  remote: boolean;
  /** The keys of the group selectors that it accepts, for example `campaign`. */
  groups: readonly string[];
  /** The maximum number of IDs in one `readByIds` call. */
  readBatch: number;
  /**
   * The number of changes that use one `write` efficiently, and the maximum number of changes. If there are at least
   * `bulk` changes, the CRM has a cheaper way to write them. Null if the CRM has no cheaper way.
   */
  writeBatch: { preferred: number; bulk: number | null; max: number };
}

/**
 * The CRM account that the credentials belong to. Its ID is fixed when an integration first runs, and is stored in
 * plain text. It is the ID that the CRM has given the organisation. A different address or key of the same organisation
 * does not change the ID. The ID contains no key. If a CRM runs on the organisation's own server and has no such ID,
 * the server's address is the ID.
 */
export interface CrmAccount {
  id: string;
  name: string;
}

export interface ContactPage {
  contacts: readonly Contact[];
  removed: readonly RemovedContact[];
  /**
   * Known contacts that were looked up and are `missing`. It has the same meaning as in a `RecordLookup`. Defaults to
   * none.
   */
  missing?: readonly string[];
  /**
   * The position from which a later reading can start. donor-sync must first have decided about all contacts up to this
   * page. Null if a later reading has to start from the beginning. A later reading returns the changes that are made
   * during this reading. It contains no key and nothing about people.
   */
  cursor: string | null;
}

/** The results of earlier readings of the same contacts. */
export interface KnownContacts {
  /**
   * The IDs of all contacts that have been read and not been removed, in batches. Some of the strings may be invalid as
   * IDs of the CRM.
   */
  ids(): AsyncIterable<readonly string[]>;
  /**
   * The IDs of contacts that have been read earlier and been removed since then. A restored contact may be among them.
   */
  leftIds(): AsyncIterable<readonly string[]>;
  /** The cursor from which the next reading would have continued. */
  cursor: string;
  /**
   * True if the settings select the same contacts as at the cursor. Contacts that are not known were then created after
   * the cursor, so the connector can read the known contacts by ID and skip their list.
   */
  isSameSelection: boolean;
}

/** A contact that is gone. A merged contact continues under a different ID. */
export interface RemovedContact {
  id: string;
  mergedInto: string | null;
}

export type RecordLookup =
  | { state: 'found'; id: string; contact: Contact; values: FieldValues }
  /**
   * The CRM confirms that the record was deleted or merged. It still has the deleted record, or an entry about the
   * deletion.
   */
  | { state: 'removed'; id: string; mergedInto: string | null }
  /**
   * There is no record, and the CRM shows no deletion. Lost access looks exactly the same, so this result alone never
   * removes a contact.
   */
  | { state: 'missing'; id: string };

/** Values to write into one contact. */
export interface ContactChange {
  id: string;
  values: FieldValues;
  /**
   * True if the CRM must write all these values or none of them. Values of a different person must not remain next to
   * them. Set only if `capabilities.writesTogether` is true. A rejected value then rejects the whole change. The result
   * names the fields to blame if the CRM reports them. It also names them if the connector finds them without a write.
   */
  together?: boolean;
  /**
   * True to send every value to the CRM, even a value that the connector would leave out because of a rule that it has
   * read. This checks the connector's own judgement from time to time.
   */
  probe?: boolean;
  /**
   * Fields that only make sense together, such as the ends of a range and its label. If a rejection names no field, the
   * connector searches for it. The search leaves out either all fields of such a group or none of them. This is only a
   * hint. Without it, the fields are found one after the other.
   */
  groups?: readonly (readonly string[])[];
  /**
   * The values that the caller had read for these fields. The connector uses these values to report which values other
   * users have changed in the meantime. If omitted, nothing is compared.
   */
  seen?: FieldValues;
}

/**
 * Values that others entered after the caller had read the contact. Our write then replaced these values. Others are
 * users and other apps. The CRM's automation is excluded if the CRM identifies it. A cleared value is included.
 */
export interface Overwritten {
  /** The former values. Null if the value was cleared. */
  values: FieldValues;
  /** The CRM's ID or name for the author of these values. Null if the CRM does not report an author. */
  by: string | null;
}

/** Fields that this connector has just written into one contact. */
export interface WrittenFields {
  id: string;
  fields: readonly string[];
  /** The time when the write's request was sent (epoch ms). */
  sentAtMs: number;
  /**
   * The values that were sent, and the values that the caller had read before. If they are omitted, nothing
   * is compared.
   */
  sent?: FieldValues;
  seen?: FieldValues;
}

/** The current values of the written fields. */
export interface ReadBack {
  id: string;
  /** Current values of these fields, or null if the record can no longer be read. */
  values: FieldValues | null;
  /**
   * True if a different tool also changes contacts as the same CRM user. This is reported if the user changed the
   * record after this write and the connector made no further change. Otherwise omitted.
   */
  sharesUser?: true;
  /**
   * Fields whose current value was set by the CRM's automation in response to this write. Salesforce shows the author
   * of the last change to a record. HubSpot shows the source of each change in the property's history.
   */
  automated: readonly string[];
  /** If omitted, no value was lost, or the CRM cannot report lost values. */
  overwritten?: Overwritten;
}

/**
 * Fields of one contact whose current values come only from the CRM's automation. The automation changed values that an
 * app had written.
 */
export interface AutomatedFields {
  id: string;
  /** The value that the app wrote, by field. */
  madeFrom: FieldValues;
}

export type WriteResult =
  | { status: 'written'; id: string; overwritten?: Overwritten }
  /** Everything is written except the fields in `refusals`. Each of them has an entry there. */
  | {
      status: 'written_in_part';
      id: string;
      refusals: readonly Refusal[];
      overwritten?: Overwritten;
    }
  | RefusedWrite;

/** No part of the change is written. */
export interface RefusedWrite extends Refusal {
  status: 'refused';
  id: string;
}

/** The reason why a CRM rejects a change or some of its fields. */
export interface Refusal {
  /** True if the same write may succeed later, for example after a lock or a temporary fault. */
  retriable: boolean;
  /** True if a different user or process had locked the record. Omitted for all other reasons. */
  isLock?: boolean;
  /** The CRM's own code, for example `FIELD_CUSTOM_VALIDATION_EXCEPTION`. */
  code: string;
  /** Our own sentence for the nonprofit's administrator. It never quotes the CRM. */
  message: string;
  /** The fields that caused the rejection, if the CRM reports them. */
  fields: readonly string[];
  /** Why the value was rejected, as far as the CRM reports it. Omitted if it does not. */
  cause?: RefusalCause;
  /**
   * True if the connector omitted the value itself, because it breaks a rule that the CRM lets it
   * read. A change with `probe` sends the value anyway.
   */
  unsent?: true;
  /**
   * True if the record may contain some of the refused values. These values are then still treated as written, so an
   * erasure finds them.
   */
  isPartlyStored?: true;
  /** The CRM's own text, which is encrypted when it is stored. Omitted if there is none. */
  words?: ForeignText | null;
}

/**
 * The reason why a CRM rejects a value. `rule`: a rule of the CRM (validation, trigger, uniqueness). `does_not_fit`:
 * the value does not fit the field's type, length or options. `no_permission`: this user must not write the field.
 * `no_such_field`: the field does not exist.
 */
export type RefusalCause = 'rule' | 'does_not_fit' | 'no_permission' | 'no_such_field';

export interface FieldCreation {
  name: string;
  result: 'created' | 'existed' | 'failed';
  /** The reason for the failure, and the fix. Null if it did not fail. */
  problem: string | null;
}

/** The users who can see the written fields, and your next step. */
export interface FieldViewers {
  /** What makes the fields visible, in the CRM's own term, such as a permission set. */
  grant: string;
  /** Users who have it, including users who had it before. */
  people: number;
  /** The users to whom it was just assigned, and the users for whom the CRM refused it. */
  assigned: number;
  refused: number;
  /** The problem and the fix, or null if there is none. */
  problem: string | null;
  /** The place where users can add the fields to a page. */
  next: string;
}

/** A list of contacts in which one field meets a condition. */
export interface ListSpec {
  name: string;
  field: string;
  /** The condition on the field's value in canonical form. */
  condition: { above: number } | { equals: string };
}

export interface ListCreation {
  name: string;
  /** The result. `left_out` means that the field map lacks the field that the list needs. */
  result: FieldCreation['result'] | 'left_out';
  /** The problem or the reason for an omitted list, and the fix. Null if there is none. */
  problem: string | null;
}

/** One `group` in the settings. It has a single key, which names the kind of group. The value selects the group. */
export type GroupSelector = Readonly<Record<string, unknown>>;

export interface GroupSummary {
  selector: GroupSelector;
  name: string;
  memberCount: number | null;
}

export interface LimitState {
  /** The requests of all tools of the account during the current day or the last 24 hours. */
  daily: { max: number; remaining: number };
}

/**
 * Fields with which the CRM itself marks contacts, for example the fields of the Nonprofit Success
 * Pack.
 */
export interface AutomaticMark {
  kind: 'deceased' | 'doNotContact';
  fields: readonly string[];
}

/** How many contacts one marking field excludes. */
export interface MarkCount {
  kind: 'optOut' | 'deceased' | 'doNotContact';
  /** The field that the settings name. */
  field: string;
  /** The number of contacts that were counted. */
  contacts: number;
  /** The number of contacts that the field excludes. */
  marked: number;
  /** The values that exclude contacts, normalised, with their counts. All dates count as one value. */
  values: ReadonlyMap<string, number>;
}

/** A fact about the account, for example its edition. It never contains a name, an ID or a value from a contact. */
export interface AccountFact {
  name: string;
  value: string | number;
}

/** One prerequisite. It is met, or the finding contains the exact fix. */
export interface Finding {
  subject: string;
  ok: boolean;
  message: string;
  fix: string | null;
  /** A fixed word that all findings with the same cause share, such as `crm_scope_missing`. */
  cause?: string;
  /**
   * The message in a form that may be shared, without names, values, IDs and addresses. Omitted if the subject and the
   * cause are enough.
   */
  report?: string;
  /** The CRM's own text. Users can request it in the terminal. */
  words?: ForeignText | null;
}
