import { onTestFinished, vi } from 'vitest';

/** No timeout of this process ends by itself from now on to the end of the test, but when the test lets time pass. */
export function holdTimeouts(): { pass(ms: number): void } {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  return { pass: (ms) => void vi.advanceTimersByTime(ms) };
}
