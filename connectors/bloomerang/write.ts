/** Writes custom values, one constituent per request. */
import type { FieldValues } from '../../src/core/crm-field.ts';
import { isRetriableError } from '../../src/core/errors.ts';
import { foreignText } from '../../src/core/foreign-text.ts';
import type { ContactChange, ReadBack, Refusal, WriteResult, WrittenFields } from '../contract.ts';
import { refusedWrite } from '../plain.ts';
import type { HttpAnswer } from '../requests/http.ts';
import { inLanes } from '../requests/lanes.ts';
import { throwIfStopped } from '../requests/stopped.ts';
import { notRestored, restoreFormer } from '../writing/former-values.ts';
import { writeInParts } from '../writing/write-in-parts.ts';
import { type Assignment, isSame, toAssignment, valueIn } from './fields.ts';
import { kindsIn, toParts } from './parts.ts';
import { findRecords, ROWS_PER_PAGE } from './read.ts';
import { type BloomerangRecord, canonicalId, recordSchema } from './record.ts';
import type { BloomerangSession } from './session.ts';
import type { CheckedWrite } from './write-check.ts';

/** Number of requests in flight at a time. */
const LANES = 4;

/** If Bloomerang fails at more constituents in a row than this, the cause is Bloomerang and not the constituents. */
const MOST_FAILED_IN_A_ROW = 3;

/** A change of a constituent that exists. */
interface Work {
  change: ContactChange;
  record: BloomerangRecord;
  /** The IDs of the custom fields in the change. */
  ours: ReadonlySet<number>;
}

/** Writes the changes in batches, whose records are read first. Changes of one contact are written in their order. */
export async function* writeChanges(
  session: BloomerangSession,
  changes: Iterable<ContactChange> | AsyncIterable<ContactChange>,
): AsyncGenerator<WriteResult> {
  throwIfStopped(session.deps.signal);
  for await (const batch of toBatches(changes)) {
    throwIfStopped(session.deps.signal);
    await session.writeCheck.settle(session.custom());
    const records = await findRecords(
      session,
      batch.map(({ id }) => id),
    );
    const work: Work[] = [];
    for (const change of batch) {
      const record = records.get(canonicalId(change.id) ?? change.id);
      if (record === undefined) yield gone(change.id);
      else work.push({ change, record, ours: fieldIdsOf(session, change) });
    }
    yield* writeBatch(session, work);
  }
}

/**
 * Writes the constituent with the most filled parts first. Another constituent is also compared in all parts if it has a
 * filled part of a kind that was blank in all earlier constituents.
 */
async function* writeBatch(
  session: BloomerangSession,
  work: readonly Work[],
): AsyncGenerator<WriteResult> {
  const { writeCheck, deps } = session;
  const fullestFirst = work.toSorted((one, other) => countKinds(other) - countKinds(one));
  const rest: Work[] = [];
  for (const each of fullestFirst) {
    if (!writeCheck.needsCheck(each.record, each.ours)) {
      rest.push(each);
      continue;
    }
    throwIfStopped(deps.signal);
    const subject = { id: String(each.record.Id), ours: each.ours, custom: session.custom() };
    yield await writeCheck.run(subject, () => writeOne(session, each));
  }
  yield* inLanes(rest, {
    lanes: LANES,
    work: async (each) => {
      throwIfStopped(deps.signal);
      try {
        const { result } = await writeOne(session, each);
        session.failedInARow = 0;
        return [result];
      } catch (error) {
        return [await resultOfFailure(session, each.change, error)];
      }
    },
  });
}

/**
 * Bloomerang can fail at one constituent every time, so this one waits and the others are written. Throws the error if
 * reading fails too, or if it is about Bloomerang, because several constituents in a row failed.
 */
async function resultOfFailure(
  session: BloomerangSession,
  { id, values }: ContactChange,
  error: unknown,
): Promise<WriteResult> {
  throwIfStopped(session.deps.signal);
  if (!isRetriableError(error) || session.failedInARow >= MOST_FAILED_IN_A_ROW) throw error;
  session.failedInARow += 1;
  const record = (await findRecords(session, [id])).get(canonicalId(id) ?? id);
  if (record === undefined) return gone(id);
  const isWritten = listUnstored(session, record, values).length === 0;
  const isKnown = Object.keys(values).every((name) => session.custom().has(name));
  if (isWritten && isKnown) return { status: 'written', id };
  const message =
    'Bloomerang failed when this constituent was written. The values are written later. If it fails again, ask Bloomerang.';
  return refusedWrite(id, 'CRM_FAILED', message, { retriable: true });
}

function countKinds({ record, ours }: Work): number {
  return kindsIn(toParts(record, ours)).size;
}

function fieldIdsOf(session: BloomerangSession, { values }: ContactChange): ReadonlySet<number> {
  const custom = session.custom();
  return new Set(Object.keys(values).flatMap((name) => custom.get(name)?.id ?? []));
}

async function writeOne(
  session: BloomerangSession,
  { change, record }: Work,
): Promise<CheckedWrite<WriteResult>> {
  let response: BloomerangRecord | null = null;
  const result = await writeInParts(change, session.suspicions, async (values) => {
    const sent = await sendValues(session, record, values);
    if ('refusal' in sent) return sent.refusal;
    response = sent.record;
    const unstored = await findUnstored(session, sent.record, values);
    if (unstored === null || change.together !== true) return unstored;
    const left = await restore(session, record, values);
    return left.length === 0 ? unstored : notRestored('Bloomerang', left);
  });
  return { result, response };
}

/** Restores the former values, so that a record never has values of two people. Returns the fields that are left. */
async function restore(
  session: BloomerangSession,
  record: BloomerangRecord,
  values: FieldValues,
): Promise<readonly string[]> {
  const id = String(record.Id);
  const custom = session.custom();
  const read = async () => (await findRecords(session, [id])).get(id);
  const isAs = (name: string, one: BloomerangRecord, other: BloomerangRecord) => {
    const field = custom.get(name);
    const [value, otherValue] = [valueIn(one, name, custom), valueIn(other, name, custom)];
    return field === undefined || isSame(value, otherValue, field);
  };
  const mixed = await read();
  if (mixed === undefined) return [];
  const changed = Object.keys(values).filter((name) => !isAs(name, mixed, record));
  return restoreFormer(session.deps, changed, async (names) => {
    const former = names.flatMap((name) => {
      const field = custom.get(name);
      const value = valueIn(record, name, custom);
      // A choice that is not active any more cannot be written, and must not keep the others out.
      return field === undefined || toAssignment(field, value) === null ? [] : [[name, value]];
    });
    if (former.length > 0) await sendValues(session, record, Object.fromEntries(former));
    const now = await read();
    // Another value is from a user.
    return now === undefined ? [] : names.filter((name) => isAs(name, now, mixed));
  });
}

type Sent = { record: BloomerangRecord } | { refusal: Refusal };

async function sendValues(
  session: BloomerangSession,
  record: BloomerangRecord,
  values: FieldValues,
): Promise<Sent> {
  const custom = session.custom();
  const assignments: Assignment[] = [];
  for (const [name, value] of Object.entries(values)) {
    const field = custom.get(name);
    if (field === undefined) return { refusal: noSuchField(name) };
    const assignment = toAssignment(field, value);
    if (assignment === null) return { refusal: notAChoice(name) };
    assignments.push(assignment);
  }
  const { writeCheck } = session;
  const body = { CustomValues: assignments };
  const { names } = writeCheck.state();
  if (names !== 'sent') {
    const answer = await put(session, record, body);
    if (answer.ok) {
      await writeCheck.learnNames('omitted');
      return { record: answer.body };
    }
    const mayNeedNames = names === 'unknown' && answer.status === 400;
    if (!mayNeedNames || record.FirstName === null || record.LastName === null) {
      return { refusal: toRefusal(answer, assignments, session) };
    }
  }
  const current = await currentNames(session, record);
  if (current.FirstName === null || current.LastName === null) return { refusal: nameless() };
  const answer = await put(session, record, { ...current, ...body });
  if (!answer.ok) return { refusal: toRefusal(answer, assignments, session) };
  await writeCheck.learnNames('sent');
  return { record: answer.body };
}

function put({ http }: BloomerangSession, { Id }: BloomerangRecord, json: object) {
  return http.ask({ method: 'PUT', path: `/constituent/${Id}`, json }, recordSchema);
}

/** Read right before the request, because it writes them back. */
async function currentNames(session: BloomerangSession, record: BloomerangRecord) {
  const path = `/constituent/${record.Id}`;
  const answer = await session.http.ask({ path }, recordSchema);
  const { Type, FirstName, LastName } = answer.ok ? answer.body : record;
  return { Type, FirstName, LastName };
}

/** Acknowledges nothing that is not in the CRM. The response may be older than the write, so the record is read again. */
async function findUnstored(
  session: BloomerangSession,
  response: BloomerangRecord,
  values: FieldValues,
): Promise<Refusal | null> {
  if (listUnstored(session, response, values).length === 0) return null;
  const id = String(response.Id);
  const record = (await findRecords(session, [id])).get(id);
  const fields = record === undefined ? [] : listUnstored(session, record, values);
  if (fields.length === 0) return null;
  return refusal('VALUE_NOT_STORED', 'Bloomerang accepted the value and did not store it.', {
    fields,
    cause: 'rule',
  });
}

function listUnstored(
  session: BloomerangSession,
  record: BloomerangRecord,
  values: FieldValues,
): string[] {
  const custom = session.custom();
  return Object.entries(values).flatMap(([name, value]) => {
    const field = custom.get(name);
    return field === undefined || isSame(value, valueIn(record, name, custom), field) ? [] : [name];
  });
}

/** The values as they are a moment later. Bloomerang has no automation that it reports. */
export async function readBack(
  session: BloomerangSession,
  writes: readonly WrittenFields[],
): Promise<ReadBack[]> {
  const records = await findRecords(
    session,
    writes.map(({ id }) => id),
  );
  const custom = session.custom();
  return writes.map(({ id, fields }) => {
    const record = records.get(canonicalId(id) ?? id);
    if (record === undefined) return { id, values: null, automated: [] };
    const values = fields.map((name) => [name, valueIn(record, name, custom)] as const);
    return { id, values: Object.fromEntries(values), automated: [] };
  });
}

type Refused = Extract<HttpAnswer<unknown>, { ok: false }>;

/** The form of errors is not documented, so a field is blamed only if its ID is in the response. */
function toRefusal(
  { status, body }: Refused,
  assignments: readonly Assignment[],
  session: BloomerangSession,
): Refusal {
  const text = body === null ? '' : JSON.stringify(body);
  const ids = new Set((text.match(/\d+/g) ?? []).map(Number));
  const blamedIds = new Set(
    assignments.flatMap(({ FieldId }) => (ids.has(FieldId) ? FieldId : [])),
  );
  const blamed = [...session.custom().values()].filter(({ id }) => blamedIds.has(id));
  const fields = blamed.map(({ name }) => name);
  const isLock = status === 409 || status === 423;
  const code = `HTTP_${status}`;
  const message =
    status === 403
      ? "The key's user must not change this constituent."
      : status === 404
        ? 'The constituent is not in Bloomerang any more, or its user must not see it.'
        : isLock
          ? 'Another user or program is changing the constituent.'
          : 'Bloomerang refuses the change.';
  return refusal(code, message, {
    fields,
    ...(isLock ? { retriable: true, isLock: true } : {}),
    ...(status === 403 ? { cause: 'no_permission' as const } : {}),
    words: foreignText(text, { code, fields }),
  });
}

function refusal(code: string, message: string, more: Partial<Refusal>): Refusal {
  const { status: _, id: __, ...rest } = refusedWrite('', code, message, more);
  return rest;
}

function nameless(): Refusal {
  const message =
    'Bloomerang changes a constituent only with its first and last name, and the first or the last name is blank.';
  return refusal('NAME_MISSING', message, {});
}

function noSuchField(name: string): Refusal {
  return refusal('NO_SUCH_FIELD', `Bloomerang has no active custom field "${name}".`, {
    fields: [name],
    cause: 'no_such_field',
  });
}

function notAChoice(name: string): Refusal {
  return refusal('NOT_A_CHOICE', `The value is not one of the choices of "${name}".`, {
    fields: [name],
    cause: 'does_not_fit',
  });
}

function gone(id: string): WriteResult {
  return refusedWrite(id, 'GONE', 'Bloomerang has no individual with this ID, or hides it.');
}

/** A contact is at most once in a batch. */
async function* toBatches(
  changes: Iterable<ContactChange> | AsyncIterable<ContactChange>,
): AsyncGenerator<ContactChange[]> {
  let batch: ContactChange[] = [];
  const ids = new Set<string>();
  for await (const change of changes) {
    if (batch.length === ROWS_PER_PAGE || ids.has(change.id)) {
      yield batch;
      batch = [];
      ids.clear();
    }
    batch.push(change);
    ids.add(change.id);
  }
  if (batch.length > 0) yield batch;
}
