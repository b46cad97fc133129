import { Worker } from 'node:worker_threads';

export class ThreadFailure extends Error {
  readonly reason: 'time' | 'memory' | 'ended';

  constructor(reason: ThreadFailure['reason']) {
    super(`A thread returned no answer (${reason}).`);
    this.name = 'ThreadFailure';
    this.reason = reason;
  }
}

export interface ThreadLimits {
  mostTimeMs: number;
  /** The limit of the thread's heap. Memory outside the heap does not count. */
  mostMemoryMb: number;
}

/**
 * Runs a program in a separate thread, so that its input cannot use up time or memory. The thread ends after it has
 * sent its first message. `bytes` belongs to the thread from then on. Throws a ThreadFailure if there is no answer, and
 * rethrows the program's errors.
 */
export function askThread<Answer>(
  program: URL,
  workerData: Readonly<Record<string, unknown>>,
  { mostTimeMs, mostMemoryMb }: ThreadLimits,
  bytes: readonly ArrayBuffer[] = [],
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(program, {
      workerData,
      transferList: [...bytes],
      resourceLimits: { maxOldGenerationSizeMb: mostMemoryMb },
    });
    const timer = setTimeout(() => fail(new ThreadFailure('time')), mostTimeMs);
    thread.once('message', (answer: Answer) => {
      void leave();
      resolve(answer);
    });
    thread.once('error', (error: unknown) => {
      const isOutOfMemory =
        error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      fail(isOutOfMemory ? new ThreadFailure('memory') : error);
    });
    thread.once('exit', () => fail(new ThreadFailure('ended')));

    function fail(error: unknown): void {
      const rejects = () => reject(error);
      // Rejects only after the thread has ended, so that the thread writes nothing later.
      leave().then(rejects, rejects);
    }

    function leave(): Promise<unknown> {
      clearTimeout(timer);
      return thread.terminate();
    }
  });
}
