/**
 * Writes a batch of changes in as few requests as possible. If HubSpot rejects a property and names it, only this
 * property is left out, and the contact's other properties are written.
 */
import type { z } from 'zod';
import type { ContactChange, WriteResult } from '../../contract.ts';
import { isOver as isFound, learnFrom, searchFor } from '../../writing/culprit-search.ts';
import { BREAKS_RULE, type HubspotFault, isConflict, mayBeOfValue } from '../errors.ts';
import { findBroken } from '../validations/rule-book.ts';
import { guessCulprits, withoutBetweenRefused } from './guess.ts';
import { type Lessons, learn, recordTaken, withoutKnown } from './lessons.ts';
import { afterProbe, findProperty, toProbe, toRule, withoutSearch } from './property-search.ts';
import {
  isEmptied,
  ownFault,
  parted,
  type Row,
  refusedRow,
  toResult,
  toRow,
  without,
  withProblems,
} from './row.ts';
import { BATCH_ROWS, blamedIn, faultsById, type replySchema, send, type Writer } from './send.ts';
import { findSuspects, maySeparate } from './suspects.ts';
import { findTwins } from './twins.ts';

const MAX_SPLITS = 64;

/** The rows that donor-sync must still send, and the results of all other rows. */
interface Progress {
  /** Groups of rows. Each group is sent in one request. */
  groups: Row[][];
  /** Rows that wait until all groups have been sent. donor-sync then sends these rows together. */
  together: Row[];
  results: WriteResult[];
  splitsLeft: number;
  /** True if donor-sync has already separated rows by their values. */
  isSplit?: boolean;
  /**
   * A guess about rejected values, which the next request tests. The guess names the rejected values and their rows.
   */
  trial?: Trial | undefined;
}

interface Trial {
  /** The rows before the guess, and the error with which HubSpot rejected them. */
  rows: readonly Row[];
  fault: HubspotFault;
  guesses: readonly { name: string; culprits: readonly Row[] }[];
}

/**
 * Writes at most 100 changes to different contacts, usually in one request. If HubSpot does not find a contact, the
 * other contacts are still written. If HubSpot does not accept a value, it rejects the whole request. donor-sync then
 * sends the request again without the value. If HubSpot's error does not name the contact, donor-sync separates the
 * contacts by their values. The number of requests for the separation is limited. After this number of requests,
 * donor-sync leaves the property out of all contacts in the batch.
 */
export async function updateBatch(
  writer: Writer,
  changes: readonly ContactChange[],
): Promise<WriteResult[]> {
  writer.lessons.batches += 1;
  writer.lessons.suspicions.usual += 1;
  const groups = [await toRows(writer, changes)];
  const progress: Progress = { groups, together: [], results: [], splitsLeft: MAX_SPLITS };
  await sendNext(writer, progress);
  if (isOver(progress)) return progress.results;
  return writer.lessons.turn.take(async () => {
    while (!isOver(progress)) await sendNext(writer, progress);
    return progress.results;
  });
}

/** Converts the changes to HubSpot's form, without values that break one of the account's validation rules. */
async function toRows(
  { properties, rules, lessons }: Writer,
  changes: readonly ContactChange[],
): Promise<Row[]> {
  const known = await rules.read();
  return changes.map((change) => {
    const row = toRow(properties, change);
    if (change.probe === true) return row;
    if (known === null) return withoutBetweenRefused(lessons, row);
    const broken = findBroken(known.judges, properties, row.properties);
    return without(row, [...broken.keys()], ownFault(BREAKS_RULE));
  });
}

function isOver({ groups, together }: Progress): boolean {
  return groups.length === 0 && together.length === 0;
}

/**
 * Sends groups until no group is left. The loop ends, because each step finishes some rows or removes some properties.
 */
async function sendNext(writer: Writer, progress: Progress): Promise<void> {
  const { lessons } = writer;
  const { trial } = progress;
  progress.trial = undefined;
  const isPart = progress.isSplit === true && progress.groups.length > 0;
  const next = progress.groups.pop() ?? progress.together.splice(0, BATCH_ROWS);
  const known = next.map((row) => withoutKnown(lessons, row));
  if (trial !== undefined && countValues(known) < countValues(next)) {
    // In the meantime, another batch has found a rejected value. The guess may be wrong, so donor-sync sends the
    // original rows again.
    progress.groups.push([...trial.rows]);
    return;
  }
  const [over, rows] = parted(known, isEmptied);
  if (rows.length === 0) {
    progress.results.push(...over.map(toResult));
    return;
  }
  if (rows.some(({ search }) => search !== undefined)) lessons.suspicions.extra += 1;
  const answer = await send(writer, rows);
  if (answer.refusedFor !== null && trial !== undefined) {
    lessons.wrongGuesses += 1;
    separate(lessons, progress, trial.rows, trial.fault, { mayGuess: false });
    return;
  }
  progress.results.push(...over.map(toResult));
  if (answer.refusedFor === null) {
    for (const { name, culprits } of trial?.guesses ?? []) {
      learn(lessons, name, culprits, trial?.fault ?? ownFault(BREAKS_RULE));
    }
    if (isPart) lessons.splitsTaken += 1;
    takeReply(lessons, progress, rows, answer.reply);
    return;
  }
  const begun = rows.map(withoutSearch);
  const fault = answer.refusedFor;
  if (blamedIn(fault, begun).length > 0) separate(lessons, progress, begun, fault);
  else await separateUnnamed(writer, progress, begun, fault);
}

function countValues(rows: readonly Row[]): number {
  return rows.reduce((sum, { properties }) => sum + Object.keys(properties).length, 0);
}

/**
 * Stores the results of a request. HubSpot returns the results in any order. Each result contains the current ID of its
 * contact.
 */
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
      else results.push(toResult(next));
    } else if (written.has(row.id)) {
      recordTaken(lessons, row);
      results.push(toResult(row));
    } else if (blamed.length > 0) {
      together.push(without(row, blamed, fault));
    } else {
      const state = row.isWhole
        ? null
        : searchFor(lessons.suspicions, toRule(fault), Object.keys(row.properties));
      if (state !== null && mayBeOfValue(fault.code)) together.push(toProbe(row, state, fault));
      else results.push(refusedRow(row, fault));
    }
  }
}

/**
 * Handles an error that names no property. If a value must be unique, HubSpot's error names the contact that already
 * has the value. For any other error, donor-sync writes parts of the rows until it finds the property. After finding
 * the property, donor-sync searches for the contact with the rejected value.
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
  // If the values of a change belong together, donor-sync never writes them in parts.
  const [whole, divisible] = parted(rows, ({ isWhole }) => isWhole);
  if (whole.length > 0 && divisible.length > 0) {
    progress.groups.push(whole, divisible);
    return;
  }
  const search =
    mayBeOfValue(fault.code) && whole.length === 0
      ? searchFor(lessons.suspicions, toRule(fault), names)
      : null;
  if (search === null) {
    separateRows(progress, rows, fault);
    return;
  }
  const { state, left } = await findProperty(writer, rows, search);
  if (isFound(state)) learnFrom(lessons.suspicions, toRule(fault), state);
  if (state.written.length === 0) separateRows(progress, rows, fault);
  else if (isFound(state)) separate(lessons, progress, left, withProblems(fault, state.culprits));
  else progress.groups.push(left);
}

/** Chooses the next request after HubSpot rejected a request because of some of its rows. */
export function separate(
  lessons: Lessons,
  progress: Progress,
  rows: readonly Row[],
  fault: HubspotFault,
  { mayGuess } = { mayGuess: true },
): void {
  const blamed = blamedIn(fault, rows);
  if (mayGuess) lessons.errors += fault.problems.length;
  const suspects = blamed.map((name) => findSuspects(lessons, rows, fault, name));
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
  const guesses = suspects.flatMap((one) => {
    const culprits = mayGuess ? guessCulprits(lessons, one) : null;
    return culprits === null ? [] : [{ name: one.name, culprits }];
  });
  if (guesses.length > 0 && guesses.length === suspects.length) {
    progress.trial = { rows, fault, guesses };
    progress.groups.push(
      rows.map((row) => {
        const names = guesses.flatMap(({ name, culprits }) => (culprits.includes(row) ? name : []));
        return without(row, names, fault);
      }),
    );
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
  // An unproven suspicion must not reject a whole contact, so the next requests contain fewer contacts.
  const [whole, others] = parted(rows, (row) => row.isWhole && doubted.has(row));
  if (whole.length > 0) {
    if (others.length > 0) progress.groups.push(whole, others);
    else separateRows(progress, whole, fault);
    return;
  }
  progress.together.push(
    ...rows.map((row) => (doubted.has(row) ? without(row, names, doubtful) : row)),
  );
}

/** Sends each contact in a separate request, because no property of these rows causes the error. */
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
