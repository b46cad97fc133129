/**
 * The engine on Postgres, for any number of processes on any number of machines. pg-boss assigns the turns. If a
 * process ends unexpectedly, pg-boss notices this and assigns the turn to a different process. The library is loaded
 * when the engine is opened.
 */
import type { ConstructorOptions, JobAttempt, PgBoss, Queue } from 'pg-boss';
import { z } from 'zod';
import { type Clock, systemClock } from '../../core/clock.ts';
import { ConfigurationError, isConfigurationError, messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { AskedRun } from '../../core/run.ts';
import type { Database, Trx } from '../../database/tables/tables.ts';
import { transact } from '../../database/transact.ts';
import { findWanted, listWithoutJob } from '../statements/wanted-runs.ts';
import type { Engine, Turn } from './engine.ts';

export interface PgBossDeps {
  /** The URL of the database with donor-sync's data. */
  url: string;
  /** Returns the connection to use. By default, pg-boss opens two separate connections. */
  connect?: ((url: string) => QueueConnection) | undefined;
  db: Database;
  clock: Clock;
  log: Log;
}

/** The connection for pg-boss's statements. */
export type QueueConnection = Pick<ConstructorOptions, 'connectionString' | 'max' | 'db'>;

/** The name of pg-boss's own database schema. A different program in the same database may also use pg-boss. */
const SCHEMA = 'donor_sync_jobs';

/** The name of the queue. With `exclusive`, each integration has at most one waiting or active job. */
const QUEUE = 'turns';

const JOBS = { table: `${SCHEMA}.job`, queue: QUEUE };

/** The time after which a process without a heartbeat loses its turns. pg-boss does not allow a shorter time. */
const HEARTBEAT_SECONDS = 10;
const HEARTBEAT_INTERVAL_MS = 3_000;

const QUEUE_OPTIONS = {
  policy: 'exclusive',
  heartbeatSeconds: HEARTBEAT_SECONDS,
  // The maximum duration of a run. Heartbeats show whether the run's process is alive.
  expireInSeconds: 12 * 3_600,
  // The turn of a dead process becomes free immediately. The request decides whether its run is tried again.
  retryLimit: 1_000,
  retryDelay: 0,
  deleteAfterSeconds: 24 * 3_600,
} satisfies Omit<Queue, 'name'>;

/** The priority of urgent jobs. Processes take them first, and reserve slots for them. */
const URGENT = 10;

/** The interval at which requested runs without a job get a job. */
const SWEEP_INTERVAL_MS = 5_000;

/** The time for which a process tries to end its turn while the database is unavailable. */
const END_PATIENCE_MS = 30_000;

/**
 * The options for a shared server, on which pg-boss must not change its schema. The operator migrates the schema with
 * `donor-sync migrate`.
 */
const AS_IT_IS = { migrate: false, createSchema: false } satisfies Partial<ConstructorOptions>;

interface JobData {
  integrationId: string;
}

/** The library, loaded and started. */
interface Loaded {
  boss: PgBoss;
  within(trx: Trx): Pick<ConstructorOptions, 'db'>;
}

export function createPgBossEngine(deps: PgBossDeps): Engine {
  const { db, clock, log } = deps;
  const held = new Set<AbortController>();
  let loaded: Loaded | null = null;
  let sweptMs = Number.NEGATIVE_INFINITY;

  return {
    checkIntervalMs: 1_000,
    async open() {
      loaded ??= await load(deps, AS_IT_IS, clock);
    },
    async asked(trx, runs) {
      if (loaded !== null) await ask(loaded, trx, runs);
    },
    async take({ free, forSchedules }) {
      if (loaded === null) throw new Error('the engine is not open');
      const { boss } = loaded;
      await sweep(loaded);
      const jobs =
        forSchedules > 0 ? await boss.fetch<JobData>(QUEUE, { batchSize: forSchedules }) : [];
      const batchSize = free - jobs.length;
      const urgent =
        batchSize > 0 ? await boss.fetch<JobData>(QUEUE, { batchSize, minPriority: URGENT }) : [];
      return [...jobs, ...urgent].map((job) => begin(boss, job, job.data.integrationId));
    },
    async close() {
      for (const ended of held) ended.abort();
      await loaded?.boss.stop({ graceful: false });
      loaded = null;
    },
  };

  function begin(boss: PgBoss, attempt: JobAttempt, integrationId: string): Turn {
    const ended = new AbortController();
    const lost = new AbortController();
    held.add(ended);
    void keep();
    return { integrationId, isExclusive: true, lost: lost.signal, end };

    /** Keeps the turn while the database is unavailable, because no other process can get the turn at that time. */
    async function keep(): Promise<void> {
      while (!ended.signal.aborted) {
        await clock.sleep(HEARTBEAT_INTERVAL_MS, ended.signal);
        if (ended.signal.aborted) return;
        try {
          const isOurs = isDone(await boss.touch(QUEUE, attempt));
          if (!isOurs && !ended.signal.aborted) return lost.abort();
        } catch (error) {
          log.warn({ error: messageOf(error) }, 'the queue could not be reached');
        }
      }
    }

    async function end(afterMs = 0): Promise<void> {
      ended.abort();
      held.delete(ended);
      // This step can be repeated, because a turn that has ended is not ended again.
      await transact(db, END_PATIENCE_MS, async (trx) => {
        if (loaded === null) return;
        const isOurs = isDone(await boss.complete(QUEUE, attempt, null, loaded.within(trx)));
        const wanted = isOurs ? await findWanted(trx, integrationId) : null;
        if (wanted !== null) await put(loaded, trx, [wanted], afterMs);
      });
    }
  }

  /** Finds requests that were stored when a turn was just ending, or by a process without an engine. */
  async function sweep({ boss }: Loaded): Promise<void> {
    const nowMs = clock.monotonicMs();
    if (nowMs - sweptMs < SWEEP_INTERVAL_MS) return;
    sweptMs = nowMs;
    const runs = await listWithoutJob(db, JOBS);
    if (runs.length > 0)
      await boss.insert(
        QUEUE,
        runs.map((run) => toJob(run, 0)),
      );
  }
}

const responseSchema = z.object({ affected: z.number() });

/** True if the turn is still valid. False if the turn has ended or now belongs to a different process. */
function isDone(response: object): boolean {
  return responseSchema.parse(response).affected > 0;
}

/** Adds a job for an integration. If a job is already waiting or active, that job carries out the request. */
async function put(
  { boss, within }: Loaded,
  trx: Trx,
  runs: readonly AskedRun[],
  afterMs: number,
): Promise<void> {
  const jobs = runs.map((run) => toJob(run, afterMs));
  await boss.insert(QUEUE, jobs, within(trx));
}

async function ask(loaded: Loaded, trx: Trx, runs: readonly AskedRun[]): Promise<void> {
  await put(loaded, trx, runs, 0);
  for (const { integrationId: singletonKey, isUrgent } of runs) {
    if (!isUrgent) continue;
    // A job that waits for its schedule or a delay now starts immediately.
    const at = { singletonKey, priority: URGENT, startAfter: 0 };
    await loaded.boss.update(QUEUE, undefined, { ...at, ...loaded.within(trx) });
  }
}

function toJob({ integrationId, isUrgent }: AskedRun, afterMs: number) {
  return {
    data: { integrationId } satisfies JobData,
    singletonKey: integrationId,
    priority: isUrgent ? URGENT : 0,
    startAfter: afterMs / 1_000,
  };
}

/** True if the database has the engine's schema. */
export async function isPgBossInstalled(deps: Pick<PgBossDeps, 'url' | 'log'>): Promise<boolean> {
  try {
    const { boss } = await load(deps, { ...AS_IT_IS, supervise: false });
    await boss.stop({ graceful: false });
    return true;
  } catch (error) {
    if (isConfigurationError(error)) return false;
    throw error;
  }
}

/** Creates or migrates the engine's schema in the database. */
export async function installPgBoss(deps: Pick<PgBossDeps, 'url' | 'log'>): Promise<void> {
  const { boss } = await load(deps, { supervise: false });
  await boss.stop({ graceful: false });
}

async function load(
  { url, connect = overPool, log }: Pick<PgBossDeps, 'url' | 'connect' | 'log'>,
  options: Partial<ConstructorOptions>,
  clock: Pick<Clock, 'monotonicMs'> = systemClock,
): Promise<Loaded> {
  const { PgBoss, fromKysely, systemClock: timers } = await import('pg-boss');
  const boss = new PgBoss({
    ...connect(url),
    // A monotonic clock, because pg-boss would not look for dead processes after someone sets a clock back.
    clock: { ...timers, now: clock.monotonicMs },
    application_name: 'donor-sync-jobs',
    schema: SCHEMA,
    schedule: false,
    // donor-sync does not read pg-boss's list of processes, so pg-boss does not keep the list.
    registerInstance: false,
    // The interval at which pg-boss looks for missing heartbeats.
    superviseIntervalSeconds: 3,
    monitorIntervalSeconds: 3,
    ...options,
  });
  // Without a listener, a restart of Postgres would end this process.
  boss.on('error', (error) => log.warn({ error: messageOf(error) }, 'the queue reports an error'));
  try {
    await boss.start();
    if ((await boss.getQueue(QUEUE)) === null) await boss.createQueue(QUEUE, QUEUE_OPTIONS);
  } catch (cause) {
    await boss.stop({ graceful: false });
    throw new ConfigurationError(
      `The queue of runs in the database cannot be used: ${messageOf(cause)}. Run \`donor-sync migrate\` once, then try again.`,
      { code: 'schema_behind', cause },
    );
  }
  return { boss, within: (trx) => ({ db: fromKysely(trx) }) };
}

function overPool(url: string): QueueConnection {
  return { connectionString: url, max: 2 };
}
