import type { FieldValue } from '../../core/crm-field.ts';

/** CRM values that donor-sync wrote and that name erased people. */
export interface ErasedTexts {
  /** True if donor-sync wrote the value into one of the contacts and the value names an erased person. */
  has(crmIds: readonly string[], field: string, value: FieldValue): boolean;
}
