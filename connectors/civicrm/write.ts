/**
 * Writes custom fields. CiviCRM names neither the record nor the field that it refuses. It drops values of unknown fields
 * and cuts off long values without an error. So the values are compared before and after each write.
 */

import type { FieldValue, FieldValues } from '../../src/core/crm-field.ts';
import { isRetriableError } from '../../src/core/errors.ts';
import type { ContactChange, Refusal, WriteResult } from '../contract.ts';
import { refusedWrite } from '../plain.ts';
import { throwIfStopped } from '../requests/stopped.ts';
import {
  afterRefused,
  afterTaken,
  type CulpritSearch,
  isOver,
  learnFrom,
  searchFor,
} from '../writing/culprit-search.ts';
import { notRestored, restoreFormer } from '../writing/former-values.ts';
import type { Refused } from './api.ts';
import { canonicalId } from './contact.ts';
import type { CivicrmSession } from './session.ts';
import { readValues } from './stored-values.ts';
import { toApi } from './values.ts';

/** Number of contacts in one request. Each of them starts CiviCRM's hooks, which take time. */
export const CHANGES_PER_REQUEST = 50;

/** A request that can be split is not repeated often. */
const TRIES_IF_SPLITTABLE = 2;

/** Another transaction usually ends within this time. */
const LOCK_WAIT_MS = 1_000;
const LOCK_TRIES = 2;

/** After so many single contacts at which the site failed, the site is the cause. */
const MOST_FAILED_IN_A_ROW = 3;

/** The code of every refusal, because CiviCRM gives no codes. */
const API_ERROR = 'API_ERROR';

/** A change in progress. */
interface Task {
  change: ContactChange;
  id: string;
  /** The canonical values to send, except values that cannot be written or are already there. */
  wanted: FieldValues;
  /** The values before the write. */
  before: FieldValues;
  refusals: Refusal[];
}

/** Yields one result for each change. Changes of one contact are written in their order. */
export async function* writeChanges(
  session: CivicrmSession,
  changes: Iterable<ContactChange> | AsyncIterable<ContactChange>,
): AsyncGenerator<WriteResult> {
  let batch: ContactChange[] = [];
  for await (const change of changes) {
    if (batch.length === CHANGES_PER_REQUEST || batch.some(({ id }) => id === change.id)) {
      yield* await writeBatch(session, batch);
      batch = [];
    }
    batch.push(change);
  }
  if (batch.length > 0) yield* await writeBatch(session, batch);
}

async function writeBatch(
  session: CivicrmSession,
  changes: readonly ContactChange[],
): Promise<WriteResult[]> {
  throwIfStopped(session.signal);
  const results: WriteResult[] = [];
  const tasks: Task[] = [];
  const names = [...new Set(changes.flatMap(({ values }) => Object.keys(values)))];
  const stored = await readValues(
    session,
    changes.map(({ id }) => id),
    names,
  );
  for (const change of changes) {
    const id = canonicalId(change.id);
    const before = stored.get(id ?? '');
    if (id === null || before === undefined) results.push(gone(change.id));
    else tasks.push(toTask(session, change, id, before));
  }
  // A change that is written as a whole or not at all needs the knowledge about fields from other changes.
  for (const together of [false, true]) {
    const some = tasks.filter(({ change }) => (change.together === true) === together);
    const { true: toSend = [], false: done = [] } = Object.groupBy(some, (task) =>
      isToSend(task) ? 'true' : 'false',
    );
    await writeTasks(session, toSend, results);
    results.push(...done.map(resultOf));
  }
  return results;
}

/** Splits a change into what is sent and what is refused before that. */
function toTask(
  { fields }: CivicrmSession,
  change: ContactChange,
  id: string,
  before: FieldValues,
): Task {
  const refusals: Refusal[] = [];
  const wanted: Record<string, FieldValue> = {};
  for (const [name, value] of Object.entries(change.values)) {
    const field = fields.get(name);
    if (field === undefined || !(name in before)) {
      refusals.push(refusal('NO_SUCH_FIELD', NO_FIELD, name, 'no_such_field'));
    } else if (!field.isWritable) {
      refusals.push(refusal('FIELD_READ_ONLY', READ_ONLY, name, 'no_permission'));
    } else if (toApi(field, value) === undefined) {
      refusals.push(refusal('VALUE_DOES_NOT_FIT', DOES_NOT_FIT, name, 'does_not_fit'));
    } else if (before[name] !== value) {
      wanted[name] = value;
    }
  }
  return { change, id, before, wanted, refusals };
}

/** A change as a whole is not sent if a part of it is refused. */
function isToSend({ change, wanted, refusals }: Task): boolean {
  if (change.together === true && refusals.length > 0) return false;
  return Object.keys(wanted).length > 0;
}

/** Writes tasks, in smaller parts if CiviCRM refuses them or takes too long. */
async function writeTasks(
  session: CivicrmSession,
  tasks: readonly Task[],
  results: WriteResult[],
): Promise<void> {
  const [first] = tasks;
  if (first === undefined) return;
  if (tasks.length === 1) {
    results.push(await writeOne(session, first));
    return;
  }
  session.suspicions.usual += 1;
  const isTaken = await save(session, tasks);
  const left = await settle(session, tasks, isTaken, results);
  if (left.length === 0) return;
  // A site that writes one record after the other stops at the one that it refuses.
  const isPrefix = left.length < tasks.length;
  const middle = isPrefix ? 1 : Math.ceil(left.length / 2);
  await writeTasks(session, left.slice(0, middle), results);
  await writeTasks(session, left.slice(middle), results);
}

/** Returns false if CiviCRM refused the request, or failed at one of this size. */
async function save(session: CivicrmSession, tasks: readonly Task[]): Promise<boolean> {
  throwIfStopped(session.signal);
  const records = tasks.map((task) => toRecord(session, task.id, task.wanted));
  try {
    const refused = await session.api.change('Contact', 'save', { records }, TRIES_IF_SPLITTABLE);
    session.failedInARow = 0;
    return refused === null;
  } catch (error) {
    throwIfStopped(session.signal);
    if (!isRetriableError(error)) throw error;
    return false;
  }
}

/** Only the ID and our fields: everything else of the contact stays as it is. */
function toRecord(
  { fields }: Pick<CivicrmSession, 'fields'>,
  id: string,
  values: FieldValues,
): object {
  const sent = Object.entries(values).map(([name, value]) => {
    const field = fields.get(name);
    return [name, field === undefined ? undefined : toApi(field, value)];
  });
  return { id: Number(id), ...Object.fromEntries(sent) };
}

/**
 * Reads the contacts again, and reports the written contacts. If CiviCRM accepted the request, the others are refused;
 * otherwise they are returned.
 */
async function settle(
  session: CivicrmSession,
  tasks: readonly Task[],
  isTaken: boolean,
  results: WriteResult[],
): Promise<Task[]> {
  const names = [...new Set(tasks.flatMap(({ wanted }) => Object.keys(wanted)))];
  const stored = await readValues(
    session,
    tasks.map(({ id }) => id),
    names,
  );
  const left: Task[] = [];
  for (const task of tasks) {
    const present = stored.get(task.id);
    const isWritten = present !== undefined && differing(task.wanted, present).length === 0;
    if (isWritten || (isTaken && present === undefined)) {
      results.push(isWritten ? resultOf(task) : gone(task.change.id));
    } else if (isTaken && present !== undefined) {
      results.push(await refuseStored(session, task, present));
    } else {
      left.push(task);
    }
  }
  return left;
}

function differing(wanted: FieldValues, present: FieldValues): string[] {
  return Object.keys(wanted).filter((name) => present[name] !== wanted[name]);
}

/** CiviCRM accepted the write, and some fields have other values: they were dropped, cut off or changed. */
async function refuseStored(
  session: CivicrmSession,
  task: Task,
  present: FieldValues,
): Promise<WriteResult> {
  for (const name of differing(task.wanted, present)) {
    const isDropped = present[name] === task.before[name];
    task.refusals.push(
      isDropped
        ? refusal('VALUE_NOT_STORED', NOT_STORED, name, 'no_permission')
        : refusal('VALUE_STORED_DIFFERENTLY', STORED_DIFFERENTLY, name, 'rule'),
    );
  }
  if (task.change.together === true) {
    const left = await restore(session, task, present);
    if (left.length > 0)
      return { status: 'refused', id: task.change.id, ...notRestored('CiviCRM', left) };
  }
  return resultOf(task);
}

/** Restores the former values, so that one contact does not have values of two people. Returns the fields that are left. */
function restore(
  session: CivicrmSession,
  task: Task,
  present: FieldValues,
): Promise<readonly string[]> {
  const { id, wanted, before } = task;
  const changed = Object.keys(wanted).filter((name) => present[name] !== before[name]);
  return restoreFormer(session, changed, async (names) => {
    const record = toRecord(session, id, pick(before, names));
    await session.api.change('Contact', 'save', { records: [record] });
    const now = (await readValues(session, [id], names)).get(id) ?? {};
    // Another value is from a user or an extension.
    return names.filter((name) => now[name] === present[name]);
  });
}

async function writeOne(session: CivicrmSession, task: Task): Promise<WriteResult> {
  session.suspicions.usual += 1;
  let refused: Refused | null;
  try {
    refused = await sendOne(session, task, task.wanted);
  } catch (error) {
    return settleFailed(session, task, error);
  }
  session.failedInARow = 0;
  if (refused === null) return settleOne(session, task);
  if (refused.isUnauthorized) return refuseAll(task, 'NOT_ALLOWED', NOT_ALLOWED, refused);
  if (refused.isLock)
    return refuseAll(task, 'LOCKED', LOCKED, refused, { retriable: true, isLock: true });
  return task.change.together === true
    ? blame(session, task, refused)
    : narrow(session, task, refused);
}

/** Sends some values of one contact. CiviCRM does not say whether a lock is the cause, so a refused write is tried again. */
async function sendOne(
  { api, clock, signal, fields }: CivicrmSession,
  { id }: Task,
  values: FieldValues,
): Promise<Refused | null> {
  const records = [toRecord({ fields }, id, values)];
  for (let attempt = 1; ; attempt += 1) {
    throwIfStopped(signal);
    const refused = await api.change('Contact', 'save', { records });
    if (refused === null || refused.isUnauthorized || attempt === LOCK_TRIES) return refused;
    await clock.sleep(LOCK_WAIT_MS, signal);
  }
}

/**
 * A hook can end PHP at one contact, every time, so this contact waits and the others are written. Throws the error if reading
 * fails too, or if it is about the site, because several contacts in a row failed.
 */
async function settleFailed(
  session: CivicrmSession,
  task: Task,
  error: unknown,
): Promise<WriteResult> {
  throwIfStopped(session.signal);
  if (!isRetriableError(error) || session.failedInARow >= MOST_FAILED_IN_A_ROW) throw error;
  session.failedInARow += 1;
  const results: WriteResult[] = [];
  await settle(session, [task], false, results);
  const [written] = results;
  if (written !== undefined) return written;
  return refusedWrite(task.change.id, 'SITE_FAILED', SITE_FAILED, { retriable: true });
}

async function settleOne(session: CivicrmSession, task: Task): Promise<WriteResult> {
  const results: WriteResult[] = [];
  await settle(session, [task], true, results);
  return results[0] ?? resultOf(task);
}

/** Names the fields that have caused refusals of other contacts, if the change has any of them. */
function blame({ suspicions }: CivicrmSession, task: Task, refused: Refused): WriteResult {
  const known = suspicions.culprits.get(API_ERROR) ?? new Set();
  const fields = Object.keys(task.wanted).filter((name) => known.has(name));
  const cause = fields.length === 0 ? {} : { cause: 'rule' as const };
  return refuseAll(task, API_ERROR, REFUSED, refused, { fields, ...cause });
}

/** Finds the fields that CiviCRM refuses by writing the others. */
async function narrow(session: CivicrmSession, task: Task, refused: Refused): Promise<WriteResult> {
  const { suspicions } = session;
  // Every refusal has the same text, so searches in vain for protected contacts must not end those for other contacts.
  const rule = { code: API_ERROR, message: task.id };
  const names = Object.keys(task.wanted);
  let search: CulpritSearch | null = searchFor(suspicions, rule, names);
  if (search === null) {
    const [only, ...others] = names;
    if (only === undefined || others.length > 0)
      return refuseAll(task, API_ERROR, REFUSED, refused);
    // The other values of the change may be there already, from a run that ended in the middle.
    task.refusals.push({
      ...refusal(API_ERROR, REFUSED_VALUE, only, 'rule'),
      words: refused.words,
    });
    return resultOf({ ...task, wanted: {} });
  }
  // A contact that is protected as a whole has no refused value. Searches in vain for them would use up the requests that
  // other contacts need, and the text does not tell these contacts apart.
  if ((await sendOne(session, task, {})) !== null) {
    return refuseAll(task, API_ERROR, REFUSED, refused);
  }
  while (!isOver(search)) {
    suspicions.extra += 1;
    const part: FieldValues = pick(task.wanted, search.probe);
    const isTaken: boolean = (await sendOne(session, task, part)) === null;
    search = isTaken ? afterTaken(search) : afterRefused(search);
  }
  learnFrom(suspicions, rule, search);
  if (search.written.length === 0) return refuseAll(task, API_ERROR, REFUSED, refused);
  for (const name of search.culprits) {
    task.refusals.push({
      ...refusal(API_ERROR, REFUSED_VALUE, name, 'rule'),
      words: refused.words,
    });
  }
  task.wanted = pick(task.wanted, search.written);
  return settleOne(session, task);
}

/** The result of a change whose sent values are in CiviCRM. */
function resultOf({ change, wanted, before, refusals }: Task): WriteResult {
  const { id, values, together, seen } = change;
  const [first] = refusals;
  const isNothing = refusals.length === Object.keys(values).length;
  if (first !== undefined && (isNothing || together === true)) {
    const fields = [...new Set(refusals.flatMap((each) => each.fields))];
    return { status: 'refused', id, ...first, fields };
  }
  const typed = Object.keys(wanted).filter(
    (name) => seen !== undefined && name in seen && seen[name] !== before[name],
  );
  const overwritten =
    typed.length === 0 ? {} : { overwritten: { by: null, values: pick(before, typed) } };
  if (first === undefined) return { status: 'written', id, ...overwritten };
  return { status: 'written_in_part', id, refusals, ...overwritten };
}

function pick(values: FieldValues, names: readonly string[]): FieldValues {
  return Object.fromEntries(names.map((name) => [name, values[name] ?? null]));
}

function refuseAll(
  { change }: Task,
  code: string,
  message: string,
  { isUnauthorized, words }: Refused,
  more: Partial<Refusal> = {},
): WriteResult {
  const cause = isUnauthorized ? ({ cause: 'no_permission' } as const) : {};
  return refusedWrite(change.id, code, message, { words, ...cause, ...more });
}

function gone(id: string): WriteResult {
  return refusedWrite(
    id,
    'CONTACT_GONE',
    "The contact is in CiviCRM's trash, was deleted, or may not be seen by the integration's user.",
  );
}

function refusal(
  code: string,
  message: string,
  field: string,
  cause: NonNullable<Refusal['cause']>,
): Refusal {
  return { retriable: false, code, message, fields: [field], cause };
}

const NO_FIELD =
  "CiviCRM does not show this field: create it, or give the integration's user access to its custom group.";
const READ_ONLY =
  'donor-sync writes only custom fields, and this field is fixed or only for viewing.';
const DOES_NOT_FIT = "The value does not fit into the field's type, length or options.";
const NOT_STORED =
  "CiviCRM accepted the value without storing it. Check that the integration's user may edit this custom group.";
const STORED_DIFFERENTLY =
  'CiviCRM stored another value: it was cut off, or an extension or a user changed it at the same moment.';
const NOT_ALLOWED = "The integration's user may not edit this contact.";
const SITE_FAILED =
  "CiviCRM's server failed at this contact, and not at others. Its log names the cause at this time, often an extension. The values are written later.";
const LOCKED = 'Another user or process had locked the contact.';
const REFUSED =
  'CiviCRM refused the change and did not say why. Its log names the cause at this time, or give the user the permission "view debug output".';
const REFUSED_VALUE =
  'CiviCRM refused this value; the other values of the contact are written. Its log names the cause at this time.';
