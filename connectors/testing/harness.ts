/** What the promises of a connector are tested with: how to make things happen in its CRM. */
import type { Contact } from '../../src/core/contact.ts';
import type { FieldSpec, FieldValue } from '../../src/core/crm-field.ts';
import type { Connector, Finding, GroupSelector, IdentitySource } from '../contract.ts';

/** A contact as a person would type it in. */
export type SeedContact = Omit<Contact, 'id' | 'optedOut' | 'excluded' | 'unreadable'>;

/** One CRM for one test, and the levers that people and faults pull in it. */
export interface ConformanceHarness {
  /** Opens a connector over the CRM; `testOptions` makes the options of the definition's `open`. */
  open(options?: { signal?: AbortSignal }): Promise<Connector>;
  /** What the definition's `check` finds with the same options. */
  check(): Promise<Finding[]>;
  /** Adds contacts and returns their ids in the same order. */
  addContacts(contacts: readonly SeedContact[]): Promise<string[]>;
  editContact(id: string, changes: Partial<SeedContact>): Promise<void>;
  deleteContact(id: string): Promise<void>;
  /** Types a text into a field; null clears it. */
  setValue(id: string, field: string, value: string | null): Promise<void>;
  /** What people see in a field, read without the connector; null if it is blank. */
  seenValue(id: string, field: string): Promise<string | null>;
  /** Two text fields that exist, are blank, and may be written. */
  textFields: readonly [string, string];
  /** Fields of other types that exist, each with a canonical value other than null. */
  typedFields?: readonly { name: string; value: FieldValue }[];
  /** How many contacts make at least three pages. */
  contactsForThreePages: number;
  /** A field that does not exist and can be created. */
  newField?: FieldSpec;
  /** A group of these contacts, and a well-formed selector of a group that cannot be read. */
  groups?: {
    add(members: readonly string[]): Promise<GroupSelector>;
    unknown: GroupSelector;
  };
  /** The connector's user can no longer see the contact, and the CRM shows no sign of a deletion. */
  vanish?(id: string): Promise<void>;
  /** The loser goes, and lives on in the winner. */
  mergeContacts?(loser: string, winner: string): Promise<void>;
  /** From now on the CRM refuses writes to the contact. */
  refuseWrites?(id: string): Promise<void>;
  /** From now on the CRM refuses values in this field of the contact, and says that it is the field. */
  refuseField?(id: string, field: string): Promise<void>;
  /** The CRM refuses the next writes to the contact because another user is at it. */
  lock?(id: string, times: number): Promise<void>;
  /**
   * From now on the CRM's own automation changes each text that is written into this field, in
   * reaction to the write and before the record can be read.
   */
  automate?(field: string): Promise<void>;
  /** A group whose reading begins well and fails before its end. */
  addBreakingGroup?(members: readonly string[]): Promise<GroupSelector>;
  /**
   * Takes the right to read this part of an identity from the integration's user; the names of the
   * sources that cannot be read then, none where the CRM has no such right.
   */
  hideSources?(part: IdentitySource['part']): Promise<readonly string[]>;
  /** Gives back what `hideSources` took. */
  showSources?(): Promise<void>;
  /** `canonicalId` of the connector's definition, and texts that it has to understand. */
  ids?: IdForms;
  close(): Promise<void>;
}

/** Ids that have more than one form. */
export interface IdForms {
  canonicalId(text: string): string | null;
  /** Other texts by which people and programs mean the same contact. */
  otherForms(id: string): readonly string[];
  /** Texts that cannot be the id of a contact. */
  noIds: readonly string[];
}

/** What can happen in some CRMs and not in others; the harness has the member of each. */
export type Ability =
  | 'groups'
  | 'newField'
  | 'vanish'
  | 'mergeContacts'
  | 'refuseWrites'
  | 'refuseField'
  | 'lock'
  | 'automate'
  | 'addBreakingGroup'
  | 'hideSources'
  | 'ids';

/** What the kit needs of a test runner; that of vitest and that of node:test have it. */
export interface TestRunner {
  describe(name: string, body: () => void): unknown;
  it(name: string, body: () => Promise<void>): unknown;
}
