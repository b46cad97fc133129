import { z } from 'zod';

/** A record as HubSpot has it; every value is a text or blank (CRM facts, section B5). */
export const recordSchema = z.object({
  id: z.string(),
  properties: z.record(z.string(), z.string().nullable()),
  archived: z.boolean().optional(),
  archivedAt: z.string().optional(),
});

export type HubspotRecord = z.infer<typeof recordSchema>;

/** One page of a list, and where the next begins. */
export const recordPageSchema = z.object({
  results: z.array(recordSchema),
  paging: z.object({ next: z.object({ after: z.string() }).optional() }).nullish(),
});

/** The value of a property without the white space around it; null if it is blank. */
export function textIn({ properties }: HubspotRecord, name: string): string | null {
  const text = properties[name]?.trim() ?? '';
  return text === '' ? null : text;
}

/** The property that names the records which became a part of this one. */
export const MERGED_IDS = 'hs_merged_object_ids';

/** The ids under which this record was known before it was merged. */
export function listMergedIds(record: HubspotRecord): string[] {
  const ids = (record.properties[MERGED_IDS] ?? '').split(';');
  return ids.filter((id) => id !== '' && id !== record.id);
}

/** The id as HubSpot writes it, from what a person or a program typed; null if it is none. */
export function canonicalId(text: string): string | null {
  const digits = text.trim().replace(/^0+/, '');
  return isRecordId(digits) ? digits : null;
}

/** HubSpot's ids are numbers; anything else is no contact's. */
export function isRecordId(text: string): boolean {
  return /^\d{1,20}$/.test(text);
}
