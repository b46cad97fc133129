import { EXIT_CODES, type TextStream } from './output.ts';

const STOP_SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * After this time, the process is forced to end. Nothing is lost, because all progress is stored on disk. It
 * is less than the 10 seconds after which supervisors kill a process (design, section 5, promise 8).
 */
const FORCED_END_MS = 9_500;

/** The part of `process` that is used here. */
export interface Stoppable {
  on(signal: (typeof STOP_SIGNALS)[number], listener: () => void): unknown;
  exit(code: number): never;
}

/**
 * Creates `stopSignal` (see `product.ts`). After its first call, the first SIGINT or SIGTERM aborts the signal. A
 * second one, or too long a wait, ends the process immediately.
 */
export function createStopSignal(process: Stoppable, stderr: TextStream): () => AbortSignal {
  const controller = new AbortController();
  let isListening = false;

  function stop(): void {
    if (controller.signal.aborted) endNow();
    stderr.write('Stopping. Send a second signal to end at once.\n');
    setTimeout(endNow, FORCED_END_MS).unref();
    controller.abort();
  }

  function endNow(): never {
    stderr.write('Ended at once; the next run continues from the data on disk.\n');
    return process.exit(EXIT_CODES.stopped);
  }

  return () => {
    if (!isListening) for (const name of STOP_SIGNALS) process.on(name, stop);
    isListening = true;
    return controller.signal;
  };
}

/** Resolves when the signal is aborted, or immediately if it already is. */
export function untilStopped(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
