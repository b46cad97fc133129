/** The harness for the tests of the promises. It simulates events in a connector's CRM. */
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

/** A contact with the values that a user would type. */
export type SeedContact = Omit<Contact, 'id' | 'optedOut' | 'excluded' | 'unreadable'>;

/** Options with which the kit opens a connector. Pass all of them to `testOptions`. */
export interface HarnessOptions extends Partial<ConnectorDeps> {
  /**
   * The address to use instead of the CRM's own address. Set only for kinds of CRM with `api`. `testOptions` puts it
   * into the settings as `url`.
   */
  url?: string;
  contacts?: Partial<ContactsSettings>;
  /** The fields and groups in the settings. Set only for `check`. */
  uses?: ConnectorUses;
}

/**
 * One CRM for one test, with controls that simulate users and faults. Its account has its own id, as each nonprofit's
 * has.
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
  /** Types a string into a field. For a number, the string contains its digits. Null clears the field. */
  setValue(id: string, field: string, value: string | null): Promise<void>;
  /**
   * Returns a field's content, read without the connector, or null if it is blank. A number consists of the digits that
   * users see (7.25 for 7.25 %). An instant is a string in ISO format with its zone. A date contains only its digits,
   * and selected options are joined by `;`.
   */
  seenValue(id: string, field: string): Promise<string | null>;
  /** Two blank text fields that donor-sync can write. */
  textFields: readonly [string, string];
  /**
   * Blank fields of other types in a new contact. Each has a canonical value other than null. There is at least one
   * such field for each type that the connector can write.
   */
  typedFields?: readonly { name: string; value: FieldValue }[];
  /** The number of contacts that fill at least three pages. */
  contactsForThreePages: number;
  /**
   * The field that the kit uses for `contacts.optOutField`, `deceasedField` and `doNotContactField`. It has functions
   * that set and remove a mark. If omitted, a user types `yes` into the first of `textFields`.
   */
  markField?: {
    field: string;
    mark(id: string): Promise<void>;
    unmark?(id: string): Promise<void>;
    /**
     * The values of this field that are marks, for example an option of a multi-select. Omitted if the values are words
     * for yes.
     */
    values?: readonly string[];
  };
  /**
   * Marks a contact with the CRM's own field, as users do. There is one function for each kind that the connector
   * reports in `automaticMarks`.
   */
  ownMarks?: Partial<Record<AutomaticMark['kind'], (id: string) => Promise<void>>>;
  /** A condition for `contacts.filter`, with one contact that it includes and one that it excludes. */
  filter?: { text: string; included: SeedContact; excluded: SeedContact };
  /** A field that does not exist and can be created. */
  newField?: FieldSpec;
  /** A group of these contacts, and a valid selector of a group that cannot be read. */
  groups?: {
    /**
     * With `namedGroups`, the kit may pass a name. If the CRM does not allow two groups with the same name, `add`
     * throws.
     */
    add(members: readonly string[], name?: string): Promise<GroupSelector>;
    unknown: GroupSelector;
    /**
     * These contacts leave the group. If omitted, the kit deletes contacts, and deleted contacts leave their groups.
     */
    leave?(selector: GroupSelector, members: readonly string[]): Promise<void>;
  };
  /**
   * The connector's user can no longer see the contact, and the CRM shows no sign of a deletion. If the contact is
   * deleted already, its row is hidden in the list of deletions. Throws if the CRM cannot do this.
   */
  vanish?(id: string): Promise<void>;
  /** The loser is removed and leads to the winner from then on. */
  mergeContacts?(loser: string, winner: string): Promise<void>;
  /**
   * The number of contacts that fill more than one page of the list that `findMerged` reads. All of them are merged
   * into the same contact. Omitted if the CRM returns all merged contacts in one response.
   */
  mergesForTwoPages?: number;
  refuseWrites?(id: string): Promise<void>;
  /** From now on, the CRM rejects values in this field of the contact and names the field. */
  refuseField?(id: string, field: string): Promise<void>;
  /** The CRM rejects the next writes to the contact because another user is changing it. */
  lock?(id: string, times: number): Promise<void>;
  /**
   * From now on, the CRM's own automation changes each value that is written into this field. It does so before the
   * record can be read.
   */
  automate?(field: string): Promise<void>;
  /**
   * A different app, with its own key, writes a text into this field. The CRM's automation then runs as it does after
   * any other write. Needed only for a connector with `readBack`.
   */
  writeAsOtherApp?(id: string, field: string, value: string): Promise<void>;
  /** A group whose reading starts normally and fails before its end. */
  addBreakingGroup?(members: readonly string[]): Promise<GroupSelector>;
  /**
   * The integration's user can no longer read this part of an identity. Returns the names of the sources that can then
   * no longer be read. The list is empty if the CRM has no such right.
   */
  hideSources?(part: IdentitySource['part']): Promise<readonly string[]>;
  /** Restores the access that `hideSources` has removed. */
  showSources?(): Promise<void>;
  webhooks?: WebhookCalls;
  /** The `canonicalId` of the connector's definition, and strings that it must recognise. */
  ids?: IdForms;
  close(): Promise<void>;
}

/** The calls with which a CRM reports changes. Bodies are strings, exactly as the CRM sends them. */
export interface WebhookCalls {
  /** `about.webhooks` of the definition. */
  definition: CrmWebhooks;
  /** With several contacts, it may contain several events. */
  changed(ids: readonly string[]): string;
  /**
   * There is one call for each reason that the CRM can report except privacy. One call is enough if the CRM reports no
   * reasons.
   */
  deleted(ids: readonly string[]): string | readonly string[];
  /** A call that reports a merge, if the CRM has such calls. */
  merged?(loser: string, winner: string): string;
  /** A call that reports the deletion of these contacts for privacy reasons, if the CRM has such calls. */
  erased?(ids: readonly string[]): string;
  /** Calls that concern records other than contacts. */
  others: readonly string[];
  /**
   * If the CRM signs its calls, the call is signed with this secret at the current time. Names of headers are in lower
   * case.
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

/** Events that only some CRMs have, and facts about a CRM. The harness has a member for each event. */
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
  /** The CRM stores which app has written a value. */
  | 'otherApp'
  | 'ownMarks'
  | 'otherKey'
  /** Each organisation has a server with its own address, and the CRM gives it no other ID. */
  | 'ownAddress'
  /**
   * The CRM shows the value that a write replaces only in the same request. It has no idempotency keys and no history
   * of fields.
   */
  | 'losesFormer'
  /** In a marking field, every value is a mark, even `no`. */
  | 'anyTextMarks'
  /** The CRM applies a change to a merged contact to the winner, and no request can prevent this. */
  | 'followsMerges'
  | 'addBreakingGroup'
  /** Groups are selected by their names, and `groups.add` takes a name. */
  | 'namedGroups'
  /** The CRM sends webhooks in its own form. */
  | 'webhooks'
  | 'hideSources'
  | 'severalAddresses'
  /** A contact can have several employers. */
  | 'severalEmployers'
  | 'ids';

/** The functions that the kit needs from a test runner. Both vitest and node:test have them. */
export interface TestRunner {
  describe(name: string, body: () => void): unknown;
  it: {
    (name: string, body: () => Promise<void>): unknown;
    /** Reports a test that is skipped. */
    skip?(name: string, body: () => Promise<void>): unknown;
  };
}
