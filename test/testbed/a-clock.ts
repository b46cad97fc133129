/** Creates a clock that moves only when a test moves it. */
export function aClock(start = '2026-03-10T12:00:00Z') {
  let nowMs = Date.parse(start);
  return {
    read: () => nowMs,
    advance(ms: number): void {
      nowMs += ms;
    },
  };
}
