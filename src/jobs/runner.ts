/**
 * Carries out the requests for runs. Schedules, users and webhooks store requests in the database, so no request is
 * lost if the process ends.
 */
import type { Application } from '../application.ts';
import { storePastMonths } from '../clients/results/month-results.ts';
import { dropLeftovers } from '../clients/setup/draft.ts';
import { takeCall, type WebhookCall } from '../clients/webhook-call.ts';
import type { Clock } from '../core/clock.ts';
import { messageOf } from '../core/errors.ts';
import type { Integration } from '../core/integration-settings.ts';
import type { Log } from '../core/log.ts';
import { newId } from '../core/new-id.ts';
import { completeDays } from '../core/retention.ts';
import type { RunReport } from '../core/run.ts';
import { dropOldTexts } from '../database/encryption/foreign-texts.ts';
import { createErasureWatch } from '../privacy/forget/watch.ts';
import { purgeAllProfiles } from '../sync/purge-old.ts';
import { putBackRequest } from '../sync/statements/cut-off-runs.ts';
import type { RunRequestRecord } from '../sync/statements/request-rows.ts';
import {
  dropWaitingRequest,
  listBegunRequests,
  listReadyRequests,
} from '../sync/statements/run-requests.ts';
import { findRunById } from '../sync/statements/runs.ts';
import { readReport } from '../sync/views/run.ts';
import { answerRequest } from './answer-request.ts';
import type { Turn } from './engine/engine.ts';
import { isClockRight } from './house-clock.ts';
import { type Accepted, type RequestedRun, storeRequest } from './request-run.ts';
import { deleteReread, listRereads, requestReread } from './statements/rereads.ts';

/** A run that this process has ended and recorded. */
export interface EndedRun {
  runId: string;
  integrationId: string;
  report: RunReport;
}

export type RunListener = (ended: EndedRun) => void | Promise<void>;

export interface RunnerOptions {
  clock: Clock;
  log: Log;
  /** The number of integrations that are synced at the same time. */
  maxRunsAtOnce: number;
}

/** Carries out requests: at most one run per integration, and a limited number of runs in total. */
export interface Runner {
  /**
   * Stores a request and starts its run as soon as the integration is free. If an existing run already does the work of
   * a manual request, the request joins that run. Any other request waits until the existing run ends. Throws a
   * ConfigurationError if the integration is not in the settings.
   */
  request(requested: RequestedRun): Promise<Accepted>;
  /**
   * Stores a webhook's request, and carries it out like `request`. Returns the run for the call, or null if the call is
   * about a different account.
   */
  call(call: WebhookCall): Promise<string | null>;
  /** Starts to carry out requests. Requests that a crash has interrupted come first. */
  start(): void;
  /** Notifies the runner that the database contains new requests. */
  wake(): void;
  /** Adds a listener. The returned function removes the listener. */
  onRunEnded(listener: RunListener): () => void;
  /**
   * Stops runs at their next checkpoint. Resolves within ten seconds. The remaining requests wait for the next start.
   */
  stop(): Promise<void>;
}

/** The delay before the runner checks a request again that cannot start now. */
const TRY_AGAIN_MS = 2_000;

/**
 * The delay for an integration that this process does not know. A different process may have the settings of this
 * integration.
 */
const UNKNOWN_AGAIN_MS = 10_000;

/** If at least this many runs can be in progress at the same time, one slot is reserved for users and webhooks. */
const RUNS_WITH_RESERVE = 2;

const DAY_MS = 86_400_000;

const CUT_OFF = 'a run was cut off by the end of its process';

/**
 * The time limit for stopping. This limit is less than the 10 seconds of promise 8 (design, section 5), so time is left
 * for closing connections.
 */
const STOP_LIMIT_MS = 8_000;

export function createRunner(
  application: Application,
  { clock, log, maxRunsAtOnce }: RunnerOptions,
): Runner {
  const { store, integrations, engine } = application;
  const stopping = new AbortController();
  const active = new Set<Promise<void>>();
  const listeners = new Set<RunListener>();
  let newRequests = new AbortController();
  let houseKeptAt = 0;
  let watching: Promise<void> = Promise.resolve();
  const erasures = createErasureWatch({ application, clock, log, stopping: stopping.signal });

  return {
    request,
    call,
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

  async function request(requested: RequestedRun): Promise<Accepted> {
    const accepted = await storeRequest({ application, clock }, requested);
    if (accepted.joined !== 'running') wake();
    return accepted;
  }

  async function call(called: WebhookCall): Promise<string | null> {
    const newRunId = () => newId(clock.now());
    const runId = await takeCall({ application, newRunId }, called);
    if (runId !== null || (called.deleted ?? []).length > 0) {
      erasures.retryNow();
      wake();
    }
    return runId;
  }

  function wake(): void {
    const before = newRequests;
    newRequests = new AbortController();
    before.abort();
  }

  /** Takes turns at regular intervals and after each `wake`, until the runner is stopped. */
  async function watch(): Promise<void> {
    while (!stopping.signal.aborted) {
      // Reads the signal before the check, so that a request during the check is not missed.
      const { signal } = newRequests;
      try {
        await engine.open();
        await askAgain();
        await takeTurns();
        await erasures.start();
        await keepHouse();
      } catch (error) {
        log.error({ error: messageOf(error) }, 'the run requests could not be checked');
      }
      await clock.sleep(engine.checkIntervalMs, signal);
    }
  }

  async function takeTurns(): Promise<void> {
    const free = maxRunsAtOnce - active.size;
    if (free <= 0) return;
    const forSchedules = maxRunsAtOnce < RUNS_WITH_RESERVE ? free : free - 1;
    const isKnown = (id: string) => integrations.has(id);
    const turns = await engine.take({ free, forSchedules, isKnown });
    for (const turn of turns) {
      const work = serveTurn(turn).finally(() => active.delete(work));
      active.add(work);
    }
  }

  async function serveTurn(turn: Turn): Promise<void> {
    const { integrationId } = turn;
    try {
      const integration = integrations.get(integrationId);
      const againAfterMs = integration ? await answerOne(turn, integration) : UNKNOWN_AGAIN_MS;
      await turn.end(againAfterMs);
      // A request that could not be carried out waits for the next check.
      if (againAfterMs === 0) wake();
    } catch (error) {
      const facts = { integration: integrationId, error: messageOf(error) };
      log.error(facts, 'a run could not be recorded');
      await turn.end(TRY_AGAIN_MS).catch(() => undefined);
    }
  }

  /** Carries out the first request. Returns the delay before a further turn. */
  async function answerOne(turn: Turn, integration: Integration): Promise<number> {
    await putBackCutOff(turn);
    const [row] = await listReadyRequests(store.reader, integration.id);
    if (row === undefined || stopping.signal.aborted) return TRY_AGAIN_MS;
    if ((await application.findRunning(integration.id)) !== null) return TRY_AGAIN_MS;
    const signal = AbortSignal.any([stopping.signal, turn.lost]);
    const hasEnded = await answerAndReport(integration, row, signal);
    if (stopping.signal.aborted) await handOver(turn);
    return hasEnded ? 0 : TRY_AGAIN_MS;
  }

  /** Once a day, deletes CRM messages and profiles that are too old. Includes clients that are never synced. */
  async function keepHouse(): Promise<void> {
    if (Math.abs(clock.now() - houseKeptAt) < DAY_MS) return;
    const dropped = await dropOldTexts(store.connection);
    if (dropped > 0) log.info({ dropped }, 'CRM texts were deleted because of their age');
    // This comes before the deletion, because a month's totals are computed from the profiles.
    for (const client of integrations.values()) await addUpMonths(client);
    const { open, settings } = application;
    const comparing = { reader: store.reader, integrations, open, clock, log };
    await purgeAllProfiles({ store, clock, log, retention: settings.retention }, application, () =>
      isClockRight(comparing, stopping.signal),
    );
    await dropUnusedUploads();
    houseKeptAt = clock.now();
  }

  /** Adds up past months. An unreadable record must not keep the profiles of all clients beyond their retention. */
  async function addUpMonths(client: Integration): Promise<void> {
    const days = completeDays(client, application.settings.retention);
    try {
      await storePastMonths({ store, sealer: application.sealer, clock }, client.id, days);
    } catch (error) {
      log.warn(
        { integration: client.id, error: messageOf(error) },
        'the results of a month were not stored',
      );
    }
  }

  /** Deletes uploaded files that no set-up uses. If a set-up cannot be read, deletes no file. */
  async function dropUnusedUploads(): Promise<void> {
    try {
      const files = (await dropLeftovers(application, clock.now())).length;
      if (files > 0) log.info({ files }, 'uploads that were never accepted were deleted');
    } catch (error) {
      log.warn(
        { error: messageOf(error) },
        'uploads that were never accepted could not be deleted',
      );
    }
  }

  /** Reads webhooks' reported changes again later, when the CRM's search can find the changes. */
  async function askAgain(): Promise<void> {
    for (const row of await listRereads(store.reader)) {
      const integration = integrations.get(row.integrationId);
      if (!integration) continue;
      const delays = await findDelays(integration);
      if (delays === null) continue;
      const delayMs = delays[row.times];
      const waitedMs = clock.now() - row.calledAt;
      if (delayMs === undefined) await deleteReread(store.connection, integration.id);
      // If a call has a future time, the clock was set back.
      else if (waitedMs >= delayMs || waitedMs < 0) {
        const isLast = row.times + 1 === delays.length;
        await store.act((trx) => requestReread(trx, row, { runId: newId(clock.now()), isLast }));
      }
    }
  }

  /** Returns a connector's delays. A client whose connector cannot be loaded must not prevent other clients' runs. */
  async function findDelays(integration: Integration): Promise<readonly number[] | null> {
    try {
      return await application.rereadAfterMs(integration);
    } catch (error) {
      const facts = { integration: integration.id, error: messageOf(error) };
      log.warn(facts, 'changes that a webhook reported cannot be read again');
      return null;
    }
  }

  /** Queues requests again whose process ended before their run was finished. */
  async function putBackCutOff({ integrationId, isExclusive }: Turn): Promise<void> {
    for (const row of await listBegunRequests(store.reader, integrationId)) {
      const running = await application.findRunning(integrationId);
      const run =
        running?.run === row.runId ? await findRunById(store.reader, row.runId) : undefined;
      if (run && !isExclusive) continue;
      // The process that started the run has lost its turn, so the run cannot continue there.
      if (run) await store.leases.revoke(run);
      const { runId } = row;
      const { state } = await store.act((trx) => putBackRequest(trx, row, newId(clock.now())));
      if (state !== 'ended') log.warn({ integration: integrationId, run: runId, state }, CUT_OFF);
      if (state === 'givenUp') await reportEnd(runId);
    }
  }

  /** Releases unfinished work to other processes immediately. */
  async function handOver({ integrationId }: Turn): Promise<void> {
    for (const row of await listBegunRequests(store.reader, integrationId)) {
      await store.act((trx) => putBackRequest(trx, row, newId(clock.now()), true));
    }
  }

  /** Carries out a request and reports the run's end to the listeners. Returns false if the run has not ended. */
  async function answerAndReport(
    integration: Integration,
    row: RunRequestRecord,
    signal: AbortSignal,
  ): Promise<boolean> {
    if (await findRunById(store.reader, row.runId)) {
      // Two calls with the same Idempotency-Key arrived at the same time, and the run has already started.
      await dropWaitingRequest(store.connection, row.runId);
      return true;
    }
    await answerRequest({ application, clock, log, signal }, integration, row);
    return reportEnd(row.runId);
  }

  async function reportEnd(runId: string): Promise<boolean> {
    const run = await findRunById(store.reader, runId);
    if (!run || run.finishedAt === null) return false;
    const { integrationId, status } = run;
    log.info({ integration: integrationId, run: runId, status }, 'a run ended');
    await notify({ runId, integrationId, report: await readReport(store.reader, run) });
    return true;
  }

  async function notify(ended: EndedRun): Promise<void> {
    for (const listener of listeners) {
      try {
        await listener(ended);
      } catch (error) {
        log.error(
          { run: ended.runId, error: messageOf(error) },
          'the end of a run could not be reported',
        );
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
    await Promise.all([...active, erasures.ended()]);
  }
}
