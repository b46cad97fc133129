/**
 * What goes wrong inside a charge or a job when whoever starts the service asks for it, to prove that no credit
 * is lost on the way. Nothing of the service itself ever sets one: that is up to the edge it is given.
 */

/** A fault inside the service. */
export type ServiceFault =
  /** 500 with the documented JSON body, instead of the work. */
  | { kind: 'error' }
  /** Jobs are shown in a state that the document does not know. */
  | { kind: 'jobState'; state: string }
  /** The jobs of this request are unknown to the service. */
  | { kind: 'jobsVanish' }
  /** The jobs that this submit creates stay in processing. */
  | { kind: 'jobsNeverEnd' }
  /** The job of this bulk add ends as failed; the donors after so many are not added. */
  | { kind: 'networkJobFails'; afterMembers: number }
  /** Each nth donor of this bulk add fails, `every` being n. */
  | { kind: 'networkMembersFail'; every: number }
  /** 422 for each nth person of a submit: loc, type, msg and input quote the person's name. */
  | { kind: 'quotePersons'; every: number; around: string }
  /** A submit processes (and charges) no more than so many persons, from the front. */
  | { kind: 'processFewer'; processed: number }
  /** The work is done and the connection reset; the charge lands only after the delay. */
  | { kind: 'lateCharge'; delayMs: number };
