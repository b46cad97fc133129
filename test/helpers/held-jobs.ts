const JOB_MS = 60_000;

/** Returns options for a service whose jobs end only when the test allows it. */
export function holdJobs() {
  let heldMs = JOB_MS;
  let aheadMs = 0;
  return {
    service: { clock: () => Date.now() + aheadMs, jobTimeMs: () => heldMs },
    hold() {
      heldMs = JOB_MS;
    },
    /** Ends all jobs that exist. From now on, each job ends immediately. */
    letEnd() {
      aheadMs += heldMs;
      heldMs = 0;
    },
  };
}
