/**
 * Simulates faults inside a charge or a job. Tests request these faults to prove that no credit is lost. The service
 * itself never sets a fault. Only the edge middleware does.
 */

export type ServiceFault =
  /** Returns a 500 with the documented JSON body and does no work. */
  | { kind: 'error' }
  /** Shows jobs in an undocumented state. */
  | { kind: 'jobState'; state: string }
  /** Makes the service lose this request's jobs. */
  | { kind: 'jobsVanish' }
  /** Keeps the jobs of this submission in the state processing forever. */
  | { kind: 'jobsNeverEnd' }
  /** Makes this bulk add's job fail after it has added `afterMembers` donors. */
  | { kind: 'networkJobFails'; afterMembers: number }
  /** Makes every nth donor of this bulk add fail, where n is `every`. */
  | { kind: 'networkMembersFail'; every: number }
  /** Returns a 422 for every nth person of a submission. `loc`, `type`, `msg` and `input` quote the person's name. */
  | { kind: 'quotePersons'; every: number; around: string }
  /**
   * Processes at most this number of people in a submission, from the start of the list. Only these people are charged
   * for.
   */
  | { kind: 'processFewer'; processed: number }
  /** Does the work and resets the connection. Makes the charge only after the delay. */
  | { kind: 'lateCharge'; delayMs: number };
