import { onTestFinished, vi } from 'vitest';

/** Until the end of the test, this process's timeouts fire only when the test advances the time. */
export function holdTimeouts(): { pass(ms: number): void } {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  return { pass: (ms) => void vi.advanceTimersByTime(ms) };
}
