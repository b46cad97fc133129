/**
 * One batch of changes, in as few requests as it takes: what HubSpot refuses by the name of a property
 * is left out of its contact, and the rest of the contact is written.
 */
import { z } from 'zod';
import { createMutex, type Mutex } from '../../src/core/parallel.ts';
import type { ContactChange, RefusedWrite, WriteResult } from '../contract.ts';
import type { HubspotApi } from './api.ts';
import type { Properties } from './describe.ts';
import {
  type ErrorBody,
  errorBodySchema,
  faultBehind,
  faultOf,
  fieldsOf,
  type HubspotFault,
  type PropertyProblem,
  readAs,
  sentenceFor,
  sortOf,
} from './errors.ts';
import { wireValue } from './values.ts';

/** Contacts of one request: the most that HubSpot takes. */
export const BATCH_ROWS = 100;

/** What the batches of a connector learn from each other while it is open. */
export interface Lessons {
  /** Properties that take no value of any contact, and why. */
  deadProperties: Map<string, HubspotFault>;
  /** Why a value was refused, by property and value: no other contact needs to try it. */
  refusedValues: Map<string, HubspotFault>;
  /** Values that were taken, of properties of which others were refused. */
  takenValues: Set<string>;
  /** Properties of which a value was refused. */
  troubled: Set<string>;
  batches: number;
  /** Requests that were made to separate contacts by their values. */
  separations: number;
  /** One batch is separated at a time, so that the next one knows what came of it. */
  turn: Mutex;
}

export function createLessons(): Lessons {
  return {
    deadProperties: new Map(),
    refusedValues: new Map(),
    takenValues: new Set(),
    troubled: new Set(),
    batches: 0,
    separations: 0,
    turn: createMutex(),
  };
}

/** What a batch is written with. */
interface Writer {
  api: Pick<HubspotApi, 'paths' | 'post'>;
  properties: Properties;
  lessons: Lessons;
}

/** One contact on its way, its values as HubSpot takes them. */
interface Row {
  id: string;
  properties: Readonly<Record<string, string>>;
  /** Why properties were left out. */
  left: readonly HubspotFault[];
}

/** Requests in which the contacts of one batch are separated where no property is to blame. */
const MAX_SPLITS = 64;

/** Values that are remembered. */
const MAX_LESSONS = 1_000;

/** What is still to be sent of a batch, and what became of the rest. */
interface Progress {
  /** Each is one request. */
  groups: Row[][];
  /** Rows that wait for the groups to be over, to go together. */
  together: Row[];
  results: WriteResult[];
  splitsLeft: number;
}

/**
 * Writes at most 100 changes of different contacts, in one request as a rule. A contact that HubSpot
 * does not find leaves the others alone; a value that it does not take refuses the whole request and
 * is left out of the next one. Where HubSpot does not say whose value it is, values are separated
 * within an allowance; beyond it the property is left out of all who may be meant.
 */
export async function updateBatch(
  writer: Writer,
  changes: readonly ContactChange[],
): Promise<WriteResult[]> {
  writer.lessons.batches += 1;
  const groups = [changes.map((change) => rowOf(writer, change))];
  const progress: Progress = { groups, together: [], results: [], splitsLeft: MAX_SPLITS };
  await sendNext(writer, progress);
  if (isOver(progress)) return progress.results;
  return writer.lessons.turn.take(async () => {
    while (!isOver(progress)) await sendNext(writer, progress);
    return progress.results;
  });
}

function isOver({ groups, together }: Progress): boolean {
  return groups.length === 0 && together.length === 0;
}

function rowOf({ properties }: Writer, { id, values }: ContactChange): Row {
  const wire = Object.entries(values).map(([name, value]) => [
    name,
    wireValue(value, properties.get(name)),
  ]);
  return { id, properties: Object.fromEntries(wire), left: [] };
}

/** Each time a value is left out, or the rows are parted, or a result is known: it comes to an end. */
async function sendNext({ api, lessons }: Writer, progress: Progress): Promise<void> {
  const next = progress.groups.pop() ?? progress.together.splice(0, BATCH_ROWS);
  const known = next.map((row) => withoutKnown(lessons, row));
  const [over, rows] = parted(known, isEmptied);
  progress.results.push(...over.map(resultOf));
  if (rows.length === 0) return;
  const inputs = rows.map(({ id, properties }) => ({ id, properties, objectWriteTraceId: id }));
  try {
    const reply = readAs(replySchema, await api.post(api.paths.contactsBatchUpdate, { inputs }));
    takeReply(lessons, progress, rows, reply);
  } catch (error) {
    const fault = faultBehind(error);
    if (fault === null || !ABOUT_ROWS.has(fault.status)) throw error;
    separate(lessons, progress, rows, fault);
  }
}

/** Statuses that refuse a batch for what one of its rows holds. */
const ABOUT_ROWS: ReadonlySet<number> = new Set([400, 409]);

const replySchema = z.object({
  results: z.array(z.object({ id: z.string() })),
  errors: z.array(errorBodySchema).default([]),
});

/** The results come in any order, and by the id that a contact has now. */
function takeReply(
  lessons: Lessons,
  { together, results }: Progress,
  rows: readonly Row[],
  reply: z.infer<typeof replySchema>,
): void {
  const written = new Set(reply.results.map(({ id }) => id));
  const faults = faultsById(reply.errors);
  const asked = new Set(rows.map(({ id }) => id));
  const isMerged = reply.results.some(({ id }) => !asked.has(id));
  for (const row of rows) {
    const fault = faults.get(row.id) ?? ownFault(isMerged ? 'OBJECT_MERGED' : 'NOT_CONFIRMED');
    const blamed = blamedIn(fault, [row]);
    if (written.has(row.id)) {
      noteTaken(lessons, row);
      results.push(resultOf(row));
    } else if (blamed.length > 0) {
      together.push(without(row, blamed, fault));
    } else {
      results.push(refusal(row.id, fault));
    }
  }
}

function faultsById(errors: readonly ErrorBody[]): Map<string, HubspotFault> {
  const faults = new Map<string, HubspotFault>();
  for (const error of errors) {
    const { ids = [], id = [], objectWriteTraceId = [] } = error.context ?? {};
    for (const each of [...ids, ...id, ...objectWriteTraceId]) {
      faults.set(each, faultOf(BATCH_STATUS, error));
    }
  }
  return faults;
}

/** "Multi-Status": some were written, some were not. */
const BATCH_STATUS = 207;

/** Properties of these rows that a fault is about for good. */
function blamedIn(fault: HubspotFault, rows: readonly Row[]): string[] {
  if (sortOf(fault.code) === 'passing') return [];
  return fieldsOf(fault).filter((name) => rows.some(({ properties }) => name in properties));
}

/** Decides what is sent instead of a request that was refused for some of its rows. */
function separate(
  lessons: Lessons,
  progress: Progress,
  rows: readonly Row[],
  fault: HubspotFault,
): void {
  const blamed = blamedIn(fault, rows);
  if (blamed.length === 0) {
    separateRows(progress, rows, fault);
    return;
  }
  const suspects = blamed.map((name) => suspectsOf(lessons, rows, fault, name));
  const certain = suspects.filter(({ culprits }) => culprits !== null);
  if (certain.length > 0) {
    for (const { name, culprits } of certain) learn(lessons, name, culprits ?? [], fault);
    const next = rows.map((row) => {
      const names = certain.flatMap(({ name, culprits }) => (culprits?.includes(row) ? name : []));
      return names.length === 0 ? row : without(row, names, fault);
    });
    if (certain.length === suspects.length) progress.together.push(...next);
    else progress.groups.push(next);
    return;
  }
  const [easiest] = suspects.toSorted((one, other) => one.classes.length - other.classes.length);
  if (easiest !== undefined && maySeparate(lessons, easiest)) {
    lessons.separations += 2;
    const { classes } = easiest;
    const half = new Set(classes.slice(Math.ceil(classes.length / 2)).flat());
    const [second, first] = parted(rows, (row) => half.has(row));
    progress.groups.push(second, first);
    return;
  }
  const doubtful = ownFault('VALUE_NOT_SEPARATED');
  const names = suspects.map(({ name }) => name);
  const doubted = new Set(suspects.flatMap(({ classes }) => classes.flat()));
  progress.together.push(
    ...rows.map((row) => (doubted.has(row) ? without(row, names, doubtful) : row)),
  );
}

/** No property of the rows is to blame: the contacts themselves are separated. */
function separateRows(progress: Progress, rows: readonly Row[], fault: HubspotFault): void {
  const [only] = rows;
  if (only !== undefined && rows.length === 1) {
    progress.results.push(refusal(only.id, fault));
  } else if (progress.splitsLeft <= 0) {
    progress.results.push(...rows.map(({ id }) => refusal(id, ownFault('NOT_SEPARATED'))));
  } else {
    progress.splitsLeft -= 2;
    const middle = Math.ceil(rows.length / 2);
    progress.groups.push(rows.slice(middle), rows.slice(0, middle));
  }
}

/** Which rows may have brought about that a property is refused. */
interface Suspects {
  name: string;
  /** The rows that did; null if that is not known. */
  culprits: readonly Row[] | null;
  /** Rows that are good or bad together, because they have the same value. */
  classes: readonly (readonly Row[])[];
  /** How many errors of the answer are about the property. */
  errors: number;
}

function suspectsOf(
  lessons: Lessons,
  rows: readonly Row[],
  fault: HubspotFault,
  name: string,
): Suspects {
  const problems = fault.problems.filter(({ property }) => property === name);
  const carriers = rows.filter(({ properties }) => name in properties);
  const { isDead, isAboutValue } = sortsOf(problems);
  const untried = carriers.filter(
    ({ properties }) => !isAboutValue || !lessons.takenValues.has(keyOf(name, properties[name])),
  );
  const some = untried.length > 0 ? untried : carriers;
  const byValue = Map.groupBy(some, (row) => (isAboutValue ? row.properties[name] : row.id));
  const classes = [...byValue.values()];
  const culprits = isDead
    ? carriers
    : classes.length === 1
      ? some
      : isAboutValue
        ? quotedRows(problems, some, name)
        : null;
  return { name, culprits, classes, errors: problems.length };
}

function sortsOf(problems: readonly PropertyProblem[]) {
  return {
    isDead: problems.some(({ code }) => sortOf(code) === 'property'),
    isAboutValue: problems.every(({ code }) => ABOUT_VALUE.test(code)),
  };
}

/** Codes that are about a value, of any contact. */
const ABOUT_VALUE = /^(INVALID_|PROPERTY_VALUE_TOO_LONG)/;

/**
 * The rows whose value stands in what HubSpot says, as most of its errors begin with it; null unless
 * each error names one value, and the errors are as many as the rows or values that would be meant.
 */
function quotedRows(
  problems: readonly PropertyProblem[],
  rows: readonly Row[],
  name: string,
): Row[] | null {
  const values = new Set(rows.map(({ properties }) => properties[name] ?? ''));
  const quoted = new Set<string>();
  for (const { says } of problems) {
    // What follows are the options that there are.
    const [said = ''] = says?.reveal().split(': [') ?? [];
    const named = [...values].filter((value) => stands(value, said));
    const [only] = named;
    if (only === undefined || named.length > 1) return null;
    quoted.add(only);
  }
  const culprits = rows.filter(({ properties }) => quoted.has(properties[name] ?? ''));
  return [culprits.length, quoted.size].includes(problems.length) ? culprits : null;
}

/** Whether a value stands in a text as a word of its own. */
function stands(value: string, text: string): boolean {
  if (value === '') return false;
  const parts = text.split(value);
  return parts.some(
    (part, at) =>
      at + 1 < parts.length &&
      !/[\p{L}\p{N}]$/u.test(part) &&
      !/^[\p{L}\p{N}]/u.test(parts[at + 1] ?? ''),
  );
}

/** Errors of one answer up to which a single value, or a few, seem to be wrong. */
const FEW_ERRORS = 3;
const FEW_ALLOWANCE = 64;

/** Different values up to which it pays to find the wrong ones once: the next batches know them. */
const FEW_VALUES = 32;
const VALUES_ALLOWANCE = 16;

/** A run reads each contact three times before it is written: with these it costs three times as much. */
const SEPARATIONS_PER_BATCH = 4;

/** Where many different values are refused, finding them would cost a request for each. */
function maySeparate({ batches, separations }: Lessons, { errors, classes }: Suspects): boolean {
  const allowance = batches * SEPARATIONS_PER_BATCH - separations - 2;
  if (errors <= FEW_ERRORS) return allowance + FEW_ALLOWANCE >= 0;
  return classes.length <= FEW_VALUES && allowance + VALUES_ALLOWANCE >= 0;
}

function learn(
  { deadProperties, refusedValues, troubled }: Lessons,
  name: string,
  culprits: readonly Row[],
  fault: HubspotFault,
): void {
  const problems = fault.problems.filter(({ property }) => property === name);
  const { isDead, isAboutValue } = sortsOf(problems);
  const lesson = aboutOne(fault, name);
  if (isDead) deadProperties.set(name, lesson);
  if (isDead || !isAboutValue) return;
  troubled.add(name);
  for (const { properties } of culprits) {
    if (refusedValues.size < MAX_LESSONS) refusedValues.set(keyOf(name, properties[name]), lesson);
  }
}

function noteTaken({ troubled, takenValues }: Lessons, { properties }: Row): void {
  for (const name of troubled) {
    const value = properties[name];
    if (value !== undefined && takenValues.size < MAX_LESSONS) takenValues.add(keyOf(name, value));
  }
}

function withoutKnown({ deadProperties, refusedValues }: Lessons, row: Row): Row {
  let rest = row;
  for (const [name, value] of Object.entries(row.properties)) {
    const fault = deadProperties.get(name) ?? refusedValues.get(keyOf(name, value));
    if (fault !== undefined) rest = without(rest, [name], fault);
  }
  return rest;
}

function keyOf(property: string, value: string | undefined): string {
  return `${property}=${value ?? ''}`;
}

function without(
  { id, properties, left }: Row,
  names: readonly string[],
  fault: HubspotFault,
): Row {
  const rest = Object.entries(properties).filter(([name]) => !names.includes(name));
  const faults = names.filter((name) => name in properties).map((name) => aboutOne(fault, name));
  return { id, properties: Object.fromEntries(rest), left: [...left, ...faults] };
}

/** What was said is about all rows of the request, and each record keeps its own alone. */
function aboutOne(fault: HubspotFault, property: string): HubspotFault {
  const own = fault.problems.find((problem) => problem.property === property);
  const code = own?.code ?? fault.code;
  return { ...fault, code, problems: [{ property, code, says: null }], words: null };
}

function parted(rows: readonly Row[], test: (row: Row) => boolean): [Row[], Row[]] {
  return [rows.filter(test), rows.filter((row) => !test(row))];
}

/** Nothing of it is left that HubSpot might take. */
function isEmptied({ properties, left }: Row): boolean {
  return left.length > 0 && Object.keys(properties).length === 0;
}

/** What became of a row: written but for what was left out of it. */
function resultOf(row: Row): WriteResult {
  const { id, left } = row;
  const byCode = Map.groupBy(left, ({ code }) => code);
  const refusals = [...byCode.values()].flatMap((faults) => {
    const [first] = faults;
    if (first === undefined) return [];
    const {
      id: _,
      status: __,
      ...about
    } = refusal(id, {
      ...first,
      problems: faults.flatMap(({ problems }) => problems),
    });
    return [about];
  });
  const [first] = refusals;
  if (first === undefined) return { status: 'written', id };
  if (!isEmptied(row)) return { status: 'written_in_part', id, refusals };
  return {
    ...{ status: 'refused', id, ...first },
    message: refusals.map(({ message }) => message).join(' '),
    fields: refusals.flatMap(({ fields }) => fields),
  };
}

function ownFault(code: string): HubspotFault {
  return { status: BATCH_STATUS, code, words: null, problems: [], scopes: [] };
}

/** A refused contact in words. */
function refusal(id: string, fault: HubspotFault): RefusedWrite {
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
