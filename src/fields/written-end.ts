import type { FieldEnd } from './statements/field-end.ts';
import type { ValueNote } from './statements/value-states.ts';

export interface WrittenEnd extends FieldEnd {
  /** Profile values that are not in their field, with the reason. */
  values: readonly ValueNote[];
}
