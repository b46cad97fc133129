import type { FieldValue } from '../../core/crm-field.ts';

/** Values that were written into the CRM and name erased people. */
export interface ErasedTexts {
  /** True if the field's value names an erased person and was written into one of these contacts. */
  has(crmIds: readonly string[], field: string, value: FieldValue): boolean;
}
