/** Remembers when values were looked up that may be about to be written. */
export interface RecentLookups {
  /** Records a lookup. The time is by Salesforce's clock, or null if unknown. */
  note(atMs: number | null): void;
  /** Returns the time of the first lookup since the last `forget`, or null if there was none. */
  oldestMs(): number | null;
  forget(): void;
}

export function createRecentLookups(): RecentLookups {
  let oldestMs: number | null = null;
  return {
    note(atMs) {
      oldestMs ??= atMs;
    },
    oldestMs: () => oldestMs,
    forget() {
      oldestMs = null;
    },
  };
}
