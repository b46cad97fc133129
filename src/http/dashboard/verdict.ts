/** Is everything well? One word for each integration, and one sentence for all. */

import { countOf } from '../../core/quantities.ts';
import type { RunRecord } from '../../store/runs/runs.ts';
import { type Advice, adviceFor } from '../../views/advice.ts';

/**
 * Where an integration stands. `stopped` goes on by itself, `stuck` once a person has done something;
 * `failed` is an unexpected error.
 */
export type Standing = 'syncing' | 'queued' | 'well' | 'new' | 'stopped' | 'stuck' | 'failed';

/** Why the last run of an integration did not come to its end. */
export interface Problem {
  runId: string;
  /** The reason in one word; null if the run has left none. */
  code: string | null;
  message: string;
  advice: Advice;
}

/** What tells where an integration stands. */
export interface Signs {
  isRunning: boolean;
  isQueued: boolean;
  /** The newest run that is not going on. */
  lastRun: Pick<RunRecord, 'status'> | undefined;
  /** What that run ended with; null if it was well. */
  problem: Problem | null;
}

/** What goes on now says more than how the last run ended. */
export function standingOf({ isRunning, isQueued, lastRun, problem }: Signs): Standing {
  if (isRunning) return 'syncing';
  if (isQueued) return 'queued';
  if (lastRun === undefined) return 'new';
  if (lastRun.status === 'succeeded') return 'well';
  if (lastRun.status === 'failed') return 'failed';
  return problem?.advice.needs === 'person' ? 'stuck' : 'stopped';
}

/** What the last run ended with; null if it was well. A run that was cut off has left no reason. */
export function problemOf(row: RunRecord | undefined): Problem | null {
  if (row === undefined || row.status === 'succeeded') return null;
  const { id: runId, reasonCode: code, reasonMessage: message } = row;
  const reason = code === null ? null : { code, message: message ?? '' };
  return {
    runId,
    code,
    message: reason?.message ?? 'The process ended in the middle of the run.',
    advice: adviceFor(reason, row.integrationId),
  };
}

/** An integration as far as the verdict needs it. */
export interface Brief {
  id: string;
  name: string;
  standing: Standing;
  problem: Problem | null;
}

export interface Verdict {
  /** `attention`: a person is needed; `patience`: something stopped and goes on by itself. */
  level: 'well' | 'syncing' | 'patience' | 'attention' | 'new';
  headline: string;
  /** What a person has to do, each with the place on the page where it is done. */
  tasks: { text: string; href: string }[];
}

/** The sentence above everything else; `hrefOf` leads to an integration. */
export function judge(
  briefs: readonly Brief[],
  held: number,
  hrefOf: (integrationId: string) => string,
): Verdict {
  const stuck = briefs.filter(({ problem }) => problem?.advice.needs === 'person');
  const tasks = stuck.map(({ id, name, problem }) => ({
    text: `${name}: ${problem?.message ?? ''}`,
    href: hrefOf(id),
  }));
  if (held > 0) {
    const wait = held === 1 ? 'waits' : 'wait';
    tasks.push({ text: `${countOf(held, 'decision')} ${wait} for a person`, href: '#holds' });
  }
  if (tasks.length > 0) {
    const things = tasks.length === 1 ? 'One thing needs' : `${tasks.length} things need`;
    return { level: 'attention', headline: `${things} you`, tasks };
  }
  return { ...withoutTasks(briefs), tasks };
}

function withoutTasks(briefs: readonly Brief[]): Pick<Verdict, 'level' | 'headline'> {
  const busy = briefs.filter(({ standing }) => standing === 'syncing' || standing === 'queued');
  const [first, ...others] = busy;
  if (first !== undefined) {
    const names = others.length === 0 ? first.name : countOf(busy.length, 'integration');
    return { level: 'syncing', headline: `Syncing ${names}` };
  }
  const stopped = briefs.filter(({ problem }) => problem !== null);
  if (stopped.length > 0) {
    return { level: 'patience', headline: 'A run stopped early; the next one goes on' };
  }
  if (briefs.length === 0) return { level: 'new', headline: 'No integration is set up yet' };
  const isNew = briefs.every(({ standing }) => standing === 'new');
  return isNew
    ? { level: 'new', headline: 'Ready for the first sync' }
    : { level: 'well', headline: 'All is well' };
}
