/** Explains a reason: what it means, what happens next, and what it costs. */
export interface ReasonExplanation {
  means: string;
  next: string;
  costs: string;
}
