/**
 * One batch of changes, in as few requests as it takes: what HubSpot refuses by the name of a property
 * is left out of its contact, and the rest of the contact is written.
 */
import { z } from 'zod';
import { createMutex, type Mutex } from '../../../src/core/parallel.ts';
import type { ContactChange, RefusedWrite, WriteResult } from '../../contract.ts';
import {
  afterRefused,
  afterTaken,
  type CulpritSearch,
  createSuspicions,
  isOver as isFound,
  learnFrom,
  type RefusedBy,
  type Suspicions,
  searchFor,
} from '../../culprit-search.ts';
import type { HubspotApi } from '../api.ts';
import type { Properties } from '../describe.ts';
import {
  type ErrorBody,
  errorBodySchema,
  faultBehind,
  faultOf,
  fieldsOf,
  type HubspotFault,
  isConflict,
  isLock,
  mayBeOfValue,
  type PropertyProblem,
  readAs,
  sentenceFor,
  sortOf,
} from '../errors.ts';
import { wireValue } from '../values.ts';
import { findTwins } from './twins.ts';

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
  /** Properties of which a value was refused, or is looked for. */
  troubled: Set<string>;
  /** What refusals were about that named no property. */
  suspicions: Suspicions;
  /** Errors about single values, so far. */
  errors: number;
  batches: number;
  /** Requests that were made to separate contacts by their values. */
  separations: number;
  /** Parts of separated rows that were taken as they were. */
  splitsTaken: number;
  /** One batch is separated at a time, so that the next one knows what came of it. */
  turn: Mutex;
}

export function createLessons(): Lessons {
  return {
    deadProperties: new Map(),
    refusedValues: new Map(),
    takenValues: new Set(),
    troubled: new Set(),
    suspicions: createSuspicions(),
    errors: 0,
    batches: 0,
    separations: 0,
    splitsTaken: 0,
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
  /** True if a part of it is written. */
  isBegun?: boolean;
  /** Where HubSpot refused this row and named no property: which of them is to blame. */
  search?: { state: CulpritSearch; whole: Row; fault: HubspotFault };
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
  /** True once rows were separated by their values. */
  isSplit?: boolean;
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
  writer.lessons.suspicions.usual += 1;
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
async function sendNext(writer: Writer, progress: Progress): Promise<void> {
  const { lessons } = writer;
  const isPart = progress.isSplit === true && progress.groups.length > 0;
  const next = progress.groups.pop() ?? progress.together.splice(0, BATCH_ROWS);
  const known = next.map((row) => withoutKnown(lessons, row));
  const [over, rows] = parted(known, isEmptied);
  progress.results.push(...over.map(resultOf));
  if (rows.length === 0) return;
  if (rows.some(({ search }) => search !== undefined)) lessons.suspicions.extra += 1;
  const answer = await send(writer, rows);
  if (answer.refusedFor === null) {
    if (isPart) lessons.splitsTaken += 1;
    takeReply(lessons, progress, rows, answer.reply);
    return;
  }
  const begun = rows.map(withoutSearch);
  const fault = answer.refusedFor;
  if (blamedIn(fault, begun).length > 0) separate(lessons, progress, begun, fault);
  else await separateUnnamed(writer, progress, begun, fault);
}

type Answer =
  | { refusedFor: HubspotFault }
  | { refusedFor: null; reply: z.infer<typeof replySchema> };

async function send({ api }: Writer, rows: readonly Row[]): Promise<Answer> {
  const inputs = rows.map(({ id, properties }) => ({ id, properties, objectWriteTraceId: id }));
  try {
    const reply = readAs(replySchema, await api.post(api.paths.contactsBatchUpdate, { inputs }));
    return { refusedFor: null, reply };
  } catch (error) {
    const fault = faultBehind(error);
    if (fault === null || !ABOUT_ROWS.has(fault.status)) throw error;
    return { refusedFor: fault };
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
    if (row.search !== undefined) {
      const next = afterProbe(lessons, row.search, written.has(row.id));
      if (Object.keys(next.properties).length > 0) together.push(next);
      else results.push(resultOf(next));
    } else if (written.has(row.id)) {
      noteTaken(lessons, row);
      results.push(resultOf(row));
    } else if (blamed.length > 0) {
      together.push(without(row, blamed, fault));
    } else {
      const state = searchFor(lessons.suspicions, ruleOf(fault), Object.keys(row.properties));
      if (state !== null && mayBeOfValue(fault.code)) together.push(probeOf(row, state, fault));
      else results.push(refusedRow(row, fault));
    }
  }
}

/** A row with the properties that its search asks for next. */
function probeOf(whole: Row, state: CulpritSearch, fault: HubspotFault): Row {
  return { ...only(whole, state.probe), search: { state, whole, fault } };
}

/** What is left of a row after a probe of it; nothing to send if its search is over. */
function afterProbe(
  { suspicions }: Lessons,
  { state: before, whole, fault }: NonNullable<Row['search']>,
  isTaken: boolean,
): Row {
  const state = isTaken ? afterTaken(before) : afterRefused(before);
  if (!isFound(state)) return probeOf(whole, state, fault);
  learnFrom(suspicions, ruleOf(fault), state);
  const isBegun = state.written.length > 0 || whole.isBegun === true;
  return {
    ...only(whole, []),
    left: [...whole.left, withProblems(fault, state.culprits)],
    isBegun,
  };
}

/** A row whose search is given up, with all that is not written yet. */
function withoutSearch(row: Row): Row {
  const { search } = row;
  if (search === undefined) return row;
  const { written } = search.state;
  const { whole } = search;
  const rest = Object.keys(whole.properties).filter((name) => !written.includes(name));
  return { ...only(whole, rest), isBegun: whole.isBegun === true || written.length > 0 };
}

function only(row: Row, names: readonly string[]): Row {
  const { search: _, ...rest } = row;
  const properties = Object.entries(row.properties).filter(([name]) => names.includes(name));
  return { ...rest, properties: Object.fromEntries(properties) };
}

/** The fault as one about these properties. */
function withProblems(fault: HubspotFault, names: readonly string[]): HubspotFault {
  const { code } = fault;
  return { ...fault, problems: names.map((property) => ({ property, code, says: null })) };
}

function ruleOf({ code, words }: HubspotFault): RefusedBy {
  return { code, message: words?.reveal() ?? '' };
}

/**
 * A whole request was refused and no property named. Where a value is taken by another contact, HubSpot
 * says of which; otherwise parts of the changes are written until it is known which property is to
 * blame. Then, as where it is named, it is asked whose value it is.
 */
async function separateUnnamed(
  writer: Writer,
  progress: Progress,
  rows: readonly Row[],
  fault: HubspotFault,
): Promise<void> {
  const { lessons } = writer;
  if (isConflict(fault.code)) {
    const twins = await findTwins(writer, rows);
    if (twins.size > 0) {
      progress.together.push(...rows.map((row) => without(row, twins.get(row.id) ?? [], fault)));
      return;
    }
  }
  const names = [...new Set(rows.flatMap(({ properties }) => Object.keys(properties)))];
  const [only] = names;
  if (only !== undefined && names.length === 1 && mayBeOfValue(fault.code)) {
    separate(lessons, progress, rows, withProblems(fault, names));
    return;
  }
  const search = mayBeOfValue(fault.code)
    ? searchFor(lessons.suspicions, ruleOf(fault), names)
    : null;
  if (search === null) {
    separateRows(progress, rows, fault);
    return;
  }
  const { state, left } = await findProperty(writer, rows, search);
  if (isFound(state)) learnFrom(lessons.suspicions, ruleOf(fault), state);
  if (state.written.length === 0) separateRows(progress, rows, fault);
  else if (isFound(state)) separate(lessons, progress, left, withProblems(fault, state.culprits));
  else progress.groups.push(left);
}

/** Writes parts of all rows until a property is found that is to blame, or HubSpot names one. */
async function findProperty(
  writer: Writer,
  rows: readonly Row[],
  search: CulpritSearch,
): Promise<{ state: CulpritSearch; left: Row[] }> {
  let state = search;
  let left = [...rows];
  while (!isFound(state)) {
    writer.lessons.suspicions.extra += 1;
    const { probe } = state;
    const parts = left
      .map((row) => only(row, probe))
      .filter(({ properties }) => Object.keys(properties).length > 0);
    const answer = await send(writer, parts);
    if (answer.refusedFor !== null) {
      if (blamedIn(answer.refusedFor, parts).length > 0) break;
      state = afterRefused(state);
      continue;
    }
    const written = new Set(answer.reply.results.map(({ id }) => id));
    left = left.map((row) => {
      if (!written.has(row.id)) return row;
      const rest = Object.keys(row.properties).filter((name) => !probe.includes(name));
      return { ...only(row, rest), isBegun: true };
    });
    state = afterTaken(state);
  }
  return { state, left };
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
  lessons.errors += fault.problems.length;
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
    progress.isSplit = true;
    lessons.troubled.add(easiest.name);
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
    progress.results.push(refusedRow(only, fault));
  } else if (progress.splitsLeft <= 0) {
    progress.results.push(...rows.map((row) => refusedRow(row, ownFault('NOT_SEPARATED'))));
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
  /** How many errors of the answer are about the property; null if it did not name it. */
  errors: number | null;
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
  const isNamed = problems.some(({ says }) => says !== null);
  return { name, culprits, classes, errors: isNamed ? problems.length : null };
}

function sortsOf(problems: readonly PropertyProblem[]) {
  return {
    isDead: problems.some(({ code }) => sortOf(code) === 'property'),
    isAboutValue: problems.every(({ code }) => ABOUT_VALUE.test(code)),
  };
}

/** Codes that are about a value, of any contact. */
const ABOUT_VALUE = /^(INVALID_|PROPERTY_VALUE_TOO_LONG|VALIDATION_ERROR$)/;

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

/** Errors of one answer, and of all so far, up to which a single value, or a few, seem to be wrong. */
const FEW_ERRORS = 3;
const FEW_IN_ALL = 6;
const FEW_ALLOWANCE = 64;

/** Different values up to which it pays to find the wrong ones once: the next batches know them. */
const FEW_VALUES = 32;
const VALUES_ALLOWANCE = 16;

/** Leaving out takes a request besides the usual one: with these, all takes three times as many. */
const SEPARATIONS_PER_BATCH = 0.5;

/** Where nothing says how many are refused, it pays as long as parts of the rows are taken. */
const UNNAMED_ALLOWANCE = 4;

/** Where many different values are refused, finding them would cost a request for each. */
function maySeparate(
  { batches, separations, splitsTaken, errors: inAll }: Lessons,
  { errors, classes }: Suspects,
): boolean {
  if (errors === null) {
    const isRepeated = 2 * classes.length <= classes.flat().length;
    const most = (isRepeated ? VALUES_ALLOWANCE : UNNAMED_ALLOWANCE) + 2 * splitsTaken;
    return separations + 2 <= most;
  }
  const allowance = batches * SEPARATIONS_PER_BATCH - separations - 2;
  if (errors <= FEW_ERRORS && inAll <= FEW_IN_ALL) return allowance + FEW_ALLOWANCE >= 0;
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

function without(row: Row, names: readonly string[], fault: HubspotFault): Row {
  const { properties, left } = row;
  const rest = Object.entries(properties).filter(([name]) => !names.includes(name));
  const faults = names.filter((name) => name in properties).map((name) => aboutOne(fault, name));
  return { ...row, properties: Object.fromEntries(rest), left: [...left, ...faults] };
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
function isEmptied({ properties, left, isBegun = false }: Row): boolean {
  return (left.length > 0 || isBegun) && Object.keys(properties).length === 0;
}

/** The row is refused but for what is written of it. */
function refusedRow(row: Row, fault: HubspotFault): WriteResult {
  if (row.isBegun !== true && row.left.length === 0) return refusal(row.id, fault);
  const names = Object.keys(row.properties);
  return resultOf({ ...only(row, []), left: [...row.left, withProblems(fault, names)] });
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
  if (row.isBegun === true || !isEmptied(row)) {
    return { status: 'written_in_part', id, refusals };
  }
  return {
    status: 'refused',
    id,
    ...first,
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
    ...(isLock(fault.code) ? { isLock: true } : {}),
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
