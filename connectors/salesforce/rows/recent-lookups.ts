/** Remembers when donor-sync read values, because it may soon write them. */
export interface RecentLookups {
  /** Stores the time of a lookup according to Salesforce's clock. The time of the lookup is null if it is unknown. */
  note(atMs: number | null): void;
  /** Returns the time of the first lookup after the last `forget`, or null if there was none. */
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
