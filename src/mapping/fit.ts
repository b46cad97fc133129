import type { FieldValue } from '../core/crm-field.ts';

/**
 * The value as the field will take it, or why it cannot. The reason is a sentence that names the
 * field and what to change in it; it never holds the value, which is personal data.
 */
export type Fit = { fits: true; value: NonNullable<FieldValue> } | { fits: false; reason: string };
