/** What a run reports (design, section 4.3), put together from the store. */
import { isoTime } from '../core/clock.ts';
import { OUTCOME_REASONS, type Outcome, type OutcomeReason } from '../core/outcome.ts';
import type { RunReason, RunReport, RunStatus, StopCode, Trigger } from '../core/run.ts';
import type { RunRow } from '../store/runs.ts';
import type { Store } from '../store/store.ts';

/** What only the process that ran knows. */
export interface RunFacts {
  /** Credits left in the buckets; null if nobody has asked. */
  remaining: { enhancements: number | null; networks: number | null };
  calls: { partner: number; crm: number; throttled: number };
}

const NO_FACTS: RunFacts = {
  remaining: { enhancements: null, networks: null },
  calls: { partner: 0, crm: 0, throttled: 0 },
};

/** The report of a run as it stands now; a finished one keeps its own (`report` of the row). */
export async function buildReport(
  store: Pick<Store, 'contacts' | 'networks'>,
  row: RunRow,
  facts: RunFacts = NO_FACTS,
): Promise<RunReport> {
  const reasons = await store.contacts.countOutcomes(row.id, row.integration_id);
  return {
    id: row.id,
    integration: row.integration_id,
    trigger: triggerOf(row.trigger),
    status: statusOf(row.status),
    reason: reasonOf(row),
    startedAt: isoTime(row.started_at),
    finishedAt: row.finished_at === null ? null : isoTime(row.finished_at),
    contacts: {
      read: row.read_count,
      chosen: row.chosen_count,
      submitted: row.submitted_count,
      enhanced: row.enhanced_count,
      ...countByOutcome(reasons),
    },
    credits: {
      enhancements: { spent: row.spent_enhancements, remaining: facts.remaining.enhancements },
      networks: {
        spent: await store.networks.spentByRun(row.id),
        remaining: facts.remaining.networks,
      },
    },
    networks: await store.networks.listCounts(row.id),
    calls: facts.calls,
  };
}

/** Sums the reasons up by the outcome that each belongs to. */
export function countByOutcome(reasons: ReadonlyMap<string, number>): Record<Outcome, number> {
  const counts = { written: 0, unchanged: 0, skipped: 0, failed: 0, held: 0, waiting: 0 };
  for (const [reason, count] of reasons) {
    if (isOutcomeReason(reason)) counts[OUTCOME_REASONS[reason]] += count;
  }
  return counts;
}

function isOutcomeReason(text: string): text is OutcomeReason {
  return Object.hasOwn(OUTCOME_REASONS, text);
}

function reasonOf(row: RunRow): RunReason | null {
  if (row.reason_code === null) return null;
  const code: StopCode | (string & {}) = row.reason_code;
  return { code, message: row.reason_message ?? '' };
}

function triggerOf(text: string): Trigger {
  return text === 'schedule' || text === 'webhook' ? text : 'manual';
}

function statusOf(text: string): RunStatus {
  return text === 'running' || text === 'succeeded' || text === 'incomplete' ? text : 'failed';
}
