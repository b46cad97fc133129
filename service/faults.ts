/**
 * Faults inside a charge or a job, at the request of the starter of the service, to prove that no credit is lost in
 * between. The service itself never sets a fault; only the edge that it is given does.
 */

/** A fault inside the service. */
export type ServiceFault =
  /** 500 with the documented JSON body, instead of the work. */
  | { kind: 'error' }
  /** Jobs are shown in a state that is not in the document. */
  | { kind: 'jobState'; state: string }
  /** The jobs of this request are unknown to the service. */
  | { kind: 'jobsVanish' }
  /** The jobs that this submit creates stay in processing. */
  | { kind: 'jobsNeverEnd' }
  /**
   * The job of this bulk add ends as failed; the donors after the first `afterMembers` are not
   * added.
   */
  | { kind: 'networkJobFails'; afterMembers: number }
  /** Every nth donor of this bulk add fails, `every` being n. */
  | { kind: 'networkMembersFail'; every: number }
  /** 422 for every nth person of a submission: loc, type, msg and input quote the person's name. */
  | { kind: 'quotePersons'; every: number; around: string }
  /** A submission processes (and charges) no more than this many people, from the front. */
  | { kind: 'processFewer'; processed: number }
  /** The work is done and the connection reset; the charge is made only after the delay. */
  | { kind: 'lateCharge'; delayMs: number };
