/** The harness for the tests of the promises. It makes things happen in a connector's CRM. */
import type { Contact } from '../../src/core/contact.ts';
import type { FieldSpec, FieldValue } from '../../src/core/crm-field.ts';
import type {
  AutomaticMark,
  Connector,
  ConnectorDeps,
  ContactsSettings,
  Finding,
  GroupSelector,
  IdentitySource,
} from '../contract.ts';
import type { CrmWebhooks } from '../webhooks.ts';

/** A contact, as a user would type it. */
export type SeedContact = Omit<Contact, 'id' | 'optedOut' | 'excluded' | 'unreadable'>;

/** Options with which the kit opens a connector. Pass all of them to `testOptions`. */
export interface HarnessOptions extends Partial<ConnectorDeps> {
  /** The address to use instead of the CRM's own, only with `api`. `testOptions` puts it into the settings as `url`. */
  url?: string;
  contacts?: Partial<ContactsSettings>;
}

/**
 * One CRM for one test, with controls that simulate users and faults. Its account has its own id, as each nonprofit's
 * has.
 */
export interface ConformanceHarness {
  /** Opens a connector over the CRM. `testOptions` creates the options for the definition's `open`. */
  open(options?: HarnessOptions): Promise<Connector>;
  /** Returns the findings of the definition's `check` with the same options. */
  check(options?: HarnessOptions): Promise<Finding[]>;
  /** Opens a connector over the same CRM with another valid key of the same organisation. */
  openWithOtherKey?(): Promise<Connector>;
  /**
   * The address of the CRM's API, as in the settings. The kit puts a proxy in front of it that causes faults, and opens
   * connectors with the proxy's address (`url` in the options).
   */
  api?: { url: string };
  /**
   * Adds contacts and returns their IDs in the same order. The first address is the primary one, and the first employer
   * the current one. A CRM that holds only one of each drops the others.
   */
  addContacts(contacts: readonly SeedContact[]): Promise<string[]>;
  editContact(id: string, changes: Partial<SeedContact>): Promise<void>;
  deleteContact(id: string): Promise<void>;
  /** Types a text into a field, or the digits of a number. Null clears the field. */
  setValue(id: string, field: string, value: string | null): Promise<void>;
  /**
   * Returns a field's content, read without the connector, or null if it is blank. A number is digits, as users see it
   * (7.25 for 7.25 %). An instant is an ISO text with its zone. A date has its digits, and selected options are joined
   * by `;`.
   */
  seenValue(id: string, field: string): Promise<string | null>;
  /** Two text fields that exist, are blank, and may be written. */
  textFields: readonly [string, string];
  /**
   * Fields of other types that exist and are blank in a new contact, each with a canonical value other than null. There
   * is at least one for each type that the connector offers for writing.
   */
  typedFields?: readonly { name: string; value: FieldValue }[];
  /** The number of contacts that fill at least three pages. */
  contactsForThreePages: number;
  /**
   * The field that the kit uses as `contacts.optOutField`, `deceasedField` and `doNotContactField`, and how a user sets
   * and removes a mark in it. If omitted, a user types `yes` into the first of `textFields`.
   */
  markField?: {
    field: string;
    mark(id: string): Promise<void>;
    unmark?(id: string): Promise<void>;
    /** The values of this field that mean a mark, if they are not words for yes: an option of a multi-select. */
    values?: readonly string[];
  };
  /**
   * Marks a contact with the CRM's own field, as users do. There is one function for each kind that the connector
   * reports in `automaticMarks`.
   */
  ownMarks?: Partial<Record<AutomaticMark['kind'], (id: string) => Promise<void>>>;
  /** A text for `contacts.filter`, with a contact that it includes and one that it does not. */
  filter?: { text: string; included: SeedContact; excluded: SeedContact };
  /** A field that does not exist and can be created. */
  newField?: FieldSpec;
  /** A group of these contacts, and a valid selector of a group that cannot be read. */
  groups?: {
    /**
     * With `namedGroups`, the group has this name if the kit passes one, and the selector contains the name. If the
     * CRM allows no second group of a name, `add` throws.
     */
    add(members: readonly string[], name?: string): Promise<GroupSelector>;
    unknown: GroupSelector;
    /** These contacts leave the group. If omitted, the kit deletes contacts, which then leave their groups. */
    leave?(selector: GroupSelector, members: readonly string[]): Promise<void>;
  };
  /**
   * The connector's user can no longer see the contact, and the CRM shows no sign of a deletion. If the contact is
   * deleted already, its row is hidden in the list of deletions. Throws if the CRM cannot do this.
   */
  vanish?(id: string): Promise<void>;
  /** The loser is removed, and continues in the winner. */
  mergeContacts?(loser: string, winner: string): Promise<void>;
  /** From now on the CRM rejects writes to the contact. */
  refuseWrites?(id: string): Promise<void>;
  /** From now on, the CRM rejects values in this field of the contact, and names the field. */
  refuseField?(id: string, field: string): Promise<void>;
  /** The CRM rejects the next writes to the contact because another user is changing it. */
  lock?(id: string, times: number): Promise<void>;
  /**
   * From now on, the CRM's own automation changes each text that is written into this field, in response to the write
   * and before the record can be read.
   */
  automate?(field: string): Promise<void>;
  /**
   * Another app, with its own key, writes a text into this field. Automation follows as after any other write. Needed
   * only for a connector with `readBack`.
   */
  writeAsOtherApp?(id: string, field: string, value: string): Promise<void>;
  /** A group whose reading starts normally and fails before its end. */
  addBreakingGroup?(members: readonly string[]): Promise<GroupSelector>;
  /**
   * Takes away the right of the integration's user to read this part of an identity. Returns the names of the sources
   * that can then no longer be read. Empty if the CRM has no such right.
   */
  hideSources?(part: IdentitySource['part']): Promise<readonly string[]>;
  /** Restores what `hideSources` took. */
  showSources?(): Promise<void>;
  /** The webhooks of the connector's definition, and calls as the CRM sends them. */
  webhooks?: WebhookCalls;
  /** The `canonicalId` of the connector's definition, and texts that it must recognise. */
  ids?: IdForms;
  close(): Promise<void>;
}

/** The calls with which a CRM tells of changes. Bodies are texts, exactly as the CRM sends them. */
export interface WebhookCalls {
  /** `about.webhooks` of the definition. */
  definition: CrmWebhooks;
  /** One call that tells that these contacts were changed. With several contacts, it may contain several events. */
  changed(ids: readonly string[]): string;
  /**
   * Calls that tell that these contacts were deleted, one for each reason that the CRM can report except privacy. One
   * call is enough if the CRM reports no reasons.
   */
  deleted(ids: readonly string[]): string | readonly string[];
  /** A call that tells of a merge, if the CRM has one. */
  merged?(loser: string, winner: string): string;
  /** A call that tells that these contacts were deleted for privacy, if the CRM has one. */
  erased?(ids: readonly string[]): string;
  /** Calls about other records than contacts. */
  others: readonly string[];
  /** The call with this body as the CRM signs it now with this secret, if it signs its calls. Names of headers are in lower case. */
  signed?(
    body: string,
    secret: string,
  ): { method: string; url: string; headers: Readonly<Record<string, string>> };
}

/** IDs that have more than one form. */
export interface IdForms {
  canonicalId(text: string): string | null;
  /** Other texts that users and programs may use for the same contact. */
  otherForms(id: string): readonly string[];
  /** Texts that cannot be a contact's ID. */
  noIds: readonly string[];
}

/** Events that can happen in some CRMs and not in others, and facts about a CRM. The harness has a member for each event. */
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
  /** The CRM keeps which app has written a value. */
  | 'otherApp'
  | 'ownMarks'
  | 'otherKey'
  /** Each organisation has a server with its own address, and the CRM gives it no other id. */
  | 'ownAddress'
  /**
   * The CRM shows the value that a write replaces only in the same request. It has no idempotency keys and no history
   * of fields.
   */
  | 'losesFormer'
  /** Each text in a field of a mark is a mark, also `no`. */
  | 'anyTextMarks'
  /** The CRM writes a change of a merged contact into the one that remains, and no request can switch this off. */
  | 'followsMerges'
  | 'addBreakingGroup'
  /** Groups are selected by their names, and `groups.add` takes one. */
  | 'namedGroups'
  /** The CRM sends webhooks in its own form. */
  | 'webhooks'
  | 'hideSources'
  /** A contact can have several addresses. */
  | 'severalAddresses'
  /** A contact can have several employers. */
  | 'severalEmployers'
  | 'ids';

/** What the kit needs of a test runner. vitest and node:test have it. */
export interface TestRunner {
  describe(name: string, body: () => void): unknown;
  it: {
    (name: string, body: () => Promise<void>): unknown;
    /** Shows a test that is not carried out. */
    skip?(name: string, body: () => Promise<void>): unknown;
  };
}
