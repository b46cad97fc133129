/**
 * Watches runs in progress for any number of listeners, with one query and one message per run. If queries are
 * expensive, they are made less often, so that watching hardly slows a run.
 */
import type { Clock } from '../../core/clock.ts';
import type { RunReport } from '../../core/run.ts';
import type { Store } from '../../store.ts';
import { findRunReport } from './run.ts';
import { type RunProgress, readProgress } from './run-progress.ts';

/** The current state of a run. All listeners of a run get the same `message`. */
export interface RunDetails<Message> {
  message: Message;
  hasEnded: boolean;
}

/** A run, with its progress while it is running. */
export type FollowedRun = RunReport & { progress: RunProgress | null };

/** Receives the state of a run. */
export interface RunListener<Message> {
  /**
   * Called after each query, even if nothing has changed. If nothing has changed, `look` is the object of the previous
   * call.
   */
  see(look: RunDetails<Message>): void;
  /** Called at regular intervals, even if nothing has changed. */
  beat(): void;
  /** Called when no more messages about this run will follow. */
  leave(): void;
}

export interface RunFollower<Message> {
  /** Adds a listener. The returned function removes the listener. */
  join(runId: string, listener: RunListener<Message>): () => void;
}

export interface FollowerOptions<Message> {
  store: Store;
  clock: Clock;
  /** Builds the message for all listeners, once per query. */
  toMessage(run: FollowedRun): Message;
  onError(runId: string, error: unknown): void;
  /** Aborted when this process stops. Before the abort, listeners should receive the end of the process's runs. */
  stopping: AbortSignal;
}

/** The interval between two queries of a run's progress. */
const LOOK_INTERVAL_MS = 1_000;

/** The extra delay for each listener. Sending a message to a listener takes about a hundredth of this delay. */
const PER_LISTENER_MS = 10;

/** The maximum share of the time that queries about one run may take. */
const SHARE_OF_TIME = 0.01;

/**
 * The interval between queries while the process stops. The process closes its connections one second after its last
 * run has ended.
 */
const LAST_LOOKS_MS = 100;

const BEAT_INTERVAL_MS = 15_000;

interface Followed<Message> {
  listeners: Set<RunListener<Message>>;
  look: RunDetails<Message> | null;
  /** The text from which this state was parsed. */
  text: string;
  over: AbortController;
}

export function createRunFollower<Message>(
  options: FollowerOptions<Message>,
): RunFollower<Message> {
  const { store, clock, toMessage, onError, stopping } = options;
  const followed = new Map<string, Followed<Message>>();

  return {
    join(runId, listener) {
      const run = followed.get(runId) ?? begin(runId);
      run.listeners.add(listener);
      if (run.look !== null) listener.see(run.look);
      return () => {
        run.listeners.delete(listener);
        if (run.listeners.size > 0) return;
        run.over.abort();
        if (followed.get(runId) === run) followed.delete(runId);
      };
    },
  };

  function begin(runId: string): Followed<Message> {
    const listeners = new Set<RunListener<Message>>();
    const run = { listeners, look: null, text: '', over: new AbortController() };
    followed.set(runId, run);
    void follow(runId, run);
    void beat(run);
    return run;
  }

  async function beat({ listeners, over: { signal } }: Followed<Message>): Promise<void> {
    while (!signal.aborted) {
      await clock.sleep(BEAT_INTERVAL_MS, signal);
      for (const listener of listeners) listener.beat();
    }
  }

  async function follow(runId: string, run: Followed<Message>): Promise<void> {
    const { listeners, over } = run;
    while (!over.signal.aborted) {
      const beganMs = clock.monotonicMs();
      try {
        const report = await findRunReport(store.reader, runId);
        // If a run starts again after a crash, it has a different ID.
        if (report === null) break;
        const look = await lookAt(run, report);
        for (const listener of listeners) listener.see(look);
        if (look.hasEnded) break;
      } catch (error) {
        onError(runId, error);
      }
      if (stopping.aborted) {
        await clock.sleep(LAST_LOOKS_MS, over.signal);
        continue;
      }
      const tookMs = (clock.monotonicMs() - beganMs) / SHARE_OF_TIME;
      const pauseMs = Math.max(LOOK_INTERVAL_MS, listeners.size * PER_LISTENER_MS, tookMs);
      await clock.sleep(pauseMs, AbortSignal.any([over.signal, stopping]));
    }
    over.abort();
    if (followed.get(runId) === run) followed.delete(runId);
    for (const listener of listeners) listener.leave();
  }

  async function lookAt(run: Followed<Message>, report: RunReport): Promise<RunDetails<Message>> {
    const shown = { ...report, progress: await readProgress(store, report, clock.now()) };
    const text = JSON.stringify(shown);
    if (run.look !== null && run.text === text) return run.look;
    run.text = text;
    run.look = { message: toMessage(shown), hasEnded: report.status !== 'running' };
    return run.look;
  }
}
