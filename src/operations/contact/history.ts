/** Shows a contact's history: the actions of runs and users, newest first. */
import type { ContactRecord } from '../../contacts/contacts.ts';
import { type Outcome, outcomeNamed, outcomeText } from '../../core/outcome.ts';
import type { Reader } from '../../database/reader.ts';
import { reasonName } from '../../decisions/views/decision-queue.ts';
import type { AboutContact } from '../../privacy/statements/about.ts';
import { listRunsOfContact, type RunOfContact } from '../../sync/statements/run-rows.ts';
import { findRunById } from '../../sync/statements/runs.ts';
import { type NameOpener, readUndone, restoredText } from '../../sync/views/run.ts';
import { whyText } from '../../sync/views/run-contacts.ts';
import { toTime } from './to-time.ts';

export interface ContactEvent {
  at: string | null;
  kind: 'run' | 'decision' | 'undo';
  /** The ID of the run or the decision. An undo has the ID of the undone run. */
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
  { holds, undos }: { holds: AboutContact['holds']; undos: readonly UndoOfContact[] },
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
  const undone = undos.map((undo) => ({
    sort: undo.at,
    event: {
      at: toTime(undo.at),
      kind: 'undo' as const,
      id: undo.run,
      outcome: null,
      reason: null,
      text: restoredText(undo),
    },
  }));
  return [...events, ...decisions, ...undone]
    .sort((a, b) => b.sort - a.sort)
    .map(({ event }) => event);
}

/** An undo that has restored values of a contact. */
export interface UndoOfContact {
  run: string;
  /** Epoch milliseconds. */
  at: number;
  /** The name of the user. Null if no name is stored. */
  by: string | null;
  fields: string[];
}

/** Lists the undos that have restored a contact's values, oldest write first. */
export async function listUndos(
  reader: Reader,
  sealer: NameOpener,
  writes: AboutContact['writes'],
): Promise<UndoOfContact[]> {
  const undone = Map.groupBy(
    writes.filter(({ state }) => state === 'undone'),
    ({ run }) => run,
  );
  const undos: UndoOfContact[] = [];
  for (const [run, restored] of undone) {
    const row = await findRunById(reader, run);
    if (row === undefined) continue;
    const mark = await readUndone(reader, row, sealer);
    if (mark === null) continue;
    const fields = restored.flatMap((write) => write.fields);
    undos.push({ run, at: Date.parse(mark.at), by: mark.by, fields });
  }
  return undos;
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
