/** Options of a service whose jobs end when the test lets them. */
export function holdJobs() {
  let heldMs = 60_000;
  let aheadMs = 0;
  return {
    service: { clock: () => Date.now() + aheadMs, jobTimeMs: () => heldMs },
    /** Those that there are, and from now on each at once. */
    letEnd() {
      aheadMs += heldMs;
      heldMs = 0;
    },
  };
}
