/**
 * The error for an operator's request that the service cannot carry out. The message explains the reason and tells the
 * operator what to do.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}
