import { EXIT_CODES, type TextStream } from './output.ts';

const STOP_SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * The time after which the process is forced to end. All progress is saved on disk, so a forced end loses nothing.
 * Supervisors kill a process after 10 seconds (design, section 5, promise 8).
 */
const FORCED_END_MS = 9_500;

/** The used part of `process`. */
export interface Stoppable {
  on(signal: (typeof STOP_SIGNALS)[number], listener: () => void): unknown;
  exit(code: number): never;
}

/**
 * Creates the signal that `product.ts` describes. The first SIGINT or SIGTERM aborts the signal. A second one, or a
 * long wait, ends the process.
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

/** Resolves after the abort, or immediately if the signal is already aborted. */
export function untilStopped(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
