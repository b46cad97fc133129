/** An operator's request that cannot be carried out. The message explains why, and what to do. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}
