import type { Contact, Identity } from '../../src/core/contact.ts';
import {
  type CrmField,
  type FieldSpec,
  type FieldValue,
  type FieldValues,
  plainField,
} from '../../src/core/crm-field.ts';
import type {
  Connector,
  CrmAccount,
  IdentityShape,
  LimitState,
  MarkCount,
  Refusal,
  RemovedContact,
  WriteResult,
} from '../contract.ts';

/** The operations of a connector to the CRM in memory. A test can count, interrupt or fail each operation. */
export type MemoryOperation =
  | Exclude<
      keyof Connector,
      | 'kind'
      | 'capabilities'
      | 'account'
      | 'identity'
      | 'erase'
      | 'sampleIds'
      | 'readFacts'
      | 'showFields'
      | 'countViewers'
      | 'countMarks'
      | 'automaticMarks'
      | 'createLists'
      | 'close'
    >
  | 'open';

/** A part of the identity that a test can make unreadable. */
export type MemorySource = 'address' | 'employer';

/** The parts of a `WriteResult` that a test chooses. */
export type MemoryRefusal = Refusal;

/** A contact, and the revision of its last change. */
export interface MemoryRecord {
  contact: Contact;
  values: FieldValues;
  revision: number;
}

export interface MemoryTombstone extends RemovedContact {
  revision: number;
}

/** A CRM in memory. A CRM in memory has the data that a connector uses, and functions that tests use. */
export interface MemoryCrm {
  readonly account: CrmAccount;
  readonly pageSize: number;
  readonly records: ReadonlyMap<string, MemoryRecord>;
  readonly tombstones: ReadonlyMap<string, MemoryTombstone>;
  readonly fields: ReadonlyMap<string, CrmField>;
  readonly groups: ReadonlyMap<string, MemoryGroup>;
  readonly calls: Readonly<Record<MemoryOperation, number>>;
  /** All writes that the connector has executed, in order. */
  readonly writes: readonly { id: string; values: FieldValues }[];
  /** The value that `readLimits` returns. */
  limits: LimitState | null;
  /**
   * Selects the contacts that match the client's filter. If the filter is null, all contacts match. A new filter does
   * not change any record.
   */
  filter: ((record: MemoryRecord) => boolean) | null;
  /** The value that `countMarks` returns. */
  marks: readonly MarkCount[];
  /** The mapping that `identity` returns. A different string means a different mapping. */
  mapping: Pick<IdentityShape, 'columns' | 'mode'>;

  /** Adds or replaces a contact. Parts that the caller omits are blank. Returns the contact's ID. */
  addContact(contact: Partial<Contact> & { values?: FieldValues }): string;
  /** Changes a contact as a CRM user would. */
  editContact(id: string, changes: Partial<Omit<Contact, 'id'>>): void;
  setValue(id: string, field: string, value: FieldValue): void;
  /**
   * Returns a field's value as users of the CRM see it. Returns null if the field is blank or the contact does not
   * exist.
   */
  valueOf(id: string, field: string): FieldValue;
  deleteContact(id: string): void;
  /** Hides a contact. The CRM reports no deletion. `appear` makes the contact visible again. */
  vanish(id: string): void;
  /** Makes a hidden contact visible again. A contact that becomes visible again does not count as changed. */
  appear(id: string): void;
  /**
   * Merges the loser into the winner and removes the loser. After the merge, the loser's ID leads to the winner. With
   * `fillsBlanks`, the winner's blank fields get the loser's values, as in most CRMs.
   */
  mergeContact(loser: string, winner: string, options?: { fillsBlanks?: boolean }): void;

  /**
   * Changes each value that is written to this field, as the CRM's own automation would. If `change` is null, the CRM
   * no longer changes the values. The connector reports such values as changed by automation.
   */
  automate(field: string, change: ((value: FieldValue) => FieldValue) | null): void;
  /** Adds or replaces a field. The default is a text field that donor-sync can write and that has no limits. */
  addField(field: Partial<CrmField> & { name: string }): void;
  removeField(name: string): void;
  /** Adds a group. The argument `breaksAfter` is the number of members after which reading the group fails. */
  addGroup(name: string, members: readonly string[], breaksAfter?: number): void;

  /** Rejects every write to the contact until a test calls `allowWrites`. */
  refuseWrites(id: string, refusal?: Partial<MemoryRefusal>): void;
  /** Rejects every value of this field in writes to the contact until a test calls `allowWrites`. */
  refuseField(id: string, field: string): void;
  allowWrites(id: string): void;
  /** Rejects the next writes to the contact, as a CRM does for a record that a user has locked. */
  lock(id: string, times: number): void;
  /**
   * Removes the permission of donor-sync's CRM user to read this part of all contacts. After that, this part is blank
   * and reported as unreadable. The contacts do not count as changed when the permission is removed.
   */
  hideSource(source: MemorySource): void;
  showSource(source: MemorySource): void;
  /** Makes the next calls of the operation throw the error. */
  failNext(operation: MemoryOperation, error: Error, times?: number): void;
  /** Sets a function that runs before each operation, such as each page of a reading or each change of a write. */
  before(hook: MemoryHook | null): void;

  /**
   * Counts an operation, runs the test's function, and throws the error that a test has set. The connector calls this
   * function.
   */
  enter(operation: MemoryOperation): Promise<void>;
  /**
   * Runs the test's function between two parts of one operation. The connector calls this function. The operation is
   * not counted a second time.
   */
  step(operation: MemoryOperation): Promise<void>;
  identity(): IdentityShape;
  /** Returns the contact as donor-sync's CRM user sees it. */
  visible(contact: Contact): Contact;
  /**
   * Writes values. The connector calls this function. With `together`, the connector writes either all values of a
   * change or none of them.
   */
  applyWrite(id: string, values: FieldValues, together?: boolean): WriteResult;
  /**
   * Returns the fields of a contact whose current values come from automation. For each field, returns the value that
   * the app wrote.
   */
  automatedIn(id: string): ReadonlyMap<string, FieldValue>;
}

export interface MemoryGroup {
  members: readonly string[];
  breaksAfter: number | null;
}

export type MemoryHook = (operation: MemoryOperation) => void | Promise<void>;

const CONTACTS_PER_PAGE = 100;

/** Creates an empty CRM with one text field for each of the given names. */
export function createMemoryCrm(
  options: { account?: CrmAccount; pageSize?: number; fields?: readonly string[] } = {},
): MemoryCrm {
  const records = new Map<string, MemoryRecord>();
  const tombstones = new Map<string, MemoryTombstone>();
  const fields = new Map<string, CrmField>();
  const groups = new Map<string, MemoryGroup>();
  const vanished = new Map<string, MemoryRecord>();
  const refusals = new Map<string, MemoryRefusal>();
  const refusedFields = new Map<string, Set<string>>();
  const automations = new Map<string, (value: FieldValue) => FieldValue>();
  const automated = new Map<string, Map<string, FieldValue>>();
  const locks = new Map<string, number>();
  const hidden = new Set<MemorySource>();
  const failures = new Map<MemoryOperation, { error: Error; times: number }>();
  const calls = noCalls();
  const writes: { id: string; values: FieldValues }[] = [];
  let hook: MemoryHook | null = null;
  let revision = 0;
  let lastId = 0;

  const crm: MemoryCrm = {
    account: options.account ?? { id: 'memory-account', name: 'A CRM in memory' },
    pageSize: options.pageSize ?? CONTACTS_PER_PAGE,
    records,
    tombstones,
    fields,
    groups,
    calls,
    writes,
    limits: null,
    filter: null,
    marks: [],
    mapping: { columns: 'all', mode: 'plain' },
    addContact({ values = {}, ...contact }) {
      const id = contact.id ?? nextId();
      tombstones.delete(id);
      put(id, { ...BLANK_CONTACT, ...contact, id }, canonicalValues(values));
      return id;
    },
    editContact(id, changes) {
      const record = getRecord(id);
      put(id, { ...record.contact, ...changes }, record.values);
    },
    setValue(id, field, value) {
      const record = getRecord(id);
      automated.get(id)?.delete(field);
      put(id, record.contact, { ...record.values, ...canonicalValues({ [field]: value }) });
    },
    valueOf: (id, field) => records.get(id)?.values[field] ?? null,
    deleteContact: (id) => remove(id, null),
    vanish(id) {
      vanished.set(id, getRecord(id));
      records.delete(id);
    },
    appear(id) {
      const record = vanished.get(id);
      if (record === undefined) throw new Error(`The contact ${id} has not vanished.`);
      vanished.delete(id);
      records.set(id, record);
    },
    mergeContact(loser, winner, { fillsBlanks = false } = {}) {
      if (fillsBlanks) {
        const { contact, values } = getRecord(winner);
        const own = Object.entries(values).filter(([, value]) => value !== null);
        put(winner, contact, { ...getRecord(loser).values, ...Object.fromEntries(own) });
      }
      remove(loser, winner);
    },
    automate(field, change) {
      if (change === null) automations.delete(field);
      else automations.set(field, change);
    },
    automatedIn: (id) => automated.get(id) ?? new Map(),
    addField(field) {
      fields.set(field.name, { ...plainField(field.name), ...field });
    },
    removeField(name) {
      fields.delete(name);
    },
    addGroup(name, members, breaksAfter) {
      groups.set(name, { members: [...members], breaksAfter: breaksAfter ?? null });
    },
    refuseWrites(id, refusal) {
      refusals.set(id, { ...REFUSED, ...refusal });
    },
    refuseField(id, field) {
      refusedFields.set(id, new Set([...(refusedFields.get(id) ?? []), field]));
    },
    allowWrites(id) {
      refusals.delete(id);
      refusedFields.delete(id);
    },
    lock(id, times) {
      locks.set(id, times);
    },
    hideSource(source) {
      hidden.add(source);
    },
    showSource(source) {
      hidden.delete(source);
    },
    failNext(operation, error, times = 1) {
      failures.set(operation, { error, times });
    },
    before(newHook) {
      hook = newHook;
    },
    async enter(operation) {
      calls[operation] += 1;
      await crm.step(operation);
    },
    async step(operation) {
      await hook?.(operation);
      const failure = failures.get(operation);
      if (failure === undefined || failure.times === 0) return;
      failure.times -= 1;
      throw failure.error;
    },
    identity: () => ({
      ...crm.mapping,
      sources: SOURCES.map(({ name, part }) => ({ name, part, readable: !hidden.has(name) })),
    }),
    visible(contact) {
      const unreadable = SOURCES.filter(({ name }) => hidden.has(name));
      if (unreadable.length === 0) return contact;
      const blank: Partial<Identity> = Object.fromEntries(unreadable.map(({ part }) => [part, []]));
      return { ...contact, ...blank, unreadable: unreadable.map(({ name }) => name) };
    },
    applyWrite(id, values, together = false) {
      const refusal = findRefusal(id, values);
      if (refusal !== null) return { status: 'refused', id, ...refusal };
      const bad = Object.keys(values).filter((name) => refusedFields.get(id)?.has(name));
      const [first] = bad;
      const refusals = bad.map((name) => ({ ...REFUSED_VALUE, fields: [name] }));
      if (first !== undefined && (together || bad.length === Object.keys(values).length)) {
        return { status: 'refused', id, ...REFUSED_VALUE, fields: bad };
      }
      const record = getRecord(id);
      const good = Object.entries(values).filter(([name]) => !bad.includes(name));
      const written = canonicalValues(Object.fromEntries(good));
      put(id, record.contact, { ...record.values, ...written, ...automate(id, written) });
      writes.push({ id, values: written });
      return first === undefined
        ? { status: 'written', id }
        : { status: 'written_in_part', id, refusals };
    },
  };
  for (const name of options.fields ?? []) crm.addField({ name });
  return crm;

  function nextId(): string {
    lastId += 1;
    return `contact-${String(lastId).padStart(6, '0')}`;
  }

  function automate(id: string, written: FieldValues): FieldValues {
    const fields = automated.get(id) ?? new Map<string, FieldValue>();
    automated.set(id, fields);
    return Object.fromEntries(
      Object.entries(written).map(([field, value]) => {
        const change = automations.get(field);
        const next = change === undefined ? value : change(value);
        if (next === value) fields.delete(field);
        else fields.set(field, value);
        return [field, next];
      }),
    );
  }

  function put(id: string, contact: Contact, values: FieldValues): void {
    revision += 1;
    records.set(id, { contact, values, revision });
  }

  function getRecord(id: string): MemoryRecord {
    const record = records.get(id);
    if (record === undefined) throw new Error(`The CRM in memory has no contact ${id}.`);
    return record;
  }

  function remove(id: string, mergedInto: string | null): void {
    getRecord(id);
    records.delete(id);
    revision += 1;
    tombstones.set(id, { id, mergedInto, revision });
  }

  function findRefusal(id: string, values: FieldValues): MemoryRefusal | null {
    if (!records.has(id)) return MISSING;
    const unknown = Object.keys(values).filter((name) => fields.get(name)?.writable !== true);
    if (unknown.length > 0) return { ...UNWRITABLE, fields: unknown };
    const locked = locks.get(id) ?? 0;
    if (locked > 0) locks.set(id, locked - 1);
    return locked > 0 ? LOCKED : (refusals.get(id) ?? null);
  }
}

const SOURCES = [
  { name: 'address', part: 'addresses' },
  { name: 'employer', part: 'employers' },
] as const satisfies readonly { name: MemorySource; part: keyof Identity }[];

const BLANK_CONTACT: Omit<Contact, 'id'> = {
  firstName: null,
  lastName: null,
  addresses: [],
  employers: [],
  optedOut: false,
};

const REFUSED: MemoryRefusal = {
  retriable: false,
  code: 'refused',
  message: 'The CRM refuses to change this record.',
  fields: [],
};

const REFUSED_VALUE: MemoryRefusal = {
  retriable: false,
  code: 'value_refused',
  message: 'The CRM refuses a value.',
  fields: [],
};

const LOCKED: MemoryRefusal = {
  retriable: true,
  isLock: true,
  code: 'locked',
  message: 'Another user is changing this record.',
  fields: [],
};

const MISSING: MemoryRefusal = {
  retriable: false,
  code: 'missing',
  message: 'There is no such record.',
  fields: [],
};

const UNWRITABLE: MemoryRefusal = {
  retriable: false,
  code: 'field_not_writable',
  message: 'The field does not exist or must not be written.',
  fields: [],
};

export function toField(spec: FieldSpec): CrmField {
  const { name, label, type, maxLength } = spec;
  return { ...plainField(name), label, type, maxLength: maxLength ?? null };
}

function canonicalValues(values: FieldValues): FieldValues {
  const isBlank = (value: FieldValue) => typeof value === 'string' && value.trim() === '';
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, isBlank(value) ? null : value]),
  );
}

function noCalls(): Record<MemoryOperation, number> {
  return {
    open: 0,
    readPages: 0,
    readBack: 0,
    findAutomated: 0,
    readByIds: 0,
    findMerged: 0,
    findIncluded: 0,
    search: 0,
    findMarked: 0,
    write: 0,
    describeFields: 0,
    createFields: 0,
    listGroups: 0,
    readGroup: 0,
    readLimits: 0,
    finish: 0,
  };
}
