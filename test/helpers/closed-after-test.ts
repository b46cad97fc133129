import { onTestFinished } from 'vitest';

/** Calls `open` for the current test, and closes the result when the test is over. */
export function closedAfterTest<Options, Opened extends { close(): Promise<void> }>(
  open: (options?: Options) => Promise<Opened>,
): (options?: Options) => Promise<Opened> {
  return async (options) => {
    const opened = await open(options);
    onTestFinished(() => opened.close());
    return opened;
  };
}
