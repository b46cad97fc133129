import { onTestFinished, vi } from 'vitest';

/**
 * Stops the timeouts of this process until the end of the test. A timeout ends only when the test advances the time.
 */
export function holdTimeouts(): { pass(ms: number): void } {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  return { pass: (ms) => void vi.advanceTimersByTime(ms) };
}
