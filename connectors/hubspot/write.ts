import { z } from 'zod';
import type { ContactChange, WriteResult } from '../contract.ts';
import { throwIfStopped } from '../stopped.ts';
import {
  type ErrorBody,
  errorBodySchema,
  faultBehind,
  faultOf,
  fieldsOf,
  type HubspotFault,
  readAs,
  sentenceFor,
  sortOf,
} from './errors.ts';
import { isRecordId } from './record.ts';
import type { HubspotSession } from './session.ts';
import { requireScope, WRITE_CONTACTS } from './sign-in/scopes.ts';
import { wireValue } from './values.ts';

/** The most changes that one write should be given. */
export const MAX_CHANGES = 100_000;

/** Requests under way at a time: enough for HubSpot's pace even where each takes most of a second. */
const LANES = 16;

/** A batch of changes of different contacts. */
interface Batch {
  changes: ContactChange[];
  /** True if an earlier batch may hold a change of the same contact. */
  mustWait: boolean;
}

/** A request that has ended, well or not. */
interface Ended {
  request: Promise<Ended>;
  results: WriteResult[];
  error: unknown;
}

/**
 * Writes the changes by hundreds, several requests at a time. The changes of one contact are
 * written in their order. If a request fails as a whole, what is under way is waited for and reported.
 */
export async function* writeChanges(
  session: HubspotSession,
  changes: Iterable<ContactChange> | AsyncIterable<ContactChange>,
): AsyncGenerator<WriteResult> {
  const lessons: Lessons = { refusedValues: new Map() };
  const underWay = new Set<Promise<Ended>>();
  let failure: unknown = null;
  try {
    for await (const { changes: batch, mustWait } of batchesOf(changes)) {
      const atMost = mustWait ? 0 : LANES - 1;
      while (underWay.size > atMost) yield* await results();
      if (failure !== null) break;
      throwIfStopped(session.signal);
      requireScope(session.signIn, WRITE_CONTACTS);
      start(batch);
    }
    while (underWay.size > 0) yield* await results();
  } finally {
    // Nothing may be written once the caller believes that the write is over.
    await Promise.all(underWay);
  }
  if (failure !== null) throw failure;

  function start(batch: ContactChange[]): void {
    const request: Promise<Ended> = writeBatch(session, batch, lessons).then(
      (written) => ({ request, results: written, error: null }),
      (error: unknown) => ({ request, results: [], error }),
    );
    underWay.add(request);
  }

  async function results(): Promise<WriteResult[]> {
    const ended = await Promise.race(underWay);
    underWay.delete(ended.request);
    failure ??= ended.error;
    return ended.results;
  }
}

async function writeBatch(
  session: HubspotSession,
  batch: readonly ContactChange[],
  lessons: Lessons,
): Promise<WriteResult[]> {
  const strangers = batch.filter(({ id }) => !isRecordId(id));
  const contacts = batch.filter(({ id }) => isRecordId(id));
  const refused = strangers.map(({ id }) => noContactId(id));
  if (contacts.length === 0) return refused;
  return [...refused, ...(await updateBatch(session, contacts, lessons))];
}

/** HubSpot refuses a request that names a contact twice, and keeps no order among requests. */
async function* batchesOf(
  changes: Iterable<ContactChange> | AsyncIterable<ContactChange>,
): AsyncGenerator<Batch> {
  let batch: Batch = { changes: [], mustWait: false };
  const sent = new Set<string>();
  for await (const change of changes) {
    const isRepeated = sent.has(change.id) || sent.size === MAX_CHANGES;
    if (isRepeated || batch.changes.length === BATCH_ROWS) {
      if (batch.changes.length > 0) yield batch;
      batch = { changes: [], mustWait: isRepeated };
      if (isRepeated) sent.clear();
    }
    batch.changes.push(change);
    sent.add(change.id);
  }
  if (batch.changes.length > 0) yield batch;
}

/** Contacts of one request: the most that HubSpot takes. */
export const BATCH_ROWS = 100;

/** What the batches of one write learn from each other. */
export interface Lessons {
  /** Why a value was refused, by property and value: no other contact needs to try it. */
  refusedValues: Map<string, HubspotFault>;
}

type Writer = Pick<HubspotSession, 'api' | 'properties'>;

/** One contact on its way, its values as HubSpot takes them. */
interface Row {
  id: string;
  properties: Record<string, string>;
}

/** Requests in which the contacts of one refused batch are separated. */
const MAX_SPLITS = 64;

/** Values that are remembered as refused. */
const MAX_LESSONS = 1_000;

/**
 * Writes at most 100 changes of different contacts in one request. One contact that HubSpot does
 * not find leaves the others alone; one value that it does not take refuses the whole request, so
 * that the contact has to be found first.
 */
export async function updateBatch(
  writer: Writer,
  changes: readonly ContactChange[],
  lessons: Lessons,
): Promise<WriteResult[]> {
  const rows = changes.map((change) => rowOf(writer, change));
  return updateRows({ writer, lessons, splitsLeft: MAX_SPLITS }, rows);
}

function rowOf({ properties }: Writer, { id, values }: ContactChange): Row {
  const wire = Object.entries(values).map(([name, value]) => [
    name,
    wireValue(value, properties.get(name)),
  ]);
  return { id, properties: Object.fromEntries(wire) };
}

interface Attempt {
  writer: Writer;
  lessons: Lessons;
  splitsLeft: number;
}

async function updateRows(attempt: Attempt, rows: readonly Row[]): Promise<WriteResult[]> {
  const { refused, others } = applyLessons(attempt.lessons, rows);
  if (others.length === 0) return refused;
  const { api } = attempt.writer;
  try {
    const reply = await api.post(api.paths.contactsBatchUpdate, { inputs: others });
    return [...refused, ...resultsOf(others, readAs(replySchema, reply))];
  } catch (error) {
    const fault = faultBehind(error);
    if (fault === null || !ABOUT_ROWS.has(fault.status)) throw error;
    return [...refused, ...(await separate(attempt, others, fault))];
  }
}

/** Statuses that refuse a batch for what one of its rows holds. */
const ABOUT_ROWS: ReadonlySet<number> = new Set([400, 409]);

/** Refuses what is certainly to blame and writes the rest, in portions that become smaller. */
async function separate(
  attempt: Attempt,
  rows: readonly Row[],
  fault: HubspotFault,
): Promise<WriteResult[]> {
  const dead = fault.problems.filter(({ code }) => sortOf(code) === 'property');
  const [doomed, saved] = parted(rows, (row) =>
    dead.some(({ property }) => property in row.properties),
  );
  const [cause] = dead;
  if (cause !== undefined && doomed.length > 0) {
    // What was said is about all rows of the request, and each record keeps its own alone.
    const deadFault = { ...fault, code: cause.code, problems: dead, words: null };
    const refused = doomed.map(({ id }) => refusal(id, deadFault));
    return [...refused, ...(await updateRows(attempt, saved))];
  }
  const [only] = rows;
  if (only !== undefined && rows.length === 1) {
    learn(attempt.lessons, only, fault);
    return [refusal(only.id, fault)];
  }
  if (attempt.splitsLeft <= 0) {
    return rows.map(({ id }) => refusal(id, ownFault('NOT_SEPARATED')));
  }
  attempt.splitsLeft -= 2;
  const [first, second] = portionsOf(rows, fieldsOf(fault));
  return [...(await updateRows(attempt, first)), ...(await updateRows(attempt, second))];
}

/** Rows without any of the blamed properties are likely good; where that says nothing, halves. */
function portionsOf(rows: readonly Row[], blamed: readonly string[]): [Row[], Row[]] {
  const [suspects, others] = parted(rows, (row) => blamed.some((name) => name in row.properties));
  if (suspects.length > 0 && others.length > 0) return [others, suspects];
  const middle = Math.ceil(rows.length / 2);
  return [rows.slice(0, middle), rows.slice(middle)];
}

function parted(rows: readonly Row[], test: (row: Row) => boolean): [Row[], Row[]] {
  return [rows.filter(test), rows.filter((row) => !test(row))];
}

/** Codes that are about a value, of any contact. */
const ABOUT_VALUE = /^(INVALID_|PROPERTY_VALUE_TOO_LONG)/;

function learn({ refusedValues }: Lessons, { properties }: Row, fault: HubspotFault): void {
  for (const { property, code } of fault.problems) {
    const value = properties[property];
    if (value === undefined || !ABOUT_VALUE.test(code)) continue;
    const lesson = { ...fault, words: null };
    if (refusedValues.size < MAX_LESSONS) refusedValues.set(lessonKey(property, value), lesson);
  }
}

function applyLessons({ refusedValues }: Lessons, rows: readonly Row[]) {
  const refused: WriteResult[] = [];
  const others: Row[] = [];
  for (const row of rows) {
    const fault =
      refusedValues.size === 0 ? undefined : faultForValues(refusedValues, row.properties);
    if (fault === undefined) others.push(row);
    else refused.push(refusal(row.id, fault));
  }
  return { refused, others };
}

function faultForValues(
  refusedValues: ReadonlyMap<string, HubspotFault>,
  properties: Readonly<Record<string, string>>,
): HubspotFault | undefined {
  for (const [property, value] of Object.entries(properties)) {
    const fault = refusedValues.get(lessonKey(property, value));
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function lessonKey(property: string, value: string): string {
  return `${property}=${value}`;
}

const replySchema = z.object({
  results: z.array(z.object({ id: z.string() })),
  errors: z.array(errorBodySchema).default([]),
});

/** The results come in any order, and by the id that a contact has now. */
function resultsOf(rows: readonly Row[], reply: z.infer<typeof replySchema>): WriteResult[] {
  const written = new Set(reply.results.map(({ id }) => id));
  const faults = faultsById(reply.errors);
  const asked = new Set(rows.map(({ id }) => id));
  const isMerged = reply.results.some(({ id }) => !asked.has(id));
  return rows.map(({ id }) => {
    if (written.has(id)) return { status: 'written', id };
    return refusal(id, faults.get(id) ?? ownFault(isMerged ? 'OBJECT_MERGED' : 'NOT_CONFIRMED'));
  });
}

function faultsById(errors: readonly ErrorBody[]): Map<string, HubspotFault> {
  const faults = new Map<string, HubspotFault>();
  for (const error of errors) {
    const { ids = [], id = [] } = error.context ?? {};
    for (const each of [...ids, ...id]) faults.set(each, faultOf(BATCH_STATUS, error));
  }
  return faults;
}

/** "Multi-Status": some were written, some were not. */
const BATCH_STATUS = 207;

function ownFault(code: string): HubspotFault {
  return { status: BATCH_STATUS, code, words: null, problems: [], scopes: [] };
}

/** A refused contact in words. */
export function refusal(id: string, fault: HubspotFault): WriteResult {
  const { words } = fault;
  return {
    status: 'refused',
    id,
    retriable: sortOf(fault.code) === 'passing',
    code: fault.code,
    message: sentenceFor(fault),
    fields: fieldsOf(fault),
    ...(words === null ? {} : { words }),
  };
}

/** The refusal of an id that no contact has. */
export function noContactId(id: string): WriteResult {
  return refusal(id, ownFault('OBJECT_NOT_FOUND'));
}
