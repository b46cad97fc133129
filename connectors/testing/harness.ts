/** The interface between the tests and a connector's CRM. A harness simulates events in the CRM. */
import type { Contact } from '../../src/core/contact.ts';
import type { FieldSpec, FieldValue } from '../../src/core/crm-field.ts';
import type {
  AutomaticMark,
  Connector,
  ConnectorDeps,
  ConnectorUses,
  ContactsSettings,
  Finding,
  GroupSelector,
  IdentitySource,
} from '../contract.ts';
import type { CrmWebhooks } from '../webhooks.ts';

/** A contact with the values that a user types. */
export type SeedContact = Omit<Contact, 'id' | 'optedOut' | 'excluded' | 'unreadable'>;

/** Options with which the kit opens a connector. Pass all of them to `testOptions`. */
export interface HarnessOptions extends Partial<ConnectorDeps> {
  /**
   * The address that the connector uses instead of the CRM's own address. The kit sets this address only for CRMs whose
   * harness has `api`. `testOptions` puts it into the settings as `url`.
   */
  url?: string;
  contacts?: Partial<ContactsSettings>;
  /** The fields and groups in the settings. The kit sets them only for `check`. */
  uses?: ConnectorUses;
}

/**
 * The CRM of one test. The harness can simulate users and faults. Each harness has its own account ID, because each
 * nonprofit has its own account.
 */
export interface ConformanceHarness {
  /** Opens a connector to the CRM. `testOptions` creates the options for the definition's `open`. */
  open(options?: HarnessOptions): Promise<Connector>;
  /** Returns the findings of the definition's `check` with the same options. */
  check(options?: HarnessOptions): Promise<Finding[]>;
  /** Opens a connector to the same CRM with a different valid key of the same organisation. */
  openWithOtherKey?(): Promise<Connector>;
  /**
   * The address of the CRM's API in the settings. The kit puts a proxy in front of this address. The proxy causes
   * faults, and connectors use the proxy's address (`url` in the options).
   */
  api?: { url: string };
  /**
   * Adds contacts and returns their IDs in the same order. The first address is the primary address, and the first
   * employer is the current employer. If a CRM stores only one address or employer, it drops the others.
   */
  addContacts(contacts: readonly SeedContact[]): Promise<string[]>;
  editContact(id: string, changes: Partial<SeedContact>): Promise<void>;
  deleteContact(id: string): Promise<void>;
  /**
   * Types a string into a field, as a user would. For a number field, the string contains the digits of the number. The
   * value null clears the field.
   */
  setValue(id: string, field: string, value: string | null): Promise<void>;
  /**
   * Reads a field's content directly from the CRM, without the connector. Returns null if the field is blank. For a
   * number, returns the digits that users see, for example 7.25 for 7.25 %. For an instant, returns an ISO string with
   * the time zone. For a date, returns only the digits of the date. For selected options, returns the options joined by
   * `;`.
   */
  seenValue(id: string, field: string): Promise<string | null>;
  /** Two text fields that are blank and that donor-sync can write. */
  textFields: readonly [string, string];
  /**
   * Fields of other types, which are blank in a new contact. Each field has an example value that the connector returns
   * unchanged. The list contains at least one field for each type that the connector can write.
   */
  typedFields?: readonly { name: string; value: FieldValue }[];
  /** The number of contacts that are needed to fill at least three pages. */
  contactsForThreePages: number;
  /**
   * The field that the kit uses for `contacts.optOutField`, `deceasedField` and `doNotContactField`. The harness has
   * functions that set and remove a mark in this field. If this field is omitted, the tests type `yes` into the first
   * of `textFields`.
   */
  markField?: {
    field: string;
    mark(id: string): Promise<void>;
    unmark?(id: string): Promise<void>;
    /**
     * The values that count as marks in this field, for example an option of a multi-select field. The values are
     * omitted if the field contains words such as "yes".
     */
    values?: readonly string[];
  };
  /**
   * Marks a contact in the CRM's own field, as users do. The object has a function for each kind of mark that the
   * connector reports in `automaticMarks`.
   */
  ownMarks?: Partial<Record<AutomaticMark['kind'], (id: string) => Promise<void>>>;
  /** A condition for `contacts.filter`, with one contact that it includes and one that it excludes. */
  filter?: { text: string; included: SeedContact; excluded: SeedContact };
  /** A field that does not exist and can be created. */
  newField?: FieldSpec;
  /** Creates a group of contacts. Also has a valid selector of a group that the connector cannot read. */
  groups?: {
    /**
     * With the ability `namedGroups`, the kit can pass a name. `add` throws if the CRM does not allow two groups with
     * the same name.
     */
    add(members: readonly string[], name?: string): Promise<GroupSelector>;
    unknown: GroupSelector;
    /**
     * Removes contacts from the group. If the harness does not have this function, the kit deletes the contacts, and
     * the CRM then removes them from the group.
     */
    leave?(selector: GroupSelector, members: readonly string[]): Promise<void>;
  };
  /**
   * Hides the contact from the connector's user. The CRM does not report a deletion. If the contact is already deleted,
   * the harness hides the contact's row in the list of deletions. Throws if the CRM cannot do this.
   */
  vanish?(id: string): Promise<void>;
  /** Merges the loser into the winner. The CRM then removes the loser and redirects its ID to the winner. */
  mergeContacts?(loser: string, winner: string): Promise<void>;
  /**
   * The number of merged contacts that fill more than one page of the list that `findMerged` reads. The kit merges all
   * of them into the same contact. Omitted if the CRM returns all merged contacts in one response.
   */
  mergesForTwoPages?: number;
  refuseWrites?(id: string): Promise<void>;
  /** From now on, the CRM rejects values in this field of the contact and names the field. */
  refuseField?(id: string, field: string): Promise<void>;
  /** The CRM rejects the next writes to the contact, as if another user was changing the contact. */
  lock?(id: string, times: number): Promise<void>;
  /**
   * From now on, the CRM's own automation changes each value that is written into this field. The CRM changes the value
   * before anyone can read the record.
   */
  automate?(field: string): Promise<void>;
  /**
   * Writes a text into this field with the key of a different app. The CRM's automation then runs, as after any other
   * write. Only a connector with `readBack` needs this function.
   */
  writeAsOtherApp?(id: string, field: string, value: string): Promise<void>;
  /** Creates a group whose first pages can be read, but whose reading then fails. */
  addBreakingGroup?(members: readonly string[]): Promise<GroupSelector>;
  /**
   * Removes the permission of donor-sync's CRM user to read this part of an identity. Returns the names of the fields
   * that this user can no longer read. The list is empty if the CRM does not have this permission.
   */
  hideSources?(part: IdentitySource['part']): Promise<readonly string[]>;
  /** Restores the access that `hideSources` has removed. */
  showSources?(): Promise<void>;
  webhooks?: WebhookCalls;
  /** The definition's `canonicalId`, and strings that `canonicalId` must recognise. */
  ids?: IdForms;
  close(): Promise<void>;
}

/** The webhook calls in which a CRM reports changes. Bodies are strings, exactly as the CRM sends them. */
export interface WebhookCalls {
  /** `about.webhooks` of the definition. */
  definition: CrmWebhooks;
  /** Returns a call about changed contacts. With several contacts, the call may contain several events. */
  changed(ids: readonly string[]): string;
  /**
   * Returns one call for each deletion reason that the CRM can report, except privacy. If the CRM reports no reasons,
   * the function returns a single call.
   */
  deleted(ids: readonly string[]): string | readonly string[];
  /** Returns a call that reports a merge. Omit this function if the CRM does not report merges. */
  merged?(loser: string, winner: string): string;
  /**
   * Returns a call that reports the deletion of these contacts for privacy reasons. Omit this function if the CRM
   * does not report these deletions.
   */
  erased?(ids: readonly string[]): string;
  /** Calls that concern records other than contacts. */
  others: readonly string[];
  /**
   * Signs the call with this secret at the current time, if the CRM signs its calls. The names of the returned headers
   * are in lower case.
   */
  signed?(
    body: string,
    secret: string,
  ): { method: string; url: string; headers: Readonly<Record<string, string>> };
}

/** IDs that have more than one form. */
export interface IdForms {
  canonicalId(text: string): string | null;
  /** Other strings that users and programs may use for the same contact. */
  otherForms(id: string): readonly string[];
  /** Strings that cannot be a contact's ID. */
  noIds: readonly string[];
}

/** Events and properties that only some CRMs have. The harness has a function for each event. */
export type Ability =
  | 'api'
  | 'groups'
  | 'newField'
  | 'vanish'
  | 'mergeContacts'
  | 'refuseWrites'
  | 'refuseField'
  | 'lock'
  | 'automate'
  /** The CRM stores which app wrote a value. */
  | 'otherApp'
  | 'ownMarks'
  | 'otherKey'
  /** Each organisation has its own server address, and the CRM identifies the organisation only by this address. */
  | 'ownAddress'
  /**
   * The CRM returns a replaced value only in the response to the write that replaces it. The CRM has no idempotency
   * keys and no field history.
   */
  | 'losesFormer'
  /** Every value in a mark field counts as a mark, even `no`. */
  | 'anyTextMarks'
  /** The CRM applies a change of a merged contact to the contact that remains, and a request cannot prevent this. */
  | 'followsMerges'
  | 'addBreakingGroup'
  /** The settings select groups by name, and `groups.add` accepts a name. */
  | 'namedGroups'
  /** The CRM sends webhooks in its own form. */
  | 'webhooks'
  | 'hideSources'
  | 'severalAddresses'
  /** A contact can have several employers. */
  | 'severalEmployers'
  | 'ids';

/** The functions that the kit needs from a test runner. The test runners vitest and node:test have these functions. */
export interface TestRunner {
  describe(name: string, body: () => void): unknown;
  it: {
    (name: string, body: () => Promise<void>): unknown;
    /** Reports a test that is skipped. */
    skip?(name: string, body: () => Promise<void>): unknown;
  };
}
