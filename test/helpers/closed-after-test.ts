import { onTestFinished } from 'vitest';

/** Opens as `open` does, for the test that is running, and closes again when that test is over. */
export function closedAfterTest<Options, Opened extends { close(): Promise<void> }>(
  open: (options?: Options) => Promise<Opened>,
): (options?: Options) => Promise<Opened> {
  return async (options) => {
    const opened = await open(options);
    onTestFinished(() => opened.close());
    return opened;
  };
}
