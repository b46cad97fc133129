/** Builds the report of a run. All interfaces show this report (design, section 4.3). */

import { z } from 'zod';
import { isoTime } from '../../core/clock.ts';
import { isOutcomeReason, OUTCOME_REASONS, type Outcome } from '../../core/outcome.ts';
import { isRunning, type Owner, ownerIsGone } from '../../core/owner.ts';
import { describeCount, formatCount } from '../../core/quantities.ts';
import {
  type RunReason,
  type RunReport,
  type RunStatus,
  runReportSchema,
  type StopCode,
  type Trigger,
  triggerSchema,
  type UndoneMark,
} from '../../core/run.ts';
import { undoAuthorSealContext } from '../../database/encryption/seal-contexts.ts';
import type { Sealer } from '../../database/encryption/sealed.ts';
import type { Reader } from '../../database/reader.ts';
import type { Store } from '../../database/store.ts';
import { getNetworkCreditsByRun } from '../../networks/statements/network-adds.ts';
import { listNetworkCounts } from '../../networks/statements/network-counts.ts';
import { findRequestByRun } from '../statements/run-requests.ts';
import { countRunReasons } from '../statements/run-rows.ts';
import { findRunById, findUndoAuthor, listRunRecords, type RunRecord } from '../statements/runs.ts';

/** Data that only the run's process knows. */
export interface RunFacts {
  /** The remaining credits, or null if the run has not read them yet. */
  remaining: { enhancements: number | null; networks: number | null };
  calls: { partner: number; crm: number; throttled: number };
}

const NO_FACTS: RunFacts = {
  remaining: { enhancements: null, networks: null },
  calls: { partner: 0, crm: 0, throttled: 0 },
};

const factsSchema = z.object({
  remaining: z.object({ enhancements: z.int().nullable(), networks: z.int().nullable() }),
  calls: z.object({ partner: z.int(), crm: z.int(), throttled: z.int() }),
}) satisfies z.ZodType<RunFacts>;

/** Returns the data that the run's process has recorded so far. */
function readFacts({ facts }: Pick<RunRecord, 'facts'>): RunFacts {
  return facts === null ? NO_FACTS : factsSchema.parse(JSON.parse(facts));
}

/**
 * Returns a run's report, including a later undo. If the run has ended, its report is stored. If the run is in progress
 * or was cut off, the report is built from the current state.
 */
export async function readReport(
  reader: Reader,
  row: RunRecord,
  sealer: NameOpener = null,
): Promise<RunReport> {
  const report =
    row.report === null
      ? await buildReport(reader, row, readFacts(row))
      : runReportSchema.parse(JSON.parse(row.report));
  const undone = await readUndone(reader, row, sealer);
  return undone === null ? report : { ...report, undone };
}

/** Decrypts the name of the user who undid a run. If null, the report does not show the name. */
export type NameOpener = Pick<Sealer, 'open'> | null;

/** Returns the undone part of a run, or null if no value was undone. */
export async function readUndone(
  reader: Reader,
  row: RunRecord,
  sealer: NameOpener,
): Promise<UndoneMark | null> {
  const { id, undoneAt, undoneValues: values, undoneKept: kept, undoneContacts: contacts } = row;
  if (undoneAt === null) return null;
  const author = sealer === null ? null : await findUndoAuthor(reader, id);
  const by = author === null ? null : (sealer?.open(author, undoAuthorSealContext(id)) ?? null);
  return { at: isoTime(undoneAt), by, values, kept, contacts };
}

/** Returns the remaining credits that a run has read, without parsing the rest of its report. */
export function readRemaining(row: Pick<RunRecord, 'report' | 'facts'>): RunFacts['remaining'] {
  if (row.report === null) return readFacts(row).remaining;
  const { credits } = balancesSchema.parse(JSON.parse(row.report));
  return {
    enhancements: credits.enhancements.remaining,
    networks: credits.networks.remaining,
  };
}

const balanceSchema = z.object({ remaining: z.int().nullable() });

const balancesSchema = z.object({
  credits: z.object({ enhancements: balanceSchema, networks: balanceSchema }),
});

/** Builds a run's report from the current state of the database. A finished run has a stored `report` instead. */
export async function buildReport(
  reader: Reader,
  row: RunRecord,
  facts: RunFacts = NO_FACTS,
): Promise<RunReport> {
  const reasons = await countRunReasons(reader, row);
  return {
    id: row.id,
    integration: row.integrationId,
    trigger: toTrigger(row.trigger),
    status: toStatus(row.status),
    reason: toReason(row),
    startedAt: isoTime(row.startedAt),
    finishedAt: row.finishedAt === null ? null : isoTime(row.finishedAt),
    contacts: {
      read: row.readCount,
      chosen: row.chosenCount,
      submitted: row.submittedCount,
      enhanced: row.enhancedCount,
      ...countByOutcome(reasons),
    },
    credits: {
      enhancements: { spent: row.spentEnhancements, remaining: facts.remaining.enhancements },
      networks: {
        spent: await getNetworkCreditsByRun(reader, row.id),
        remaining: facts.remaining.networks,
      },
    },
    networks: await listNetworkCounts(reader, row.id),
    calls: facts.calls,
  };
}

/** Adds up the numbers of contacts by outcome. */
function countByOutcome(reasons: ReadonlyMap<string, number>): Record<Outcome, number> {
  const counts = { written: 0, unchanged: 0, skipped: 0, failed: 0, held: 0, waiting: 0 };
  for (const [reason, count] of reasons) {
    if (isOutcomeReason(reason)) counts[OUTCOME_REASONS[reason]] += count;
  }
  return counts;
}

function toReason(row: RunRecord): RunReason | null {
  if (row.reasonCode === null) return null;
  const code: StopCode | (string & {}) = row.reasonCode;
  return { code, message: row.reasonMessage ?? '' };
}

function toTrigger(text: string): Trigger {
  return text === 'schedule' || text === 'webhook' ? text : 'manual';
}

function toStatus(text: string): RunStatus {
  return text === 'running' || text === 'succeeded' || text === 'incomplete' ? text : 'failed';
}

/**
 * Returns the current report of the run with this ID, or null if the run does not exist. Searches the started runs,
 * then the waiting requests, and then the started runs again, because the run can start during the search.
 */
export async function findRunReport(
  reader: Reader,
  id: string,
  sealer: NameOpener = null,
): Promise<RunReport | null> {
  const row = await findRunById(reader, id);
  if (row) return readReport(reader, row, sealer);
  const request = await findRequestByRun(reader, id);
  // Too many single contacts were waiting, so one run over all changes carries out their requests.
  if (request?.mergedInto) return findRunReport(reader, request.mergedInto, sealer);
  if (request) {
    const { integrationId: integration, trigger, requestedAt } = request;
    return waitingRun({ id, integration, trigger: triggerSchema.parse(trigger), requestedAt });
  }
  const begun = await findRunById(reader, id);
  return begun ? readReport(reader, begun, sealer) : null;
}

/**
 * Returns the report of a run that has not started yet. The requester sees it as running, although it has not done
 * anything yet.
 */
export function waitingRun(run: {
  id: string;
  integration: string;
  trigger: Trigger;
  /** The time of the request (epoch ms). */
  requestedAt: number;
}): RunReport {
  const { id, integration, trigger, requestedAt } = run;
  return {
    id,
    integration,
    trigger,
    status: 'running',
    reason: null,
    startedAt: isoTime(requestedAt),
    finishedAt: null,
    contacts: {
      read: 0,
      chosen: 0,
      submitted: 0,
      enhanced: 0,
      written: 0,
      unchanged: 0,
      skipped: 0,
      failed: 0,
      held: 0,
      waiting: 0,
    },
    credits: {
      enhancements: { spent: 0, remaining: null },
      networks: { spent: 0, remaining: null },
    },
    networks: [],
    calls: { partner: 0, crm: 0, throttled: 0 },
  };
}

/**
 * Returns a summary such as `248 written, 248 restored by Dana`. While an undo is in progress, and after an interrupted
 * undo, it contains the restored values so far. The summary is empty if nothing was undone.
 */
export function undoneText({ contacts, undone }: Pick<RunReport, 'contacts' | 'undone'>): string {
  if (undone === undefined) return '';
  const written = `${formatCount(contacts.written)} written`;
  if (!isUndoFinished(undone)) {
    return `${written}. The undo is not finished: ${describeCount(undone.values, 'value')} restored so far`;
  }
  const kept = undone.kept > 0 ? `, ${describeCount(undone.kept, 'value')} kept` : '';
  return `${written}, ${formatCount(undone.contacts)} restored${byText(undone)}${kept}`;
}

/** Returns who has undone a run, such as ` by Dana`. Returns an empty text if the name is unknown. */
export function byText({ by }: Pick<UndoneMark, 'by'>): string {
  return by === null ? '' : ` by ${by}`;
}

/** Returns a sentence about the values that an undo has restored, without its full stop. */
export function restoredText(undone: Pick<UndoneMark, 'by'> | undefined): string {
  return `${undone?.by ?? 'An undo'} restored the values from before the run`;
}

/** False for a run's first undo until it ends. Until then, only the restored values are counted, not the contacts. */
export function isUndoFinished({ contacts, values }: Pick<UndoneMark, 'contacts' | 'values'>) {
  return contacts > 0 || values === 0;
}

/** Returns a summary such as `36 written, 1 held`. Returns an empty text if the run has no results yet. */
export function outcomesText({ contacts }: Pick<RunReport, 'contacts'>): string {
  return SUMMARY_ORDER.filter((outcome) => contacts[outcome] > 0)
    .map((outcome) => `${formatCount(contacts[outcome])} ${outcome}`)
    .join(', ');
}

/**
 * The order of outcomes in a summary. Summaries start with successes. Lists of contacts start with contacts that
 * require a user's action.
 */
const SUMMARY_ORDER = [
  'written',
  'unchanged',
  'skipped',
  'waiting',
  'failed',
  'held',
] satisfies Outcome[];

/** The process that currently works on an integration. */
export interface Running {
  /** The name of the process, in the form `HOST/PROCESS ID/START`. */
  owner: string;
  /**
   * The time at which the run started (ISO 8601). Null if the process is not running a sync, or has not started the
   * sync yet.
   */
  since: string | null;
  /** The run's ID. Null if the process is not running a sync, or has not started the sync yet. */
  run: string | null;
}

/** Returns the running process that holds an integration's lease. `owner` is this process. */
export async function findRunning(
  { owner: self }: { owner: Owner },
  { leases, reader }: Store,
  integrationId: string,
): Promise<Running | null> {
  const holder = await leases.holder(integrationId);
  if (!holder || ownerIsGone(holder.owner, self, isRunning)) return null;
  const begun = await listRunRecords(reader, { integrationId, status: 'running', limit: 1 });
  // While a user undoes an older run, the state of an interrupted run is still running.
  const run = begun.find(({ epoch }) => epoch === holder.epoch);
  return {
    owner: holder.owner,
    since: run ? isoTime(run.startedAt) : null,
    run: run?.id ?? null,
  };
}
