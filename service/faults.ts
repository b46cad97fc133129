/**
 * Simulates faults during a charge or a job. Tests request these faults to prove that no credit is lost. The service
 * itself never sets a fault. Only the outermost middleware sets faults.
 */

export type ServiceFault =
  /** Returns a 500 with the documented JSON body and does no work. */
  | { kind: 'error' }
  /** Returns jobs with a state that is not documented. */
  | { kind: 'jobState'; state: string }
  /** Makes the service lose this request's jobs. */
  | { kind: 'jobsVanish' }
  /** Keeps the jobs of this submission in the state "processing" forever. */
  | { kind: 'jobsNeverEnd' }
  /** Makes this bulk add's job fail after it has added this number of donors (`afterMembers`). */
  | { kind: 'networkJobFails'; afterMembers: number }
  /** Makes every nth donor of this bulk add fail. The number n is `every`. */
  | { kind: 'networkMembersFail'; every: number }
  /** Returns a 422 for every nth person of a submission. `loc`, `type`, `msg` and `input` quote the person's name. */
  | { kind: 'quotePersons'; every: number; around: string }
  /**
   * Processes at most the given number of people from the start of a submission, and charges only for the processed
   * people.
   */
  | { kind: 'processFewer'; processed: number }
  /** Executes the request and resets the connection. Charges the request only after the delay. */
  | { kind: 'lateCharge'; delayMs: number };
