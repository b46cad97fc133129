/** Remembers when values were looked up, because they may be written soon. */
export interface RecentLookups {
  /** Records a lookup. The time comes from Salesforce's clock. It is null if it is unknown. */
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
