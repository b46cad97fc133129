/**
 * Writes to a CRM that may accept a value without storing it. The writer reads contacts before the write and compares
 * them afterwards. The writer reports a value as written only if the CRM contains it unchanged.
 */
import type { FieldValue, FieldValues } from '../../src/core/crm-field.ts';
import { isRetriableError } from '../../src/core/errors.ts';
import type { ConnectorDeps, ContactChange, Refusal, WriteResult } from '../contract.ts';
import { refusal } from '../plain.ts';
import { inLanes } from '../requests/lanes.ts';
import { throwIfStopped } from '../requests/stopped.ts';
import { notRestored, restoreFormer } from './former-values.ts';
import type { CheckedWrite, WriteCheck } from './write-check.ts';
import { createSuspicions, pickValues, sendInParts } from './write-in-parts.ts';

/** The functions that differ between CRMs. `Stored` is a contact in the form in which the CRM returns it. */
export interface VerifiedCrm<Stored> {
  /** The CRM's name in messages. */
  name: string;
  deps: Pick<ConnectorDeps, 'clock' | 'signal'>;
  /** The maximum number of contacts that are read together before they are written. */
  perBatch: number;
  /**
   * The number of contacts that are written at the same time. The default is 1. The number is ignored if `sendTogether`
   * is used.
   */
  lanes?: number;
  /** Returns the form of the ID that `read` uses. Returns null if the text cannot be an ID. */
  canonicalId(id: string): string | null;
  /** Reads contacts with these canonical IDs, including these fields. The result omits contacts that cannot be read. */
  read(ids: readonly string[], fields: readonly string[]): Promise<ReadonlyMap<string, Stored>>;
  /** Returns a field's value, or undefined if the contact does not have the field. */
  getValue(stored: Stored, field: string): FieldValue | undefined;
  /** Compares a sent value with a stored value. If the function is omitted, the values must be equal. */
  isSame?(field: string, sent: FieldValue, stored: FieldValue): boolean;
  /** Returns the reason why this contact cannot store a value. Returns null if the value can be sent. */
  findProblem(field: string, value: FieldValue, stored: Stored): Refusal | null;
  /**
   * Sends values of one contact, and changes nothing else. If a refusal names no field, it concerns the whole contact
   * if its cause is `no_permission` or if it is temporary. After any other refusal without fields, donor-sync searches
   * for the refused value.
   */
  send(contact: StoredContact<Stored>, values: FieldValues): Promise<Sent<Stored>>;
  /**
   * Sends several contacts in one request. Returns false if the CRM refused the request. donor-sync then sends the
   * contacts that are not written yet in smaller requests. Omitted if the CRM has no such request.
   */
  sendTogether?(
    writes: readonly { contact: StoredContact<Stored>; values: FieldValues }[],
  ): Promise<boolean>;
  /**
   * Returns true if the CRM refuses any change to the contact, for example because the contact is protected. donor-sync
   * calls the function before it searches for a refused value. The function is omitted if the CRM cannot be tested
   * without a value.
   */
  refusesContact?(contact: StoredContact<Stored>): Promise<boolean>;
  /** Reasons that are specific to the CRM. Set them if they help users more than the general reasons. */
  reasons?: Partial<Reasons>;
  /**
   * Compares all parts of a contact after the first writes. Set it if nobody knows whether a write keeps the other
   * parts of a contact.
   */
  check?: WriteCheck<Stored>;
}

/** A contact in its state before the write. */
export interface StoredContact<Stored> {
  /** The canonical ID. */
  id: string;
  stored: Stored;
}

/**
 * The CRM's response to a write. The response is a refusal, or the contact after the write if the CRM returns the
 * contact.
 */
export type Sent<Stored> = { refusal: Refusal } | { stored: Stored | null };

/** The reasons for refusals that the writer itself detects. */
export interface Reasons {
  /** The contact cannot be read. */
  gone: Refusal;
  /** The CRM failed when this contact was written, but not with other contacts. */
  failed: Refusal;
  /** The CRM accepted a value, but the field still contains the former value. */
  notStored: Refusal;
  /** Creates the refusal if the CRM accepted a value but then stored a different value. */
  storedDifferently: Refusal;
}

/** The number of consecutive failed contacts after which the writer assumes that the CRM itself fails. */
const MOST_FAILED_IN_A_ROW = 3;

/** A change to an existing contact. */
interface Task<Stored> {
  change: ContactChange;
  contact: StoredContact<Stored>;
  /** The values to send. Excludes values that the contact cannot store and values that the CRM already contains. */
  wanted: FieldValues;
  refusals: Refusal[];
}

/**
 * Returns a function that writes changes and yields one result for each change. The writer remembers rejected fields,
 * so a connector must create it only once. The changes to one contact are written in order. If the CRM does not store a
 * value, the result reports the value as refused. If the change has `together`, the former values are then restored.
 */
export function createVerifiedWriter<Stored>(
  crm: VerifiedCrm<Stored>,
): (
  changes: Iterable<ContactChange> | AsyncIterable<ContactChange>,
) => AsyncGenerator<WriteResult> {
  const { deps, check, isSame = (_, sent, stored) => sent === stored } = crm;
  const reasons = { ...toReasons(crm.name), ...crm.reasons };
  const suspicions = createSuspicions();
  let failedInARow = 0;

  return async function* write(changes) {
    throwIfStopped(deps.signal);
    for await (const batch of toBatches(changes, crm.perBatch)) {
      throwIfStopped(deps.signal);
      await check?.settle();
      yield* writeBatch(batch);
    }
  };

  async function* writeBatch(batch: readonly ContactChange[]): AsyncGenerator<WriteResult> {
    const ids = batch.flatMap(({ id }) => crm.canonicalId(id) ?? []);
    const names = [...new Set(batch.flatMap(({ values }) => Object.keys(values)))];
    const contacts = await crm.read(ids, names);
    const tasks: Task<Stored>[] = [];
    for (const change of batch) {
      const id = crm.canonicalId(change.id);
      const stored = id === null ? undefined : contacts.get(id);
      if (id === null || stored === undefined) yield refuseAll(change, reasons.gone);
      else tasks.push(toTask(change, { id, stored }));
    }
    for (const task of tasks) if (!isToSend(task)) yield toResult(task);
    const unchecked: Task<Stored>[] = [];
    for (const task of fullestFirst(tasks.filter(isToSend))) {
      const subject = { id: task.contact.id, fields: Object.keys(task.wanted) };
      if (check?.needsCheck(task.contact.stored, subject.fields) === true) {
        throwIfStopped(deps.signal);
        yield await check.run(subject, () => writeOne(task));
      } else {
        unchecked.push(task);
      }
    }
    // A change that must be written as a whole cannot be used to find refused fields.
    const parts = unchecked.filter(({ change }) => change.together !== true);
    yield* writeTasks(parts);
    yield* writeTasks(unchecked.filter((task) => !parts.includes(task)));
  }

  /** Puts the contact with the most parts first, because its comparison shows the most. */
  function fullestFirst(tasks: readonly Task<Stored>[]): readonly Task<Stored>[] {
    if (check === undefined) return tasks;
    const countOf = ({ contact, wanted }: Task<Stored>) =>
      check.countKinds(contact.stored, Object.keys(wanted));
    return tasks.toSorted((one, other) => countOf(other) - countOf(one));
  }

  function toTask(change: ContactChange, contact: StoredContact<Stored>): Task<Stored> {
    const refusals: Refusal[] = [];
    const wanted: Record<string, FieldValue> = {};
    for (const [name, value] of Object.entries(change.values)) {
      const problem = crm.findProblem(name, value, contact.stored);
      if (problem !== null) refusals.push({ ...problem, fields: [name] });
      else if (!isStored(name, value, contact.stored)) wanted[name] = value;
    }
    return { change, contact, wanted, refusals };
  }

  function isStored(name: string, value: FieldValue, stored: Stored): boolean {
    const present = crm.getValue(stored, name);
    return present !== undefined && isSame(name, value, present);
  }

  /** Writes the changes together. If the CRM refuses them or takes too long, writes smaller groups. */
  async function* writeTasks(tasks: readonly Task<Stored>[]): AsyncGenerator<WriteResult> {
    const { sendTogether } = crm;
    if (sendTogether === undefined || tasks.length < 2) {
      const lanes = sendTogether === undefined ? (crm.lanes ?? 1) : 1;
      yield* inLanes(tasks, { lanes, work: async (task) => [await writeOrExcuse(task)] });
      return;
    }
    const isTaken = await trySendTogether(tasks);
    const left: Task<Stored>[] = [];
    const present = await readAgain(tasks);
    for (const task of tasks) {
      const stored = present.get(task.contact.id);
      const isWritten = stored !== undefined && differing(task.wanted, stored).length === 0;
      if (isWritten) yield toResult(task);
      else if (isTaken) yield await settle(task, stored);
      else left.push(task);
    }
    // If a CRM writes records one after another, it stops at the record that it refuses.
    const middle = left.length < tasks.length ? 1 : Math.ceil(left.length / 2);
    if (left.length > 0) {
      yield* writeTasks(left.slice(0, middle));
      yield* writeTasks(left.slice(middle));
    }
  }

  /** Returns false if the CRM refused the request, or if it failed because the request was too large. */
  async function trySendTogether(tasks: readonly Task<Stored>[]): Promise<boolean> {
    throwIfStopped(deps.signal);
    suspicions.usual += 1;
    try {
      const writes = tasks.map(({ contact, wanted }) => ({ contact, values: wanted }));
      const isTaken = await crm.sendTogether?.(writes);
      failedInARow = 0;
      return isTaken === true;
    } catch (error) {
      throwIfStopped(deps.signal);
      if (!isRetriableError(error)) throw error;
      return false;
    }
  }

  function readAgain(tasks: readonly Task<Stored>[]): Promise<ReadonlyMap<string, Stored>> {
    const names = [...new Set(tasks.flatMap(({ wanted }) => Object.keys(wanted)))];
    return crm.read(
      tasks.map(({ contact }) => contact.id),
      names,
    );
  }

  function differing(values: FieldValues, stored: Stored): string[] {
    return Object.entries(values).flatMap(([name, value]) =>
      isStored(name, value, stored) ? [] : [name],
    );
  }

  /**
   * Writes a contact. A CRM may fail each time with the same contact. If a CRM fails with one contact, donor-sync
   * writes the other contacts first. A failure is excused only if it occurs in the first request that contains the
   * values. If several consecutive contacts fail, the CRM itself is the cause, and the error is thrown.
   */
  async function writeOrExcuse(task: Task<Stored>): Promise<WriteResult> {
    throwIfStopped(deps.signal);
    const first = { hasFailed: false };
    try {
      const { result } = await writeOne(task, first);
      failedInARow = 0;
      return result;
    } catch (error) {
      throwIfStopped(deps.signal);
      const isExcused = first.hasFailed && failedInARow < MOST_FAILED_IN_A_ROW;
      if (!isRetriableError(error) || !isExcused) throw error;
      failedInARow += 1;
      const stored = (await readAgain([task])).get(task.contact.id);
      if (stored === undefined) return refuseAll(task.change, reasons.gone);
      if (differing(task.wanted, stored).length === 0) return toResult(task);
      return refuseAll(task.change, reasons.failed);
    }
  }

  /** Writes one contact. Sets `hasFailed` if the first request with the values fails. */
  async function writeOne(
    task: Task<Stored>,
    first = { hasFailed: false },
  ): Promise<CheckedWrite<Stored>> {
    const { change, contact, wanted } = task;
    let response: Stored | null = null;
    let isSent = false;
    let isFirst = true;
    const send = async (values: FieldValues) => {
      throwIfStopped(deps.signal);
      first.hasFailed = isFirst;
      const sent = await crm.send(contact, values);
      first.hasFailed = false;
      isFirst = false;
      if ('refusal' in sent) return sent.refusal;
      isSent = true;
      response = sent.stored;
      return null;
    };
    const { refusesContact } = crm;
    const { written, refusals } = await sendInParts(
      { ...change, values: wanted },
      suspicions,
      send,
      refusesContact && (async () => refusesContact(contact)),
    );
    const reason = refusals.at(-1);
    if (written.length === 0 && reason?.fields.length === 0) {
      return { result: refuseAll(change, reason), response, isSent };
    }
    const rest = {
      ...task,
      wanted: pickValues(wanted, written),
      refusals: [...task.refusals, ...refusals],
    };
    const result = written.length === 0 ? toResult(rest) : await settleOne(rest, response);
    return { result, response, isSent };
  }

  /**
   * If the values in the response differ, the contact is read again, because the response may be older than the write.
   */
  async function settleOne(task: Task<Stored>, response: Stored | null): Promise<WriteResult> {
    const isStored = response !== null && differing(task.wanted, response).length === 0;
    if (isStored) return toResult(task);
    return settle(task, (await readAgain([task])).get(task.contact.id));
  }

  /**
   * Returns the result of a change that the CRM has accepted. Values that the CRM dropped, shortened or changed count
   * as refused.
   */
  async function settle(task: Task<Stored>, present: Stored | undefined): Promise<WriteResult> {
    if (present === undefined) return refuseAll(task.change, reasons.gone);
    const unstored = differing(task.wanted, present);
    for (const name of unstored) {
      const isDropped = isEqual(name, present, task.contact.stored);
      const reason = isDropped ? reasons.notStored : reasons.storedDifferently;
      task.refusals.push({ ...reason, fields: [name] });
    }
    if (unstored.length === 0 || task.change.together !== true) return toResult(task);
    const left = await restore(task, present);
    return left.length === 0 ? toResult(task) : refuseAll(task.change, notRestored(crm.name, left));
  }

  function isEqual(name: string, one: Stored, other: Stored): boolean {
    const [value, otherValue] = [crm.getValue(one, name), crm.getValue(other, name)];
    if (value === undefined || otherValue === undefined) return value === otherValue;
    return isSame(name, value, otherValue);
  }

  /**
   * Restores the former values. A contact must not contain values of two different people. Returns the fields that
   * could not be restored.
   */
  function restore({ contact, wanted }: Task<Stored>, mixed: Stored): Promise<readonly string[]> {
    const { id, stored } = contact;
    const changed = Object.keys(wanted).filter((name) => !isEqual(name, mixed, stored));
    return restoreFormer(deps, changed, async (names) => {
      const former = names.flatMap((name) => {
        const value = crm.getValue(stored, name) ?? null;
        // If an option no longer exists, its value cannot be written, but the other values must still be written.
        return crm.findProblem(name, value, stored) === null ? [[name, value] as const] : [];
      });
      if (former.length > 0) await crm.send(contact, Object.fromEntries(former));
      const now = (await crm.read([id], names)).get(id);
      // If the field contains a different value now, the value comes from a user or from the CRM's automation.
      return now === undefined ? [] : names.filter((name) => isEqual(name, now, mixed));
    });
  }

  /** Returns the result for a change whose values are in the CRM. Refused values are excluded. */
  function toResult({ change, contact, wanted, refusals }: Task<Stored>): WriteResult {
    const { id, values, together, seen } = change;
    const refused = new Set(refusals.flatMap(({ fields }) => fields));
    // If any value of the change may succeed later, the whole change may succeed later.
    const reason = refusals.find(({ retriable }) => retriable) ?? refusals[0];
    const isNothing = Object.keys(values).every((name) => refused.has(name));
    if (reason !== undefined && (isNothing || together === true)) {
      return { status: 'refused', id, ...reason, fields: [...refused] };
    }
    const typed = Object.keys(wanted).flatMap((name) => {
      const before = crm.getValue(contact.stored, name) ?? null;
      const isTyped = seen !== undefined && name in seen && seen[name] !== before;
      return isTyped && !refused.has(name) ? [[name, before] as const] : [];
    });
    const overwritten =
      typed.length === 0 ? {} : { overwritten: { by: null, values: Object.fromEntries(typed) } };
    if (reason === undefined) return { status: 'written', id, ...overwritten };
    return { status: 'written_in_part', id, refusals, ...overwritten };
  }
}

/**
 * Returns true if the change can be sent. A change that must be written as a whole cannot be sent if one of its values
 * is refused.
 */
function isToSend({ change, wanted, refusals }: Task<unknown>): boolean {
  if (change.together === true && refusals.length > 0) return false;
  return Object.keys(wanted).length > 0;
}

function refuseAll({ id }: ContactChange, reason: Refusal): WriteResult {
  return { status: 'refused', id, ...reason };
}

/** Yields batches in which each contact occurs at most once. */
async function* toBatches(
  changes: Iterable<ContactChange> | AsyncIterable<ContactChange>,
  most: number,
): AsyncGenerator<ContactChange[]> {
  let batch: ContactChange[] = [];
  const ids = new Set<string>();
  for await (const change of changes) {
    if (batch.length === most || ids.has(change.id)) {
      yield batch;
      batch = [];
      ids.clear();
    }
    batch.push(change);
    ids.add(change.id);
  }
  if (batch.length > 0) yield batch;
}

function toReasons(crm: string): Reasons {
  return {
    gone: refusal(
      'GONE',
      `The contact was deleted in ${crm}, or the integration's user must not see it.`,
    ),
    failed: refusal(
      'CRM_FAILED',
      `${crm} failed when this contact was written, and not at others. The values are written later.`,
      // The CRM may still execute the request.
      { retriable: true, isPartlyStored: true },
    ),
    notStored: refusal('VALUE_NOT_STORED', `${crm} accepted the value and did not store it.`, {
      cause: 'rule',
    }),
    storedDifferently: refusal(
      'VALUE_STORED_DIFFERENTLY',
      `${crm} stored another value: it was cut off, or changed at the same moment.`,
      { cause: 'rule' },
    ),
  };
}
