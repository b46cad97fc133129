/**
 * Faults inside a charge or a job. Whoever starts the service can request them to prove that no credit gets lost. The
 * service itself never sets a fault. Only the edge middleware does.
 */

export type ServiceFault =
  /** Returns a 500 with the documented JSON body and does not do the work. */
  | { kind: 'error' }
  /** Shows jobs in a state that is not documented. */
  | { kind: 'jobState'; state: string }
  /** Makes the service forget this request's jobs. */
  | { kind: 'jobsVanish' }
  /** Keeps the jobs of this submission in processing forever. */
  | { kind: 'jobsNeverEnd' }
  /** Makes this bulk add's job fail, without adding the donors after the first `afterMembers`. */
  | { kind: 'networkJobFails'; afterMembers: number }
  /** Makes every nth donor of this bulk add fail, where n is `every`. */
  | { kind: 'networkMembersFail'; every: number }
  /** Returns a 422 for every nth person of a submission. `loc`, `type`, `msg` and `input` quote the person's name. */
  | { kind: 'quotePersons'; every: number; around: string }
  /** Processes (and charges for) at most this many people of a submission, from the start of the list. */
  | { kind: 'processFewer'; processed: number }
  /** Does the work and resets the connection. Makes the charge only after the delay. */
  | { kind: 'lateCharge'; delayMs: number };
