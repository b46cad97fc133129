/** Lists all clients with their status, their last nights, and their open decisions. */
import { type Clock, isoTime } from '../../core/clock.ts';
import type { Integration } from '../../core/integration-settings.ts';
import { startOfMonth } from '../../credits/budget.ts';
import type { TimedReader } from '../../database/reader.ts';
import { countPending } from '../../decisions/views/decision-queue.ts';
import {
  listLastSuccesses,
  listNightRuns,
  listPausedClients,
  listPlannedTimes,
  listQueuedRuns,
  listRunActivity,
  listSpentByClient,
  type RunActivityRow,
} from '../statements/run-activity.ts';
import { createNights, describeNights, type NightView } from './nights.ts';
import { type PlannedRuns, plannedRuns } from './status.ts';
import {
  type ClientStatus,
  getProblem,
  getStanding,
  isAtLimit,
  needsPerson,
  type Problem,
} from './verdict.ts';

export interface ClientBrief {
  id: string;
  name: string;
  crm: string;
  standing: ClientStatus;
  /** The last run's problem. Null if the run succeeded or a newer run is in progress. */
  problem: Problem | null;
  /** The ID of the run that is in progress or queued. */
  run: string | null;
  /** The number of open decisions. */
  decisions: number;
  paused: boolean;
}

export interface ClientView extends ClientBrief {
  lastSuccessAt: string | null;
  /** The schedule, or null if the client is synced only on request. */
  schedule: PlannedRuns | null;
  /** The enhancement credits of this month. The month is in the client's time zone. */
  month: { spent: number; budget: number | null };
  /** The last 14 nights, oldest first. */
  nights: NightView[];
}

export const CLIENT_FILTERS = ['all', 'needs', 'stopped', 'syncing', 'paused'] as const;
export type ClientFilter = (typeof CLIENT_FILTERS)[number];

/** True for a client that matches the filter. */
export function isShown(brief: ClientBrief, filter: ClientFilter): boolean {
  switch (filter) {
    case 'all':
      return true;
    case 'needs':
      return needsPerson(brief);
    case 'stopped':
      return brief.problem !== null && !isAtLimit(brief.problem);
    case 'syncing':
      return brief.standing === 'syncing' || brief.standing === 'queued';
    case 'paused':
      return brief.paused;
  }
}

export function isNamed({ id, name }: Pick<ClientBrief, 'id' | 'name'>, words: string): boolean {
  const wanted = words.trim().toLowerCase();
  return name.toLowerCase().includes(wanted) || id.includes(wanted);
}

export interface ClientReader {
  briefs(integrations: ReadonlyMap<string, Integration>): Promise<readonly ClientBrief[]>;
  rows(
    briefs: readonly ClientBrief[],
    integrations: ReadonlyMap<string, Integration>,
  ): Promise<ClientView[]>;
  /** Discards cached data after a user's change. */
  forget(): void;
}

interface ClientActivity {
  rows: ReadonlyMap<string, RunActivityRow>;
  queued: ReadonlyMap<string, string>;
  decisions: ReadonlyMap<string, number>;
  paused: ReadonlySet<string>;
  /** Results that users with the same access share. */
  briefs: WeakMap<ReadonlyMap<string, Integration>, readonly ClientBrief[]>;
}

/**
 * The share of time that may be used for reading all clients. With few clients, reading takes almost no time. With many
 * clients, simultaneous requests share one reading.
 */
const SHARE_OF_TIME = 0.05;
const MAX_AGE_MS = 5_000;

/** Creates the reader of clients for all requests. Simultaneous requests share one reading. */
export function createClientReader(
  reader: TimedReader,
  clock: Pick<Clock, 'now' | 'monotonicMs'>,
): ClientReader {
  const nightsIn = createNights();
  let known: { activity: Promise<ClientActivity>; freshUntilMs: number } | null = null;
  /** The rows that were read last, even after `forget`. */
  let rowsBefore: ClientActivity['rows'] = new Map();

  return {
    async briefs(integrations) {
      const activity = await current();
      const made = activity.briefs.get(integrations);
      if (made?.length === integrations.size) return made;
      const briefs = [...integrations.values()].map((integration) =>
        toBrief(integration, activity),
      );
      activity.briefs.set(integrations, briefs);
      return briefs;
    },
    async rows(briefs, integrations) {
      const now = clock.now();
      const shown = briefs.flatMap((brief) => {
        const integration = integrations.get(brief.id);
        if (integration === undefined) return [];
        const timezone = integration.schedule?.timezone ?? 'UTC';
        return [{ brief, integration, nights: nightsIn(timezone, now), timezone }];
      });
      const ids = shown.map(({ brief }) => brief.id);
      const since = Math.min(...shown.map(({ nights }) => nights.bounds[0] ?? now));
      const months = new Map(
        shown.map(({ brief, timezone }) => [brief.id, startOfMonth(now, timezone)]),
      );
      const successes = await listLastSuccesses(reader, ids);
      const runs = Map.groupBy(await listNightRuns(reader, ids, since), (run) => run.integrationId);
      const spent = await listSpentByClient(reader, months);
      const planned = await listPlannedTimes(reader, ids);
      return shown.map(({ brief, integration, nights }): ClientView => {
        const { id } = brief;
        const success = successes.get(id);
        return {
          ...brief,
          lastSuccessAt: success === undefined ? null : isoTime(success),
          schedule: plannedRuns(integration, planned.get(id)),
          month: { spent: spent.get(id) ?? 0, budget: integration.budget.perMonth },
          nights: describeNights(nights, runs.get(id) ?? []),
        };
      });
    },
    forget() {
      known = null;
    },
  };

  function current(): Promise<ClientActivity> {
    const nowMs = clock.monotonicMs();
    if (known !== null && nowMs < known.freshUntilMs) return known.activity;
    const reading = { activity: read(), freshUntilMs: Number.POSITIVE_INFINITY };
    known = reading;
    reading.activity.then(
      () => {
        const tookMs = clock.monotonicMs() - nowMs;
        reading.freshUntilMs = nowMs + Math.min(MAX_AGE_MS, tookMs / SHARE_OF_TIME);
      },
      () => {
        if (known === reading) known = null;
      },
    );
    return reading.activity;
  }

  async function read(): Promise<ClientActivity> {
    const [rows, queued, decisions, paused] = await Promise.all([
      listRunActivity(reader, rowsBefore),
      listQueuedRuns(reader),
      countPending(reader),
      listPausedClients(reader),
    ]);
    rowsBefore = rows;
    return { rows, queued, decisions, paused, briefs: new WeakMap() };
  }
}

function toBrief(
  { id, name = id, crm, schedule }: Integration,
  activity: ClientActivity,
): ClientBrief {
  const row = activity.rows.get(id);
  const queued = activity.queued.get(id) ?? null;
  const isRunning = row?.isGoingOn === true;
  const lastRun = row === undefined ? undefined : toLastRun(id, row);
  // While a run is in progress, the result of the previous run does not matter.
  const problem = isRunning || queued !== null ? null : getProblem(lastRun);
  return {
    id,
    name,
    crm: crm.kind,
    problem,
    standing: getStanding({ isRunning, isQueued: queued !== null, lastRun, problem }),
    run: isRunning ? row.run : queued,
    decisions: activity.decisions.get(id) ?? 0,
    paused: schedule !== null && activity.paused.has(id),
  };
}

function toLastRun(
  integrationId: string,
  { run: id, status, reasonCode, reasonMessage }: RunActivityRow,
) {
  if (id === null || status === null) return undefined;
  return { id, integrationId, status, reasonCode, reasonMessage };
}
