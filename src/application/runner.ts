/**
 * What is asked for becomes runs: by schedules, people and webhooks, as requests in the store, so
 * that nothing that was asked for is lost with the process.
 */
import type { Application } from '../application.ts';
import type { Clock } from '../core/clock.ts';
import { messageOf } from '../core/errors.ts';
import type { Integration } from '../core/integration.ts';
import type { Log } from '../core/log.ts';
import { newId } from '../core/new-id.ts';
import type { RunReport, Trigger } from '../core/run.ts';
import { ALL_CONTACTS, type RunRequestRecord } from '../store/runs/run-requests.ts';
import { reportOf } from '../views/run.ts';
import { answerRequest } from './answer-request.ts';
import { createGathering } from './gathering.ts';

/** A run that somebody wants. */
export interface Wish {
  integrationId: string;
  /** The CRM id of the one contact; all of them unless told. */
  contact?: string | null;
  trigger: Trigger;
  /** True to read everything anew; false unless told. */
  full?: boolean;
  /** False if a run that is going on already does not answer; true unless told. */
  mayJoin?: boolean;
  /** The id that the run gets if no other answers; a new one unless told. */
  runId?: string;
}

/** What becomes of a wish. */
export interface Accepted {
  /** The run that answers. */
  runId: string;
  /** Whether that run is going on or waiting already; null if it is a new one. */
  joined: 'running' | 'waiting' | null;
}

/** A run that has ended in this process and is on record. */
export interface EndedRun {
  runId: string;
  integrationId: string;
  report: RunReport;
}

export type RunListener = (ended: EndedRun) => void | Promise<void>;

export interface RunnerOptions {
  clock: Clock;
  log: Log;
  /** How many integrations are synced at the same time. */
  maxRunsAtOnce: number;
}

/** Takes wishes and runs them: one run of an integration at a time, a bounded number at once. */
export interface Runner {
  /**
   * Remembers a wish and runs it as soon as its integration is free. A manual wish joins a run that
   * is doing the same already; any other is looked at when that run ends. Throws a
   * ConfigurationError if the settings do not have the integration.
   */
  request(wish: Wish): Promise<Accepted>;
  /** Begins to take requests up, first of all those that a crash has left behind. */
  start(): void;
  /** Says that there are new requests in the store. */
  wake(): void;
  /** Adds a listener; the function returned takes it away. */
  onRunEnded(listener: RunListener): () => void;
  /** Ends runs at their next checkpoint; resolves within ten seconds. What is left waits on. */
  stop(): Promise<void>;
}

/** Requests are looked at this often, for those that other processes made or could not finish. */
const LOOK_INTERVAL_MS = 2_000;

const DAY_MS = 86_400_000;

const CUT_OFF = 'a run was cut off by the end of its process';

/** Less than the 10 seconds of promise 8 (design, section 5), so that closing has some of them. */
const STOP_LIMIT_MS = 8_000;

export function createRunner(
  application: Application,
  { clock, log, maxRunsAtOnce }: RunnerOptions,
): Runner {
  const { store, integrations } = application;
  const stopping = new AbortController();
  const gathering = createGathering(clock);
  const active = new Map<string, { runId: string; work: Promise<void> }>();
  const listeners = new Set<RunListener>();
  let bell = new AbortController();
  let textsDroppedAt = 0;
  let watching: Promise<void> = Promise.resolve();

  return {
    request,
    start() {
      watching = watch();
    },
    wake,
    onRunEnded(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stop,
  };

  async function request(wish: Wish): Promise<Accepted> {
    const { integrationId, trigger, full = false, mayJoin = true } = wish;
    const [integration] = application.select([integrationId]);
    const contact =
      integration && wish.contact != null
        ? await application.contactId(integration, wish.contact)
        : null;
    if (trigger === 'manual' && mayJoin) {
      const running = await findSame(integrationId, contact, full);
      if (running !== null) return { runId: running, joined: 'running' };
    }
    const asked = wish.runId ?? newId(clock.now());
    const runId = await store.runRequests.add({
      ...{ integrationId, contact, trigger, full },
      runId: asked,
    });
    wake();
    return { runId, joined: runId === asked ? null : 'waiting' };
  }

  /** The run that does the same at this moment, in any process. */
  async function findSame(
    integrationId: string,
    contact: string | null,
    full: boolean,
  ): Promise<string | null> {
    const runId = (await application.findRunning(integrationId))?.run ?? null;
    const begun = runId === null ? undefined : await store.runs.find(runId);
    const isSame = begun?.contact === (contact ?? ALL_CONTACTS) && (begun.full === 1 || !full);
    return isSame ? runId : null;
  }

  function wake(): void {
    const rung = bell;
    bell = new AbortController();
    rung.abort();
  }

  /** Looks until it is stopped: when the bell rings, and from time to time. */
  async function watch(): Promise<void> {
    while (!stopping.signal.aborted) {
      // Taken before looking, so that a ring meanwhile is not missed.
      const { signal } = bell;
      try {
        await putBackCutOff();
        await beginWaiting();
        await dropOldTexts();
      } catch (error) {
        log.error({ error: messageOf(error) }, 'the run requests could not be looked at');
      }
      await clock.sleep(LOOK_INTERVAL_MS, signal);
    }
  }

  /** Once a day, also where no run does it: what CRMs said is kept for so long and no longer. */
  async function dropOldTexts(): Promise<void> {
    if (Math.abs(clock.now() - textsDroppedAt) < DAY_MS) return;
    const dropped = await store.foreignTexts.dropOld();
    textsDroppedAt = clock.now();
    if (dropped > 0) log.info({ dropped }, 'texts of CRMs were dropped for their age');
  }

  /** What was begun and is worked on by nobody: its process has ended in the middle. */
  async function putBackCutOff(): Promise<void> {
    for (const row of await store.runRequests.listBegun()) {
      const { integrationId, runId } = row;
      if (!integrations.has(integrationId) || active.get(integrationId)?.runId === runId) continue;
      if ((await application.findRunning(integrationId))?.run === runId) continue;
      const { state } = await store.runRequests.putBack(row, newId(clock.now()));
      if (state !== 'ended') log.warn({ integration: integrationId, run: runId, state }, CUT_OFF);
    }
  }

  async function beginWaiting(): Promise<void> {
    const busy = new Set<string>();
    for (const row of await store.runRequests.list()) {
      if (stopping.signal.aborted || active.size >= maxRunsAtOnce) return;
      const integration = integrations.get(row.integrationId);
      if (!integration || active.has(integration.id) || busy.has(integration.id)) continue;
      if ((await application.findRunning(integration.id)) !== null) busy.add(integration.id);
      else if (gathering.mayBegin(row)) begin(integration, row);
    }
  }

  function begin(integration: Integration, row: RunRequestRecord): void {
    const work = answerAndTell(integration, row)
      .catch((error: unknown) => {
        const facts = { integration: integration.id, run: row.runId, error: messageOf(error) };
        log.error(facts, 'a run could not be put on record');
        return false;
      })
      .then((hasEnded) => {
        active.delete(integration.id);
        // A request that could not be served waits for the next look.
        if (hasEnded) wake();
      });
    active.set(integration.id, { runId: row.runId, work });
  }

  /** Tells the listeners how the run of a request has ended; false if it has not. */
  async function answerAndTell(integration: Integration, row: RunRequestRecord): Promise<boolean> {
    if (await store.runs.find(row.runId)) {
      // The same Idempotency-Key came twice at once, and the run that it led to has begun already.
      await store.runRequests.dropWaiting(row.runId);
      return true;
    }
    await answerRequest({ application, clock, log, signal: stopping.signal }, integration, row);
    const run = await store.runs.find(row.runId);
    if (!run || run.finishedAt === null) return false;
    const report = await reportOf(store, run);
    log.info({ integration: integration.id, run: run.id, status: run.status }, 'a run ended');
    await tell({ runId: run.id, integrationId: integration.id, report });
    return true;
  }

  async function tell(ended: EndedRun): Promise<void> {
    for (const listener of listeners) {
      try {
        await listener(ended);
      } catch (error) {
        log.error({ run: ended.runId, error: messageOf(error) }, 'nobody could be told of a run');
      }
    }
  }

  async function stop(): Promise<void> {
    stopping.abort();
    wake();
    const limit = new AbortController();
    await Promise.race([comeToEnd(), clock.sleep(STOP_LIMIT_MS, limit.signal)]);
    limit.abort();
  }

  async function comeToEnd(): Promise<void> {
    await watching;
    await Promise.all([...active.values()].map(({ work }) => work));
  }
}
