import type { FieldValue } from '../../core/crm-field.ts';

/** Values that were written into the CRM and name people who were erased. */
export interface ErasedTexts {
  /** True if a value of a field is such a one, written into one of these contacts. */
  has(crmIds: readonly string[], field: string, value: FieldValue): boolean;
}
