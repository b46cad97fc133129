/** All that the page of one run shows, read from the store. */

import type { Application } from '../../../application.ts';
import { readCursor, writeCursor } from '../../../core/cursor.ts';
import { OUTCOME_ORDER } from '../../../core/outcome.ts';
import type { RunReport } from '../../../core/run.ts';
import type { Reader } from '../../../database/reader.ts';
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
import { recordUrl } from '../decisions/record-url.ts';

export interface RunDetail {
  report: RunReport;
  /** Whether it is going on, waits to begin, or is over. */
  phase: 'running' | 'waiting' | 'over';
  integrationName: string;
  /** How far it has come; null for a run that is over. */
  progress: RunProgress | null;
  /** True if a person has asked for its end. */
  isStopping: boolean;
  /** Whether its integration is set up still, so that its CRM can be asked. */
  isSetUp: boolean;
  /** True if the service knew too few, and nothing has run since: a person may accept that. */
  isRateLow: boolean;
  /** What to do; null for a run that goes on or went well. */
  advice: Advice | null;
  reasons: ReasonCount[];
  /** Contacts that took the profile of the same person in another contact, without a credit. */
  shared: number;
  /** A page of the contacts that were not simply fresh, as far as the filter lets them through. */
  contacts: ShownContact[];
  /** What the page was asked to show. */
  query: ContactQuery;
  /** The word by which the next page is asked for; null if there is none. */
  next: string | null;
}

export interface ShownContact extends RunContactView {
  /** Its page in the CRM, if it is known. */
  url: string | null;
}

/** The words of the address that say which contacts are shown. */
export interface ContactQuery {
  outcome?: string | undefined;
  reason?: string | undefined;
  contact?: string | undefined;
  after?: string | undefined;
}

/** Contacts on one page. */
export const PAGE_SIZE = 50;

/** Reads what else there is about a run that was found by this id. */
export async function readRunDetail(
  { store, integrations, findRunning }: Pick<Application, 'store' | 'integrations' | 'findRunning'>,
  { id, report, now }: { id: string; report: RunReport; now: number },
  query: ContactQuery = {},
): Promise<RunDetail> {
  const integration = integrations.get(report.integration);
  const begun = await findRunById(store.reader, id);
  const page = begun && (await readRunContacts(store.reader, begun, pageFilter(query)));
  const phase = await findPhase();
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
    reasons: await readReasons(store.reader, id),
    query,
    next: page?.next ? writeCursor([page.next.place, page.next.crmId]) : null,
    contacts: (page?.contacts ?? []).map((contact) => ({
      ...contact,
      url: integration ? recordUrl(integration, contact.crmId) : null,
    })),
  };

  async function findPhase(): Promise<RunDetail['phase']> {
    if (report.status !== 'running') return 'over';
    if ((await findRunning(report.integration))?.run === id) return 'running';
    return begun ? 'over' : 'waiting';
  }
}

/** The last run of an integration, if it stopped because the service knew too few. */
export async function findLowRate(
  reader: Reader,
  integrationId: string,
): Promise<RunRecord | null> {
  const [last] = await listRunRecords(reader, { integrationId, limit: 1 });
  return last?.reasonCode === 'match_rate_low' ? last : null;
}

/** Words that mean nothing here are passed over: addresses are typed by people. */
function pageFilter({ outcome, reason, contact, after }: ContactQuery): RunContactFilter {
  const outcomes = OUTCOME_ORDER.filter((one) => outcome?.split(',').includes(one));
  const position = after === undefined ? undefined : readCursor(after);
  return {
    outcomes: outcomes.length === 0 ? undefined : outcomes,
    reason: reason || undefined,
    idPrefix: contact || undefined,
    after: position && { place: position[0], crmId: position[1] },
    limit: PAGE_SIZE,
  };
}
