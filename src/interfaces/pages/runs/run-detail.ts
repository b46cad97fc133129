/** Reads the content of a run's page from the database. */

import type { Application } from '../../../application.ts';
import { readCursor, writeCursor } from '../../../core/cursor.ts';
import { OUTCOME_ORDER, UNKNOWN_PERSON } from '../../../core/outcome.ts';
import type { RunReport } from '../../../core/run.ts';
import type { Reader } from '../../../database/reader.ts';
import { listStoredApprovals } from '../../../decisions/statements/approvals.ts';
import { countUndoneContacts } from '../../../fields/statements/deliveries.ts';
import type { RunContactFilter } from '../../../sync/statements/run-rows.ts';
import { findRunById, listRunRecords, type RunRecord } from '../../../sync/statements/runs.ts';
import { type Advice, adviceFor } from '../../../sync/views/advice.ts';
import {
  type ReasonCount,
  type RunContactView,
  readReasons,
  readRunContacts,
} from '../../../sync/views/run-contacts.ts';
import { type RunProgress, readProgress } from '../../../sync/views/run-progress.ts';
import { findRecordUrls, noUrl } from '../decisions/record-url.ts';

export interface RunDetail {
  report: RunReport;
  phase: 'running' | 'waiting' | 'over';
  integrationName: string;
  /** The run's progress, or null if the run has ended. */
  progress: RunProgress | null;
  /** True if a user has requested that the run stop. */
  isStopping: boolean;
  /** An undo of the run that waits for a second user's confirmation or is in progress. Null if there is none. */
  undo: UndoProgress | null;
  /** The number of people whom the service does not know. The report counts unknown people as failed contacts. */
  unknown: number;
  /** True if the run's integration still exists, so that donor-sync can query its CRM. */
  isSetUp: boolean;
  /**
   * True if the service recognised too few contacts and no run has started since. A user may accept this match rate.
   */
  isRateLow: boolean;
  /** Advice for the user. Null if the run is in progress or has succeeded. */
  advice: Advice | null;
  reasons: ReasonCount[];
  /**
   * The number of contacts that received a profile for free, because it was bought for another contact of the same
   * person.
   */
  shared: number;
  /** One page of the contacts that match the filter. Excludes contacts whose profile is still fresh. */
  contacts: ShownContact[];
  /** The page's filter. */
  query: ContactQuery;
  /** The cursor of the next page, or null on the last page. */
  next: string | null;
}

export interface UndoProgress {
  state: 'waiting' | 'going';
  /** The number of contacts that have been restored so far. */
  contacts: number;
}

export interface ShownContact extends RunContactView {
  /** The address of the contact's record in the CRM, or null if it is unknown. */
  url: string | null;
}

/** The query parameters that filter the contacts. */
export interface ContactQuery {
  /** The outcomes, separated by commas. `unknown` selects people whom the service does not know. */
  outcome?: string | undefined;
  reason?: string | undefined;
  contact?: string | undefined;
  after?: string | undefined;
}

/** The number of contacts on one page. */
export const PAGE_SIZE = 50;

/** Reads the remaining data about a run that was found by its ID. */
export async function readRunDetail(
  { store, integrations, findRunning }: Pick<Application, 'store' | 'integrations' | 'findRunning'>,
  { id, report, now }: { id: string; report: RunReport; now: number },
  query: ContactQuery = {},
): Promise<RunDetail> {
  const integration = integrations.get(report.integration);
  const recordUrl = integration ? await findRecordUrls(integration) : noUrl;
  const begun = await findRunById(store.reader, id);
  const page = begun && (await readRunContacts(store.reader, begun, pageFilter(query)));
  const shown = page?.contacts ?? [];
  const phase = await findPhase();
  const reasons = await readReasons(store.reader, id);
  const isWell = phase !== 'over' || report.status === 'succeeded';
  const isRateLow = (await findLowRate(store.reader, report.integration))?.id === id;
  return {
    report,
    phase,
    progress: await readProgress(store, report, now),
    isStopping: phase === 'running' && (begun?.stopAskedAt ?? null) !== null,
    isSetUp: integration !== undefined,
    shared: begun?.sharedCount ?? 0,
    integrationName: integration?.name ?? report.integration,
    isRateLow,
    advice: isWell ? null : adviceFor(report.reason, report.integration),
    reasons,
    undo: phase === 'over' ? await readUndo(store, id) : null,
    unknown: reasons.find(({ reason }) => reason === UNKNOWN_PERSON)?.count ?? 0,
    query,
    next: page?.next ? writeCursor([page.next.place, page.next.crmId]) : null,
    contacts: shown.map((contact) => ({
      ...contact,
      url: recordUrl(contact.crmId),
    })),
  };

  async function findPhase(): Promise<RunDetail['phase']> {
    if (report.status !== 'running') return 'over';
    if ((await findRunning(report.integration))?.run === id) return 'running';
    return begun ? 'over' : 'waiting';
  }
}

async function readUndo(store: Application['store'], run: string): Promise<UndoProgress | null> {
  const asked = (await listStoredApprovals(store)).find(
    ({ request, outcome }) => request.what === 'undo' && request.run === run && outcome === null,
  );
  if (asked === undefined) return null;
  const contacts = await countUndoneContacts(store.reader, run);
  return { state: asked.confirmedBy === null ? 'waiting' : 'going', contacts };
}

/** Returns the last run of an integration, if it stopped because the service recognised too few contacts. */
export async function findLowRate(
  reader: Reader,
  integrationId: string,
): Promise<RunRecord | null> {
  const [last] = await listRunRecords(reader, { integrationId, limit: 1 });
  return last?.reasonCode === 'match_rate_low' ? last : null;
}

/** Returns the filter in the address. Ignores unknown values, because users edit addresses. */
function pageFilter({ outcome, reason, contact, after }: ContactQuery): RunContactFilter {
  const words = outcome?.split(',') ?? [];
  const outcomes = OUTCOME_ORDER.filter((one) => words.includes(one));
  if (words.includes('unknown')) outcomes.push('failed');
  const position = after === undefined ? undefined : readCursor(after);
  return {
    outcomes: outcomes.length === 0 ? undefined : outcomes,
    reason: words.includes('unknown') ? UNKNOWN_PERSON : reason || undefined,
    // The page lists people whom the service does not know separately from failed contacts.
    exceptReason: words.includes('failed') && !reason ? UNKNOWN_PERSON : undefined,
    idPrefix: contact || undefined,
    after: position && { place: position[0], crmId: position[1] },
    limit: PAGE_SIZE,
  };
}
