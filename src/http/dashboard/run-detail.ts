/** All that the page of one run shows, read from the store. */
import type { Application } from '../../application.ts';
import type { Outcome } from '../../core/outcome.ts';
import { outcomeText } from '../../core/outcome-text.ts';
import type { RunReport } from '../../core/run.ts';
import type { RunRow } from '../../store/runs.ts';
import { type Advice, adviceFor } from '../../views/advice.ts';
import { findRunReport, OUTCOME_ORDER, outcomeNamed } from '../../views/run.ts';
import { runUnknown } from '../runs.ts';
import { recordUrl } from './record-url.ts';

export interface RunDetail {
  report: RunReport;
  /** Whether it is going on, waits to begin, or is over. */
  phase: 'running' | 'waiting' | 'over';
  integrationName: string;
  /** True if the service knew too few, and nothing has run since: a person may accept that. */
  isRateLow: boolean;
  /** What to do; null for a run that goes on or went well. */
  advice: Advice | null;
  /** Contacts by outcome and reason, as far as no later run has touched them. */
  reasons: ReasonCount[];
  /** Contacts that took the profile of the same person in another contact, without a credit. */
  shared: number;
  /** The first of the contacts that were not simply fresh. */
  contacts: ContactOutcome[];
}

export interface ReasonCount {
  outcome: Outcome | null;
  /** The reason; a part of a sentence. */
  text: string;
  count: number;
}

export interface ContactOutcome {
  /** The contact's id in the CRM. */
  id: string;
  /** Its page in the CRM, if it is known. */
  url: string | null;
  outcome: Outcome | null;
  text: string;
}

/** Contacts that the page names; `donor-sync runs` has all of them. */
export const MAX_CONTACTS = 50;

/** Reads a run; throws an HttpError (404) if there is none. */
export async function readRunDetail(
  { store, integrations, findRunning }: Pick<Application, 'store' | 'integrations' | 'findRunning'>,
  id: string,
): Promise<RunDetail> {
  const report = await findRunReport(store, id);
  if (report === null) throw runUnknown(id);
  const integration = integrations.get(report.integration);
  const reasons = await store.contacts.countOutcomes(id, report.integration);
  const rows = await store.contacts.listOutcomes(id, report.integration, MAX_CONTACTS);
  const begun = await store.runs.find(id);
  const phase = await phaseOf();
  const isWell = phase !== 'over' || report.status === 'succeeded';
  const isRateLow = (await findLowRate(store, report.integration))?.id === id;
  return {
    ...{ report, phase, shared: begun?.shared_count ?? 0 },
    integrationName: integration?.name ?? report.integration,
    isRateLow,
    advice: isWell ? null : adviceFor(report.reason, report.integration),
    reasons: [...reasons].map(([reason, count]) => reasonCount(reason, count)).sort(byWeight),
    contacts: rows.map((row) => ({
      id: row.crm_id,
      url: integration ? recordUrl(integration, row.crm_id) : null,
      outcome: outcomeNamed(row.outcome_reason),
      text: outcomeText(row.outcome_reason),
    })),
  };

  async function phaseOf(): Promise<RunDetail['phase']> {
    if (report?.status !== 'running') return 'over';
    if ((await findRunning(report.integration))?.run === id) return 'running';
    return begun ? 'over' : 'waiting';
  }
}

/** The last run of an integration, if it stopped because the service knew too few. */
export async function findLowRate(
  { runs }: Pick<Application['store'], 'runs'>,
  integrationId: string,
): Promise<RunRow | null> {
  const [last] = await runs.list({ integrationId, limit: 1 });
  return last?.reason_code === 'match_rate_low' ? last : null;
}

function reasonCount(reason: string, count: number): ReasonCount {
  return { outcome: outcomeNamed(reason), text: outcomeText(reason), count };
}

function byWeight(one: ReasonCount, other: ReasonCount): number {
  return placeOf(one.outcome) - placeOf(other.outcome) || other.count - one.count;
}

/** What needs a person stands first, and what this version does not know last. */
function placeOf(outcome: Outcome | null): number {
  return outcome === null ? OUTCOME_ORDER.length : OUTCOME_ORDER.indexOf(outcome);
}
