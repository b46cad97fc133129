import { z } from 'zod';
import { RetriableError } from '../../../src/core/errors.ts';
import type { WriteResult } from '../../contract.ts';
import { getCrmCode, readAs, type SalesforceFault } from '../errors.ts';
import type { SalesforceSession } from '../session.ts';
import { isReadable } from '../values.ts';
import { sendWithLook } from './last-look.ts';
import { learnSize } from './lessons.ts';
import {
  isCrowded,
  refused,
  type SentChange,
  stepAfter,
  type UnnamedRefusal,
  withoutNamed,
} from './refusals.ts';

/** The results for the records in one request. */
export interface CollectionResult {
  results: WriteResult[];
  /**
   * Changes to records that another user was changing at the same time. Trying these changes again soon is worthwhile.
   */
  locked: SentChange[];
  /** Rejected changes for which Salesforce names no field. */
  unnamed: UnnamedRefusal[];
  /** The error that ended the writing before all records were sent, or null if all records were sent. */
  failure: { error: unknown } | null;
}

const saveResultsSchema = z.array(
  z.object({
    success: z.boolean(),
    errors: z
      .array(
        z.object({
          statusCode: z.string(),
          message: z.string().default(''),
          fields: z.array(z.string()).nullish(),
        }),
      )
      .default([]),
  }),
);

/**
 * Salesforce's code for a value that it cannot parse. If one value cannot be parsed, the whole request fails and
 * Salesforce processes no record.
 */
const UNREADABLE_VALUE = 'JSON_PARSER_ERROR';

type Writer = Pick<SalesforceSession, 'api' | 'description' | 'lessons' | 'recent' | 'settings'>;

/**
 * Writes at most 200 changes, usually in one request. The changes are independent of each other (`allOrNone: false`).
 * Salesforce writes either all values of a record or none of them. If Salesforce rejects a change and names fields,
 * donor-sync writes the change again without these fields. If the org's triggers exceed a transaction limit, donor-sync
 * splits the group in half. If an error stops the writing, the function returns the results so far together with the
 * error.
 */
export async function writeCollection(
  session: Writer,
  changes: readonly SentChange[],
): Promise<CollectionResult> {
  const all: CollectionResult = { results: [], locked: [], unnamed: [], failure: null };
  session.lessons.usual += 1;
  try {
    for (let next = changes; next.length > 0; ) {
      const group = next.slice(0, session.lessons.mostRows);
      await writeGroup(session, group, all);
      next = next.slice(group.length);
    }
  } catch (error) {
    all.failure = { error };
  }
  return all;
}

/**
 * Writes a group of changes, and splits it in half if it exceeds a transaction limit. Later groups become smaller only
 * if each record in this group stays below the limit when it is written alone. A single record that exceeds the limit
 * must not slow down the rest of the run. Returns true if a single record exceeds the limit.
 */
async function writeGroup(
  session: Writer,
  group: readonly SentChange[],
  all: CollectionResult,
): Promise<boolean> {
  let isHeavy = false;
  // The loop always ends, because each step omits fields or writes fewer changes together.
  for (let next = group; next.length > 0; ) {
    const { results, locked, unnamed, again, crowded, heavy } = await writeOnce(session, next);
    all.results.push(...results);
    all.locked.push(...locked);
    all.unnamed.push(...unnamed);
    isHeavy ||= heavy;
    if (crowded.length > 0) {
      const middle = Math.ceil(crowded.length / 2);
      const first = await writeGroup(session, crowded.slice(0, middle), all);
      const second = await writeGroup(session, crowded.slice(middle), all);
      if (first || second) isHeavy = true;
      else learnSize(session.lessons, next.length);
    }
    next = again;
  }
  return isHeavy;
}

/**
 * The results for the records in one request, and the changes that must be written again. donor-sync writes the
 * remaining changes again, either unchanged or in a smaller group.
 */
type Attempt = Omit<CollectionResult, 'failure'> & {
  again: SentChange[];
  crowded: SentChange[];
  /** True if a record exceeded a limit although it was written alone. */
  heavy: boolean;
};

function startAttempt(): Attempt {
  return { results: [], locked: [], unnamed: [], again: [], crowded: [], heavy: false };
}

async function writeOnce(session: Writer, changes: readonly SentChange[]): Promise<Attempt> {
  const sentAtMs = session.api.serverTimeMs();
  try {
    const { reply, looked } = await sendWithLook(session, changes);
    session.recent.note(changes, { sentAtMs, answeredAtMs: session.api.serverTimeMs() });
    return sorted(looked, readAs(saveResultsSchema, reply));
  } catch (error) {
    if (getCrmCode(error) !== UNREADABLE_VALUE) throw error;
    return withoutUnreadable(session, changes) ?? writeHalves(session, changes);
  }
}

/** Omits values that do not match the type of their field. Returns null if all values match. */
function withoutUnreadable(
  { description }: Writer,
  changes: readonly SentChange[],
): Attempt | null {
  const attempt = startAttempt();
  let found = false;
  for (const change of changes) {
    const fields = Object.entries(change.values).flatMap(([name, value]) =>
      isReadable(value, description.fields.get(name)) ? [] : [name],
    );
    if (fields.length === 0) {
      attempt.again.push(change);
      continue;
    }
    found = true;
    const faults = [{ code: UNREADABLE_VALUE, message: '', fields }];
    const rest = change.together ? null : withoutNamed(change, faults);
    if (rest === null) attempt.results.push(refused(change, faults));
    else attempt.again.push(rest);
  }
  return found ? attempt : null;
}

/** Splits the changes until it finds the record with the unreadable value. All other records are written. */
async function writeHalves(session: Writer, changes: readonly SentChange[]): Promise<Attempt> {
  const [only] = changes;
  if (only !== undefined && changes.length === 1) {
    const fault = { code: UNREADABLE_VALUE, message: '', fields: Object.keys(only.values) };
    return { ...startAttempt(), results: [refused(only, [fault])] };
  }
  const middle = Math.ceil(changes.length / 2);
  const first = await writeOnce(session, changes.slice(0, middle));
  const second = await writeOnce(session, changes.slice(middle));
  return {
    results: [...first.results, ...second.results],
    locked: [...first.locked, ...second.locked],
    unnamed: [...first.unnamed, ...second.unnamed],
    again: [...first.again, ...second.again],
    crowded: [...first.crowded, ...second.crowded],
    heavy: first.heavy || second.heavy,
  };
}

/** Sorts Salesforce's results by the next step. The results have the same order as the changes. */
function sorted(changes: readonly SentChange[], saved: z.infer<typeof saveResultsSchema>): Attempt {
  if (saved.length !== changes.length) {
    throw new RetriableError('Salesforce returned a different number of results than records.', {
      code: 'crm_unavailable',
    });
  }
  const attempt = startAttempt();
  for (const [at, change] of changes.entries()) {
    const faults = listFaults(saved[at]);
    const step = stepAfter(change, faults, changes.length);
    attempt.heavy ||= step.kind === 'done' && faults.some(isCrowded);
    if (step.kind === 'done') attempt.results.push(step.result);
    else if (step.kind === 'unnamed') attempt.unnamed.push(step.refusal);
    else attempt[step.kind].push(step.change);
  }
  return attempt;
}

/** Returns the record's errors. The list is empty if the record was written. */
function listFaults(
  result: z.infer<typeof saveResultsSchema>[number] | undefined,
): SalesforceFault[] {
  if (result?.success) return [];
  const errors = result?.errors ?? [];
  if (errors.length === 0) return [{ code: 'UNKNOWN_EXCEPTION', message: '', fields: [] }];
  return errors.map(({ statusCode, message, fields }) => ({
    code: statusCode,
    message,
    fields: fields ?? [],
  }));
}
