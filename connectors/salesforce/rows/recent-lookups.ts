/** Since when values have been looked up that may be about to be written. */
export interface RecentLookups {
  /** Notes a look-up; the time is by Salesforce's clock, or null where that is not known. */
  note(atMs: number | null): void;
  /** The time of the first look-up since the last `forget`; null if there was none. */
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
