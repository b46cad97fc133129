/**
 * The contract of every connector: what the sync may ask of a CRM. One folder implements it for
 * one kind of CRM; `testing/` holds the suite that each has to pass; `memory/` is the reference.
 *
 * Failures of the CRM as a whole are thrown as one of the four kinds of `src/core/errors.ts`;
 * what happened to a single record is returned.
 */
import type { z } from 'zod';
import type { WallClock } from '../src/core/clock.ts';
import type { Contact } from '../src/core/contact.ts';
import type { CrmField, FieldSpec, FieldValues } from '../src/core/crm-field.ts';
import type { FieldMapping, FieldSource } from '../src/core/field-map.ts';
import type { ForeignText } from '../src/core/foreign-text.ts';
import type { IdentityShape } from '../src/core/identity-shape.ts';
import type { Log } from '../src/core/log.ts';
import type { DepartureBoard } from '../src/outbound/pace.ts';

export type { IdentityShape, IdentitySource } from '../src/core/identity-shape.ts';

/** One kind of CRM, as `index.ts` registers it. */
export interface ConnectorDefinition<Settings = unknown> {
  /** The word in `crm.kind` of the settings. */
  kind: string;
  /** The `crm` part of an integration's settings. */
  settingsSchema: z.ZodType<Settings>;
  /** One `networks[].group` of the settings. */
  groupSchema: z.ZodType<GroupSelector>;
  /** The field map that is used where the settings have none. */
  defaultFields: readonly FieldMapping[];
  /** How a person lets donor-sync in on a page of the CRM; left out where there is no such page. */
  consent?: Consent<Settings>;
  /**
   * The one form of a contact's id that the connector itself uses, from any form that people and
   * programs type; null if the text cannot be the id of a contact. Left out: ids have one form only.
   */
  canonicalId?(text: string): string | null;
  /**
   * Other texts by which people and programs mean the contact with this canonical id: an erasure looks for
   * traces under them as well. Left out: ids have one form only.
   */
  otherForms?(id: string): readonly string[];
  /**
   * True if plain http in `crm.url` is refused, unless it leads to this machine or to a host that
   * `allowInsecureHttp` in the settings names. Left out: this version only warns of it.
   */
  refusesPlainHttp?: boolean;
  /**
   * True if an acknowledged write may wait beside the CRM until `finish`; then the connector has `erase`.
   * Left out where an acknowledged write is in the CRM.
   */
  keepsWrites?: boolean;
  /**
   * Where what changed is found only after a while, as searches lag behind the records: how long after
   * a webhook to read again, ascending. Left out where reading is never behind.
   */
  rereadAfterMs?: readonly number[];
  /**
   * Signs in and learns what the work needs: an open connector is ready, and knows its account. Throws
   * a ConfigurationError that says what is wrong, with nothing changed and nothing left open.
   */
  open(options: ConnectorOptions<Settings>): Promise<Connector>;
  /** The prerequisites, one finding each, for `doctor`; opens nothing that stays open. Throws nothing. */
  check(options: ConnectorOptions<Settings>): Promise<Finding[]>;
  /**
   * The mapped fields, and what shows them to people, as files that an administrator deploys with the
   * CRM's own tools. Asks the CRM nothing. Left out where a CRM has no such files.
   */
  fieldsAsSource?(settings: Settings, fields: readonly MappedFieldSpec[]): FieldsSource;
}

/** A field that a line of the field map asks for. */
export interface MappedFieldSpec extends FieldSpec {
  from: FieldSource;
}

export interface FieldsSource {
  /** Texts by their path, with slashes, below the folder of the project. */
  files: ReadonlyMap<string, string>;
  /** Mapped fields that are in none of the files, and why. */
  leftOut: readonly { name: string; problem: string }[];
  /** What a person does with the files, one step each. */
  next: readonly string[];
}

/**
 * OAuth with PKCE (RFC 6749 and 7636), as far as a kind of CRM differs in it. What it brings is one
 * refresh token; the connector finds it among its secrets when the settings hold none.
 */
export interface Consent<Settings = unknown> {
  /** True if the settings leave the sign-in to a consent instead of holding all it takes. */
  isWanted(settings: Settings): boolean;
  /** The name of the secret under which the connector looks for the refresh token. */
  secretName(settings: Settings): string;
  /**
   * The one name of this machine to which the CRM sends people back over http, for example
   * `localhost`; left out where it takes any of them.
   */
  loopbackName?: string;
  /** The page to send the person to. Throws a ConfigurationError for an address that the CRM refuses. */
  begin(settings: Settings, request: ConsentRequest): string | Promise<string>;
  /**
   * Gives the code for a refresh token, and says of which account it is. Throws one of the four
   * kinds of error.
   */
  complete(settings: Settings, reply: ConsentReply, deps: ConsentDeps): Promise<Consented>;
  /** Makes the token worthless; one that is so already is no error. Throws like `complete`. */
  revoke(settings: Settings, refreshToken: string, deps: ConsentDeps): Promise<void>;
}

export interface ConsentRequest {
  /** Where the CRM sends the person afterwards; the app there has to know it. */
  redirectUri: string;
  /** Unguessable; it comes back with the person. */
  state: string;
  /** The PKCE verifier, at least 43 characters. Only its hash goes along with the person. */
  codeVerifier: string;
}

export interface ConsentReply {
  code: string;
  /** That of the request. */
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
  /** What runs use of the CRM besides contacts; for `check` alone, and left out elsewhere. */
  uses?: ConnectorUses;
}

/** What the settings of an integration ask for beyond `crm` and `contacts`. */
export interface ConnectorUses {
  /** The fields of a contact that runs write. */
  fields: readonly string[];
  /** The groups that become networks. */
  groups: readonly GroupSelector[];
}

/** Which contacts belong to the integration. */
export interface ContactsSettings {
  /** A condition in the CRM's own filter language; null for all contacts. */
  filter: string | null;
  /** The field that is true (or not blank) for people who must not be researched. */
  optOutField: string | null;
  /** Where the opt-out field is a picklist: the values that opt out. */
  optOutValues?: readonly string[] | null;
  /** A field that marks the dead, besides those that the CRM is known to bring. */
  deceasedField?: string | null;
  /** A field that marks those who want no contact, likewise. */
  doNotContactField?: string | null;
  /** Values of `deceasedField` that mark the dead; left out: words for yes, and dates. */
  deceasedValues?: readonly string[] | null | undefined;
  /** Values of `doNotContactField` that mark, likewise. */
  doNotContactValues?: readonly string[] | null | undefined;
  /** Values of each of the fields that do not mark: a value in neither list waits for a user (`mark_unknown`). */
  unmarkedValues?:
    | {
        optOut?: readonly string[] | undefined;
        deceased?: readonly string[] | undefined;
        doNotContact?: readonly string[] | undefined;
      }
    | undefined;
  /** True if the dead are researched all the same. */
  includeDeceased?: boolean;
  /** True if those who want no contact are researched all the same. */
  includeDoNotContact?: boolean;
}

/** What a connector is given; it makes no clock, log or secret store of its own. */
export interface ConnectorDeps {
  clock: WallClock;
  log: Log;
  /** Aborted when the run stops: waits end at once, requests under way may finish. */
  signal: AbortSignal;
  /** Encrypted storage for tokens that change, for example rotated refresh tokens. */
  secrets: ConnectorSecrets;
  /** Where processes share the pace of an account; null or left out: each has its own. */
  board?: DepartureBoard | null;
  /**
   * Brings requests to the CRM if its address was set in a browser, and refuses those into a private network. Left out
   * where an operator has written the address: then the connector uses its own.
   */
  fetch?: typeof globalThis.fetch;
  /** Called for each request to the CRM, for the run's report. */
  onCall(call: { throttled: boolean }): void;
  /**
   * Returns the contacts among these ids that donor-sync still counts as present, although the CRM's data
   * lacks them: no connector may drop their values before a user has confirmed that they are gone. Left out
   * where nothing is known of contacts; then none of them counts as present.
   */
  countAsPresent?(ids: readonly string[]): Promise<ReadonlySet<string>>;
}

export interface ConnectorSecrets {
  read(name: string): Promise<string | null>;
  /** On disk when the promise resolves. */
  write(name: string, value: string): Promise<void>;
}

/** An open connector of one integration, for the length of one run or command. */
export interface Connector {
  readonly kind: string;
  readonly capabilities: Capabilities;
  /** The account that it is signed in to; the integration belongs to the first one for good. */
  readonly account: CrmAccount;

  /**
   * Of what the persons are made that the service is shown, and what of it can be read; left out
   * where every part of an identity can always be read.
   */
  identity?(): IdentityShape;

  /**
   * The contacts that changed since the cursor, all of them if it is null, page by page; also
   * those that left (deleted or merged), where the CRM tells: they come first, so that the winner
   * of a merge inherits before a user decides to pay for it. A contact may come more than once.
   * `known`, where all of them are wanted again, may save a connector from asking who there is.
   */
  readPages(cursor: string | null, known?: KnownContacts): AsyncIterable<ContactPage>;

  /**
   * The records of these contacts as they are now, with the present values of `fields`: one
   * entry for each id, in the order of the ids. At most `capabilities.readBatch` ids.
   */
  readByIds(ids: readonly string[], fields: readonly string[]): Promise<RecordLookup[]>;

  /**
   * Returns the ids of the records that were merged into this record directly, as far as the CRM still reports them.
   * donor-sync calls it when a person is erased, because it may not have read the merge yet. A connector whose CRM does
   * not merge records leaves this method out.
   */
  findMerged?(id: string): Promise<readonly string[]>;

  /**
   * Returns the ids of the contacts that `contacts.filter` includes now. donor-sync calls it if there is a
   * filter, before it spends a credit on contacts that this run has not read: a CRM does not report that a
   * contact has left the filter, because the contact still exists. Gets at most `capabilities.readBatch` ids.
   * A connector leaves this method out if it has no filters, or if it reports such contacts as removed.
   */
  findIncluded?(ids: readonly string[]): Promise<ReadonlySet<string>>;

  /**
   * Yields the ids of contacts that have opted out or object, and that `readPages(cursor)` does not show: those that
   * `contacts.filter` does not include, and those whose mark is set at a record that they point to. A contact that was
   * marked before the cursor, or is not marked after all, does no harm: donor-sync looks each of them up if it knows it.
   * Costs nothing if there can be no such contacts. A connector leaves this method out if `readPages` shows every mark.
   */
  findMarked?(cursor: string | null): AsyncIterable<readonly string[]>;

  /**
   * Writes the changes and yields one result for each, in any order, as soon as it is known. A
   * change writes exactly the fields it names; null clears a field. A record that is refused
   * does not disturb the others, nor does a value that the CRM refuses by naming its field disturb
   * the other values of its record. Writing the same change twice is harmless.
   */
  write(
    changes: Iterable<ContactChange> | AsyncIterable<ContactChange>,
  ): AsyncIterable<WriteResult>;

  /**
   * Reads records back right after they were written, to recognise values that the CRM's own automation
   * has changed in reaction to the write. One entry for each write, in their order; at most
   * `capabilities.readBatch` writes. Left out where nothing changes a value after a write.
   */
  readBack?(writes: readonly WrittenFields[]): Promise<ReadBack[]>;

  /** The fields of a contact that the integration's user can see. */
  describeFields(): Promise<CrmField[]>;

  /** Creates what is missing and grants the integration's user access; repeatable. */
  createFields(fields: readonly FieldSpec[]): Promise<FieldCreation[]>;

  /**
   * Lets people see these fields, besides the integration's user, where the CRM hides new fields
   * from all of them; left out where it does not. `assignTo` names the people: what a CRM groups its
   * users by, for example a profile; null assigns no one. Repeatable.
   */
  showFields?(names: readonly string[], assignTo: string | null): Promise<FieldViewers>;

  /** How many people can see one of these fields at least; left out where new fields are not hidden. */
  countViewers?(names: readonly string[]): Promise<number>;

  /**
   * Makes lists that the CRM itself keeps up to date, for people to work with; one of that name stays as
   * it is. Left out where the CRM has no such lists, or they cannot be made. Repeatable.
   */
  createLists?(lists: readonly ListSpec[]): Promise<ListCreation[]>;

  /** The groups of people that the CRM offers for choosing. */
  listGroups(): Promise<GroupSummary[]>;

  /**
   * The contact ids of a group, in portions. Throws if the group cannot be read to its end:
   * half a group must never look like a whole one.
   */
  readGroup(selector: GroupSelector): AsyncIterable<readonly string[]>;

  /** The fields by which the CRM itself marks contacts, without a setting that names them. Left out where there are none. */
  automaticMarks?(): readonly AutomaticMark[];

  /**
   * Counts, for each field of the settings that marks contacts, how many of all contacts it leaves out and by which
   * values. Left out where the contacts are not all known before they are read.
   */
  countMarks?(): Promise<MarkCount[]>;

  /**
   * The ids of some contacts of the integration, at most so many, found at the least cost; for `doctor`.
   * Left out: the first of `readPages`.
   */
  sampleIds?(most: number): Promise<string[]>;

  /** What the account says of itself to anyone who may read contacts, for a report; left out: nothing. */
  readFacts?(): Promise<AccountFact[]>;

  /** What the CRM says of its limits; null where it has none. */
  readLimits(): Promise<LimitState | null>;

  /**
   * Drops what the connector keeps of these contacts and has not brought into the CRM yet, for good;
   * resolves with how much that was. Asked at the start of each run and when a person is erased. Left
   * out where an acknowledged write is in the CRM.
   */
  erase?(isErased: (id: string) => boolean): Promise<number>;

  /** Makes every acknowledged write visible to others. Called at the end of each run. */
  finish(): Promise<void>;

  /** Lets go of connections and files. Harmless when called twice. */
  close(): Promise<void>;
}

/** What a kind of CRM can do; what it cannot is never asked of it. */
export interface Capabilities {
  /** True if `readPages` understands a cursor; otherwise each read is a full one. */
  incremental: boolean;
  /** True if pages name the contacts that left; otherwise a full read shows it by their absence. */
  reportsRemovals: boolean;
  createsFields: boolean;
  /**
   * True if `write` obeys `together`: every value of a change or none. Left out: false, and a contact that
   * became another person is held instead of written.
   */
  writesTogether?: boolean;
  /**
   * Where the connector tells of values that others typed between our reading and our write: in the result of the
   * write, or when the write is read back. Left out: nowhere.
   */
  tellsOverwritten?: 'write' | 'readBack';
  /** True if reading and writing cost requests to a server; false for a file. */
  remote: boolean;
  /** The keys of the group selectors it understands, for example `campaign`. */
  groups: readonly string[];
  /** The most ids of one `readByIds`. */
  readBatch: number;
  /**
   * Changes of one `write`: how many make good use of a request, and the most it should be given.
   * From `bulk` on the CRM has a cheaper way for many; null if it has none.
   */
  writeBatch: { preferred: number; bulk: number | null; max: number };
}

/** The CRM account behind the credentials; its id is pinned when an integration first runs. */
export interface CrmAccount {
  id: string;
  name: string;
}

export interface ContactPage {
  contacts: readonly Contact[];
  removed: readonly RemovedContact[];
  /** Known contacts that were looked up and are `missing`, as of a `RecordLookup`; left out: none. */
  missing?: readonly string[];
  /**
   * Where a later read may start once everything up to and including this page is decided;
   * null if it would have to start from the beginning.
   */
  cursor: string | null;
}

/** What earlier reads of the same contacts have brought. */
export interface KnownContacts {
  /** The ids of all that came and have not left, in portions; some may be no ids of the CRM. */
  ids(): AsyncIterable<readonly string[]>;
  /** The ids of contacts that came once and have left: one that was restored may be among them. */
  leftIds(): AsyncIterable<readonly string[]>;
  /** The cursor by which the next read would have gone on. */
  cursor: string;
}

/** A contact that is gone; a merged one lives on under another id. */
export interface RemovedContact {
  id: string;
  mergedInto: string | null;
}

export type RecordLookup =
  | { state: 'found'; id: string; contact: Contact; values: FieldValues }
  /** The CRM vouches that the record was deleted or merged: it keeps a deleted record or another sign of it. */
  | { state: 'removed'; id: string; mergedInto: string | null }
  /**
   * There is no record, and no sign of a deletion. Lost access looks exactly the same, so that this never
   * removes a contact by itself.
   */
  | { state: 'missing'; id: string };

/** Values to write into one contact. */
export interface ContactChange {
  id: string;
  values: FieldValues;
  /**
   * True if the CRM must write all of these values or none: another person's values must not stay beside
   * them. Set only where `capabilities.writesTogether` is true. A value that is refused then refuses the
   * whole change, with the fields to blame where the CRM names them or the connector finds them without a write.
   */
  together?: boolean;
  /**
   * True if every value is sent to the CRM, even one that the connector itself would leave out because it
   * breaks a rule it has read: this is how a connector's own judgement is checked from time to time.
   */
  probe?: boolean;
  /**
   * Fields of the CRM that only make sense together, for example the ends of a range and its label. If a refusal
   * names no field, a connector that searches for it leaves out all fields of such a group or none. A hint:
   * without it, the fields are found one by one.
   */
  groups?: readonly (readonly string[])[];
  /**
   * The values of these fields as the caller has read them. A connector that can says in its result which of them
   * others had changed by the time of the write. Left out: nothing is compared.
   */
  seen?: FieldValues;
}

/** Values that others put into a contact after the caller had read it, and that a write of ours then replaced. */
export interface Overwritten {
  values: FieldValues;
  /** The CRM's id or name for the author of these values; null if the CRM does not report an author. */
  by: string | null;
}

/** Fields that this connector has written into one contact a moment ago. */
export interface WrittenFields {
  id: string;
  fields: readonly string[];
  /** When the request with the write was sent (epoch ms). */
  sentAtMs: number;
  /** The values that were sent, and those that the caller had read before; both left out: nothing is compared. */
  sent?: FieldValues;
  seen?: FieldValues;
}

/** The written fields as they are now. */
export interface ReadBack {
  id: string;
  /** Present values of those fields; null if the record can no longer be read. */
  values: FieldValues | null;
  /**
   * True if another tool changes contacts as the same user of the CRM: the record was changed by that user after
   * this write, and not by this connector. Left out: nothing of the kind was seen.
   */
  sharesUser?: true;
  /**
   * Fields whose present value the CRM vouches to be its own automation's reaction to this write, and no
   * user's: Salesforce by the last modification, HubSpot by the source in the property's history.
   */
  automated: readonly string[];
  /** Left out: no value was lost, or the CRM cannot tell. */
  overwritten?: Overwritten;
}

export type WriteResult =
  | { status: 'written'; id: string; overwritten?: Overwritten }
  /** All is written but the fields of `refusals`; each of those is named there. */
  | {
      status: 'written_in_part';
      id: string;
      refusals: readonly Refusal[];
      overwritten?: Overwritten;
    }
  | RefusedWrite;

/** Nothing of the change is written. */
export interface RefusedWrite extends Refusal {
  status: 'refused';
  id: string;
}

/** Why a CRM refuses a change, or some fields of it. */
export interface Refusal {
  /** True if the same write may succeed later (a lock, a passing fault). */
  retriable: boolean;
  /** True if another user or process held the record: only then is that said of it. */
  isLock?: boolean;
  /** The CRM's own code, for example `FIELD_CUSTOM_VALIDATION_EXCEPTION`. */
  code: string;
  /** A sentence of ours that a nonprofit's admin understands; nothing that the CRM has said. */
  message: string;
  /** The fields that are to blame, if the CRM says. */
  fields: readonly string[];
  /** Why the value was refused, as far as the CRM tells; left out where it does not. */
  cause?: RefusalCause;
  /**
   * True if the connector left the value out itself, because it breaks a rule that the CRM lets it read.
   * A change with `probe` sends the value anyway.
   */
  unsent?: true;
  /** What the CRM said, sealed where it is kept; left out where it said nothing. */
  words?: ForeignText | null;
}

/**
 * Why a CRM refuses a value: its own rule (validation, trigger, uniqueness), a value that does not fit the
 * field's type, length or choices, a field that this user must not write, or a field that is not there.
 */
export type RefusalCause = 'rule' | 'does_not_fit' | 'no_permission' | 'no_such_field';

export interface FieldCreation {
  name: string;
  result: 'created' | 'existed' | 'failed';
  /** Why it failed and the fix; null otherwise. */
  problem: string | null;
}

/** Who can see the fields that are written, and what a person does next. */
export interface FieldViewers {
  /** What lets people see them, as the CRM calls it: a permission set. */
  grant: string;
  /** People who have it, those from before among them. */
  people: number;
  /** People who were given it just now, and those the CRM refused it to. */
  assigned: number;
  refused: number;
  /** What went wrong and the fix; null if nothing did. */
  problem: string | null;
  /** Where the fields are placed, so that they are on the screen. */
  next: string;
}

/** A list of the contacts in which one field meets a condition. */
export interface ListSpec {
  name: string;
  field: string;
  /** About the field's value in canonical form. */
  condition: { above: number } | { equals: string };
}

export interface ListCreation {
  name: string;
  /** `left_out`: the field map has no field that it could ask for. */
  result: FieldCreation['result'] | 'left_out';
  /** What went wrong, or why it was left out, and the fix; null if nothing did. */
  problem: string | null;
}

/** One `group` of the settings: a single key that names the kind, and what it selects. */
export type GroupSelector = Readonly<Record<string, unknown>>;

export interface GroupSummary {
  selector: GroupSelector;
  name: string;
  memberCount: number | null;
}

export interface LimitState {
  /** Requests of the current day or rolling 24 hours, all of the account's tools together. */
  daily: { max: number; remaining: number };
}

/** Fields by which the CRM itself marks contacts, for example the fields of the Nonprofit Success Pack. */
export interface AutomaticMark {
  kind: 'deceased' | 'doNotContact';
  fields: readonly string[];
}

/** The contacts that one field of marks leaves out. */
export interface MarkCount {
  kind: 'optOut' | 'deceased' | 'doNotContact';
  /** The field that the settings name. */
  field: string;
  /** Contacts that were counted. */
  contacts: number;
  /** Contacts that the field leaves out. */
  marked: number;
  /** The values that leave contacts out, folded, with their counts; all dates count as one value. */
  values: ReadonlyMap<string, number>;
}

/** Something about the account that is no name, no id and no value of a contact, for example its edition. */
export interface AccountFact {
  name: string;
  value: string | number;
}

/** One prerequisite: whether it is met and, if not, the exact fix. */
export interface Finding {
  subject: string;
  ok: boolean;
  message: string;
  fix: string | null;
  /** A stable word that findings of one cause share, for example `crm_scope_missing`. */
  cause?: string;
  /**
   * The message as it may leave the house: without names, values, ids and addresses. Left out: the
   * subject and the cause say enough.
   */
  report?: string;
  /** What the CRM said, for the terminal of a user who asks for it. */
  words?: ForeignText | null;
}
