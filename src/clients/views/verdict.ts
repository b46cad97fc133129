/** Decides whether everything is all right. Returns a word for each integration and a sentence for all integrations. */

import { describeCount, formatCount } from '../../core/quantities.ts';
import type { RunRecord } from '../../sync/statements/runs.ts';
import { type Advice, adviceFor } from '../../sync/views/advice.ts';

/**
 * The status of a client. A `stopped` client continues automatically, but a `stuck` client needs a user. `failed` means
 * that an unexpected error occurred.
 */
export type ClientStatus = 'syncing' | 'queued' | 'well' | 'new' | 'stopped' | 'stuck' | 'failed';

export interface Problem {
  runId: string;
  code: string | null;
  message: string;
  advice: Advice;
}

export interface RunActivity {
  isRunning: boolean;
  isQueued: boolean;
  /** The newest run that is not in progress. */
  lastRun: Pick<RunRecord, 'status'> | undefined;
  /** The newest run's problem, or null if it succeeded. */
  problem: Problem | null;
}

/** Returns a client's status. A run in progress or in the queue has precedence over the last result. */
export function getStanding({ isRunning, isQueued, lastRun, problem }: RunActivity): ClientStatus {
  if (isRunning) return 'syncing';
  if (isQueued) return 'queued';
  if (lastRun === undefined) return 'new';
  if (lastRun.status === 'succeeded') return 'well';
  if (lastRun.status === 'failed') return 'failed';
  return problem?.advice.needs === 'person' ? 'stuck' : 'stopped';
}

/** Returns the last run's problem, or null if the run succeeded. An interrupted run has no reason. */
export function getProblem(
  row:
    | Pick<RunRecord, 'id' | 'integrationId' | 'status' | 'reasonCode' | 'reasonMessage'>
    | undefined,
): Problem | null {
  if (row === undefined || row.status === 'succeeded') return null;
  const { id: runId, reasonCode: code, reasonMessage: message } = row;
  const reason = code === null ? null : { code, message: message ?? '' };
  return {
    runId,
    code,
    message: reason?.message ?? 'The process ended during the run.',
    advice: adviceFor(reason, row.integrationId),
  };
}

/** True if the run reached the credit limit in the settings, as a trial does. Reaching this limit is not a problem. */
export function isAtLimit(reason: { code: string | null } | null | undefined): boolean {
  return reason?.code === 'budget_reached';
}

/** The data about an integration that the verdict needs. */
export interface Brief {
  id: string;
  name: string;
  standing: ClientStatus;
  problem: Problem | null;
  decisions: number;
}

/** True if the client cannot continue until a user acts, or if it has an open decision. */
export function needsPerson({ problem, decisions }: Pick<Brief, 'problem' | 'decisions'>): boolean {
  return problem?.advice.needs === 'person' || decisions > 0;
}

export interface Verdict {
  /**
   * The level of the verdict. `attention` means that a user has to act. `patience` means that the runs continue
   * automatically.
   */
  level: 'well' | 'syncing' | 'patience' | 'attention' | 'new';
  headline: string;
  /** The tasks of the user. Each task links to the place on the page where the user can do it. */
  tasks: { text: string; href: string }[];
}

/** The maximum number of clients that the sentence names. All other clients are only counted. */
const MAX_TASKS = 5;

/** Builds the sentence at the top of the page. `buildHref` returns the link to an integration. */
export function judge(
  briefs: readonly Brief[],
  buildHref: (integrationId: string) => string,
): Verdict {
  const stuck = briefs.filter(({ problem }) => problem?.advice.needs === 'person');
  const tasks = stuck.slice(0, MAX_TASKS).map(({ id, name, problem }) => ({
    text: `${name}: ${problem?.message ?? ''}`,
    href: buildHref(id),
  }));
  const held = briefs.reduce((sum, { decisions }) => sum + decisions, 0);
  const more = stuck.length - tasks.length;
  if (more > 0) {
    tasks.push({ text: `${describeCount(more, 'more client')}`, href: '/?show=needs' });
  }
  if (held > 0) {
    const are = held === 1 ? 'is' : 'are';
    tasks.push({
      text: `${describeCount(held, 'decision')} ${are} pending`,
      href: '/decisions',
    });
  }
  const count = countNeeds(briefs);
  if (count > 0) {
    const need = count === 1 ? 'needs' : 'need';
    // A user with a single client does not think of the nonprofit as a client.
    const [only] = briefs.length === 1 ? briefs : [];
    const who = only?.name ?? describeCount(count, 'client');
    return { level: 'attention', headline: `${who} ${need} you`, tasks };
  }
  return { ...withoutTasks(briefs), tasks };
}

/** Returns the number of clients that need attention. The frame, the home page and its filter show this number. */
function countNeeds(briefs: readonly Pick<Brief, 'problem' | 'decisions'>[]): number {
  return briefs.filter(needsPerson).length;
}

function withoutTasks(briefs: readonly Brief[]): Pick<Verdict, 'level' | 'headline'> {
  const busy = briefs.filter(({ standing }) => standing === 'syncing' || standing === 'queued');
  const [first, ...others] = busy;
  if (first !== undefined) {
    const names = others.length === 0 ? first.name : describeCount(busy.length, 'integration');
    return { level: 'syncing', headline: `Syncing ${names}` };
  }
  const stopped = briefs.filter(({ problem }) => problem !== null);
  if (stopped.length > 0) {
    const isPlanned = stopped.every(({ problem }) => isAtLimit(problem));
    const ended = isPlanned ? 'reached its credit limit' : 'stopped early';
    return { level: 'patience', headline: `A run ${ended}; the next one continues` };
  }
  if (briefs.length === 0) return { level: 'new', headline: 'No client is set up yet' };
  const isNew = briefs.every(({ standing }) => standing === 'new');
  return isNew
    ? { level: 'new', headline: 'Ready for the first sync' }
    : { level: 'well', headline: 'All is well' };
}

export interface Summary {
  level: Verdict['level'];
  text: string;
}

export function summarise(
  briefs: readonly Pick<Brief, 'standing' | 'problem' | 'decisions'>[],
): Summary {
  const needs = countNeeds(briefs);
  let busy = 0;
  let stopped = 0;
  let atLimit = 0;
  let begun = 0;
  for (const { problem, standing } of briefs) {
    if (isAtLimit(problem)) atLimit += 1;
    else if (problem !== null) stopped += 1;
    if (standing === 'syncing' || standing === 'queued') busy += 1;
    if (standing !== 'new') begun += 1;
  }
  if (needs > 0)
    return { level: 'attention', text: `${formatCount(needs)} need${needs === 1 ? 's' : ''} you` };
  if (busy > 0) return { level: 'syncing', text: `${formatCount(busy)} syncing` };
  if (stopped > 0) return { level: 'patience', text: `${formatCount(stopped)} stopped` };
  if (atLimit > 0) return { level: 'patience', text: `${formatCount(atLimit)} at the limit` };
  return begun > 0
    ? { level: 'well', text: 'All is well' }
    : { level: 'new', text: 'Not synced yet' };
}
