import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createStopSignal } from '../../../../src/interfaces/cli/terminal/stop-signal.ts';
import { aStream } from '../a-terminal.ts';

/** Creates a process that records its listeners. The process's exit method throws an error, so no further code runs. */
function aProcess() {
  const listeners = new Map<string, () => void>();
  return {
    on: (signal: string, listener: () => void) => listeners.set(signal, listener),
    exit(code: number): never {
      throw new Error(`ended with ${code}`);
    },
    send: (signal: string) => listeners.get(signal)?.(),
    listens: () => [...listeners.keys()],
  };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('createStopSignal', () => {
  it('leaves signals to the system until a command can stop by itself', () => {
    const process = aProcess();
    const stopSignal = createStopSignal(process, aStream());
    expect(process.listens()).toEqual([]);
    stopSignal();
    expect(process.listens()).toEqual(['SIGINT', 'SIGTERM']);
  });

  it('asks for the end at the first signal, and ends at once at the second', () => {
    const process = aProcess();
    const stderr = aStream();
    const signal = createStopSignal(process, stderr)();
    process.send('SIGINT');
    expect(signal.aborted).toBe(true);
    expect(() => process.send('SIGTERM')).toThrow('ended with 3');
  });

  it('ends within ten seconds, however far the next checkpoint is', () => {
    const process = aProcess();
    createStopSignal(process, aStream())();
    process.send('SIGTERM');
    expect(() => vi.advanceTimersByTime(10_000)).toThrow('ended with 3');
  });
});
