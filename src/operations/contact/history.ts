/** Shows a contact's history: the actions of runs and users, newest first. */
import type { ContactRecord } from '../../contacts/contacts.ts';
import { type Outcome, outcomeNamed, outcomeText } from '../../core/outcome.ts';
import type { Reader } from '../../database/reader.ts';
import { reasonName } from '../../decisions/views/decision-queue.ts';
import type { AboutContact } from '../../privacy/statements/about.ts';
import { listRunsOfContact, type RunOfContact } from '../../sync/statements/run-rows.ts';
import { whyText } from '../../sync/views/run-contacts.ts';
import { toTime } from './to-time.ts';

export interface ContactEvent {
  at: string | null;
  kind: 'run' | 'decision';
  /** The ID of the run or the decision. */
  id: string;
  outcome: Outcome | null;
  /** The reason of a run's outcome. Null for a decision. */
  reason: string | null;
  text: string;
}

const MAX_RUNS = 20;

export async function readHistory(
  reader: Reader,
  integrationId: string,
  contact: ContactRecord,
  holds: AboutContact['holds'],
): Promise<ContactEvent[]> {
  const { crmId, outcomeRun, outcomeReason, outcomeDetail, outcomeAt } = contact;
  const runs: RunOfContact[] = await listRunsOfContact(reader, integrationId, {
    crmId,
    limit: MAX_RUNS,
  });
  const isLast = runs.some(({ runId }) => runId === outcomeRun);
  // A run has no row if it is still in progress or had nothing to do.
  const last =
    outcomeRun === null || isLast
      ? []
      : [{ runId: outcomeRun, reason: outcomeReason, detail: outcomeDetail, at: outcomeAt }];
  const events = [...last, ...runs].map((run) => ({ sort: run.at, event: toRunEvent(run) }));
  const decisions = holds.flatMap(({ id, kind, openedAt, decision, decidedAt }) => {
    const name = reasonName(kind) ?? kind;
    const of = (at: number, text: string) => ({
      sort: at,
      event: { at: toTime(at), kind: 'decision', id, outcome: null, reason: null, text } as const,
    });
    const opened = of(openedAt, `Decision needed: ${name}`);
    if (decision === null || decidedAt === null) return [opened];
    return [opened, of(decidedAt, `${DECIDED[decision]}: ${name}`)];
  });
  return [...events, ...decisions].sort((a, b) => b.sort - a.sort).map(({ event }) => event);
}

const DECIDED = {
  approved: 'Approved',
  rejected: 'Rejected',
  resubmitted: 'To be enhanced again',
  superseded: 'No decision needed any longer',
} as const;

function toRunEvent({ runId, reason, detail, at }: RunOfContact): ContactEvent {
  const text = whyText({ text: outcomeText(reason), detail });
  return { at: toTime(at), kind: 'run', id: runId, outcome: outcomeNamed(reason), reason, text };
}
