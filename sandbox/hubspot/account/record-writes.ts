/** Writes records for clients. If a value is wrong, decides whether to reject the whole request or a single record. */

import { HubspotError, validationError } from '../core/errors.ts';
import { CONTACTS, type ObjectType, otherType } from '../core/object-type.ts';
import {
  type InputValues,
  readValues,
  type Values,
  valuesError,
} from '../properties/property-values.ts';
import type { StoredRecord } from '../records/record.ts';
import type { Author } from '../records/record-store.ts';
import type { ValueOf } from '../records/rules.ts';
import { type Account, followPrimaryCompany } from './account.ts';

export interface Writer {
  author: Author;
  /** True if HubSpot checks required properties, as in API version 2026-09 and later. */
  isStrict: boolean;
}

export interface UpdateInput {
  id: string;
  properties: InputValues;
  /** The property that identifies the record. The property is omitted if the record's ID identifies the record. */
  idProperty?: string | undefined;
  objectWriteTraceId?: string | undefined;
}

export interface CreateInput {
  properties: InputValues;
  /**
   * The records with which the new record is associated. An associated record has the other object type, and may be
   * marked as primary.
   */
  ties: readonly { toId: string; isPrimary: boolean }[];
  objectWriteTraceId?: string | undefined;
}

export interface Written {
  record: StoredRecord;
  /** The names of the properties that the client sent. */
  names: string[];
  /** True if the request created the record. Set only in upserts, which create or change records. */
  isNew?: boolean;
  objectWriteTraceId?: string | undefined;
}

/** Records that HubSpot did not write or find, all for one reason. */
export interface Failure {
  ids: string[];
  error: HubspotError;
  objectWriteTraceIds?: string[];
}

/** The results for all records in a request. */
export interface WriteOutcome {
  written: Written[];
  failures: Failure[];
}

/** Changes records. If one value is invalid, HubSpot rejects the changes of all records. */
export function updateRecords(
  account: Account,
  type: ObjectType,
  inputs: readonly UpdateInput[],
  writer: Writer,
): WriteOutcome {
  checkDuplicates(inputs);
  const values = readAllValues(account, type, inputs);
  return account.store.transact(() => {
    const outcome: WriteOutcome = { written: [], failures: [] };
    const missing: string[] = [];
    for (const [index, input] of inputs.entries()) {
      const record = findRecord(account, type, input);
      if (record === undefined) {
        missing.push(input.id);
      } else {
        updateOne(account, type, record, { input, values: values[index] ?? {} }, writer, outcome);
      }
    }
    if (missing.length > 0) outcome.failures.push(notFound(type, missing));
    return outcome;
  });
}

/**
 * Creates either all records or none of them. If each record has a trace ID, each failure is reported separately. If
 * failures are reported separately, HubSpot creates the valid records.
 */
export function createRecords(
  account: Account,
  type: ObjectType,
  inputs: readonly CreateInput[],
  writer: Writer,
): WriteOutcome {
  const traceIds = inputs.flatMap(({ objectWriteTraceId: id }) => (id === undefined ? [] : [id]));
  const mayFailOne = new Set(traceIds).size === inputs.length;
  const values = readAllValues(account, type, inputs);
  return account.store.transact(() => {
    const outcome: WriteOutcome = { written: [], failures: [] };
    for (const [index, input] of inputs.entries()) {
      const created = tryCreate(account, type, input, values[index] ?? {}, writer);
      if (!(created instanceof HubspotError)) {
        outcome.written.push(created);
      } else if (mayFailOne) {
        const objectWriteTraceIds = [input.objectWriteTraceId ?? ''];
        outcome.failures.push({ ids: [], error: created, objectWriteTraceIds });
      } else {
        throw created;
      }
    }
    return outcome;
  });
}

/** Changes the records that exist and creates all other records. */
export function upsertRecords(
  account: Account,
  type: ObjectType,
  inputs: readonly UpdateInput[],
  writer: Writer,
): WriteOutcome {
  checkDuplicates(inputs);
  const isPresent = (input: UpdateInput) => findRecord(account, type, input) !== undefined;
  const present = inputs.filter(isPresent);
  const missing = inputs.filter((input) => !isPresent(input));
  const nameless = missing.filter(({ idProperty }) => idProperty === undefined);
  return account.store.transact(() => {
    const updated = updateRecords(account, type, [...present, ...nameless], writer);
    const created = createRecords(
      account,
      type,
      missing.flatMap(({ id, idProperty, ...input }) =>
        idProperty === undefined
          ? []
          : [{ ...input, properties: { [idProperty]: id, ...input.properties }, ties: [] }],
      ),
      writer,
    );
    return {
      written: [
        ...updated.written.map((one) => ({ ...one, isNew: false })),
        ...created.written.map((one) => ({ ...one, isNew: true })),
      ],
      failures: [...updated.failures, ...created.failures],
    };
  });
}

/** Finds a record. Archived records are not found. */
export function findRecord(
  { store, properties }: Account,
  type: ObjectType,
  { id, idProperty }: { id: string; idProperty?: string | undefined },
): StoredRecord | undefined {
  if (idProperty === undefined || idProperty === 'hs_object_id') {
    const record = store.read(type, id);
    return record?.archivedAtMs === null ? record : undefined;
  }
  if (properties.find(type, idProperty)?.hasUniqueValue !== true) {
    const message = `Unable to perform update/upsert by non-unique ${type.typeId} property ${idProperty}`;
    throw validationError(message);
  }
  return store.findBy(type, idProperty, id);
}

/** Returns the failure for IDs that belong to no record. */
export function notFound({ word }: ObjectType, ids: string[]): Failure {
  const message = `Could not get some ${word} objects, they may be deleted or not exist. Check that ids are valid.`;
  return { ids, error: new HubspotError(404, 'OBJECT_NOT_FOUND', message) };
}

function checkDuplicates(inputs: readonly UpdateInput[]): void {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const { id } of inputs) (seen.has(id) ? twice : seen).add(id);
  if (twice.size === 0) return;
  throw validationError(
    `Duplicate IDs found in batch input: [${[...twice].join(', ')}]. IDs must be unique`,
  );
}

function readAllValues(
  { properties, rules, validations }: Account,
  type: ObjectType,
  inputs: readonly { properties: InputValues }[],
): Values[] {
  const read = inputs.map((input) => readValues(properties, type, input.properties));
  const errors = read.flatMap(({ errors: own, values }) => [
    ...own,
    ...validations.check(type, values),
    ...rules.checkValues(type, values),
  ]);
  if (errors.length > 0) throw valuesError(errors);
  return read.map(({ values }) => values);
}

function updateOne(
  account: Account,
  type: ObjectType,
  record: StoredRecord,
  { input, values }: { input: UpdateInput; values: Values },
  writer: Writer,
  outcome: WriteOutcome,
): void {
  const after = (name: string) => values[name] ?? record.values[name] ?? '';
  checkRequired(account, type, after, writer);
  checkUnique(account, type, values, record.id);
  const refusal = account.rules.refusal(type, record.id, after, values);
  if (refusal !== undefined) {
    outcome.failures.push({ ids: [input.id], error: refusal });
    return;
  }
  const { objectWriteTraceId } = input;
  outcome.written.push({
    record: account.store.update(type, record, values, writer.author),
    names: Object.keys(values),
    objectWriteTraceId,
  });
}

/** Creates a record, or returns the reason why it is rejected. A rejected record changes nothing. */
function tryCreate(
  account: Account,
  type: ObjectType,
  input: CreateInput,
  values: Values,
  writer: Writer,
): Written | HubspotError {
  try {
    checkNew(type, values);
    const after = (name: string) => values[name] ?? '';
    checkRequired(account, type, after, writer);
    checkUnique(account, type, values, null);
    checkTies(account, type, input);
    const refusal = account.rules.refusal(type, null, after, values);
    if (refusal !== undefined) return refusal;
  } catch (error) {
    if (error instanceof HubspotError) return error;
    throw error;
  }
  const { id } = account.store.create(type, values, writer.author);
  for (const tie of input.ties) addTie(account, type, id, tie, writer.author);
  const record = account.store.read(type, id);
  if (record === undefined) throw new Error(`The new record ${id} is not there.`);
  const { objectWriteTraceId } = input;
  return { record, names: Object.keys(values), objectWriteTraceId };
}

/**
 * Throws if a required value is missing. A contact must have a name or an email address. A company must have a name or
 * a domain.
 */
function checkNew(type: ObjectType, values: Values): void {
  const names = type === CONTACTS ? ['firstname', 'email', 'lastname'] : ['name', 'domain'];
  if (names.some((name) => (values[name] ?? '') !== '')) return;
  throw validationError(
    `Some required properties for ${type.word} creates are missing: [One of [${names.join(', ')}]]`,
  );
}

function checkRequired({ rules }: Account, type: ObjectType, after: ValueOf, { isStrict }: Writer) {
  const errors = isStrict ? rules.findMissing(type, after) : [];
  if (errors.length === 0) return;
  const message = errors.map((error) => error.message).join('; ');
  throw validationError(message, { errors });
}

function checkUnique(
  { store, properties }: Account,
  type: ObjectType,
  values: Values,
  ownId: string | null,
): void {
  for (const [name, value] of Object.entries(values)) {
    if (value === '' || properties.find(type, name)?.hasUniqueValue !== true) continue;
    const twin = store.findBy(type, name, value);
    if (twin === undefined || twin.id === ownId) continue;
    const word = type === CONTACTS ? 'Contact' : 'Company';
    throw new HubspotError(409, 'CONFLICT', `${word} already exists. Existing ID: ${twin.id}`);
  }
}

function checkTies({ store }: Account, type: ObjectType, { ties }: CreateInput): void {
  const unknown = ties.filter(
    ({ toId }) => store.read(otherType(type), toId)?.archivedAtMs !== null,
  );
  if (unknown.length === 0) return;
  const ids = unknown.map(({ toId }) => toId).join(', ');
  throw validationError(`No ${otherType(type).word} with ID [${ids}] exists`);
}

function addTie(
  account: Account,
  type: ObjectType,
  id: string,
  { toId, isPrimary }: { toId: string; isPrimary: boolean },
  author: Author,
): void {
  const [contactId, companyId] = type === CONTACTS ? [id, toId] : [toId, id];
  account.associations.add(contactId, companyId, isPrimary);
  followPrimaryCompany(account, contactId, author);
}
