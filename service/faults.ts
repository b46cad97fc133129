/**
 * Faults inside a charge or a job. The starter of the service can request them to prove that no credit is
 * lost. The service itself never sets a fault. Only the edge that is passed to it does.
 */

/** A fault inside the service. */
export type ServiceFault =
  /** A 500 with the documented JSON body, instead of the work. */
  | { kind: 'error' }
  /** Jobs are shown in a state that is not in the document. */
  | { kind: 'jobState'; state: string }
  /** The service does not know this request's jobs. */
  | { kind: 'jobsVanish' }
  /** The jobs that this submit creates stay in processing. */
  | { kind: 'jobsNeverEnd' }
  /** The job of this bulk add ends as failed, and the donors after the first `afterMembers` are not added. */
  | { kind: 'networkJobFails'; afterMembers: number }
  /** Every nth donor of this bulk add fails, where `every` is n. */
  | { kind: 'networkMembersFail'; every: number }
  /** A 422 for every nth person of a submission. loc, type, msg and input quote the person's name. */
  | { kind: 'quotePersons'; every: number; around: string }
  /** A submission processes (and charges for) no more than this many people, from the start of the list. */
  | { kind: 'processFewer'; processed: number }
  /** The work is done and the connection is reset. The charge is made only after the delay. */
  | { kind: 'lateCharge'; delayMs: number };
