import type { FieldEnd } from './statements/field-end.ts';
import type { ValueNote } from './statements/value-states.ts';

/** How the write of one contact's fields ended. */
export interface WrittenEnd extends FieldEnd {
  /** Values of a profile that are not in their field, with the reason. */
  values: readonly ValueNote[];
}
