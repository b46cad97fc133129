const JOB_MS = 60_000;

/** Options for a service whose jobs end when the test lets them. */
export function holdJobs() {
  let heldMs = JOB_MS;
  let aheadMs = 0;
  return {
    service: { clock: () => Date.now() + aheadMs, jobTimeMs: () => heldMs },
    /** Those that are submitted from now on. */
    hold() {
      heldMs = JOB_MS;
    },
    /** Ends the existing jobs, and from now on each job immediately. */
    letEnd() {
      aheadMs += heldMs;
      heldMs = 0;
    },
  };
}
