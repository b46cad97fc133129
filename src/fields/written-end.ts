import type { FieldEnd } from './statements/field-end.ts';
import type { ValueNote } from './statements/value-states.ts';

/** How the fields of one contact ended. */
export interface WrittenEnd extends FieldEnd {
  /** Values of a profile that are not in their field, and why. */
  values: readonly ValueNote[];
}
