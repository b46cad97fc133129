import { z } from 'zod';

/** A record as HubSpot returns it. */
export const recordSchema = z.object({
  id: z.string(),
  properties: z.record(z.string(), z.string().nullable()),
  archived: z.boolean().optional(),
  archivedAt: z.string().optional(),
});

export type HubspotRecord = z.infer<typeof recordSchema>;

export const recordPageSchema = z.object({
  results: z.array(recordSchema),
  paging: z.object({ next: z.object({ after: z.string() }).optional() }).nullish(),
});

/** Returns a property's value without surrounding white space, or null if the value is blank. */
export function textIn({ properties }: HubspotRecord, name: string): string | null {
  const text = properties[name]?.trim() ?? '';
  return text === '' ? null : text;
}

/** The property that contains the IDs of the records that were merged into this record. */
export const MERGED_IDS = 'hs_merged_object_ids';

/** Returns the IDs of the records that were merged into this record. */
export function listMergedIds(record: HubspotRecord): string[] {
  const ids = (record.properties[MERGED_IDS] ?? '').split(';');
  return ids.filter((id) => id !== '' && id !== record.id);
}

/** Returns the ID in HubSpot's form, or null if the text is not an ID. */
export function canonicalId(text: string): string | null {
  const digits = text.trim().replace(/^0+/, '');
  return isRecordId(digits) ? digits : null;
}

/** Returns true if the text has the form of a contact's ID in HubSpot. */
export function isRecordId(text: string): boolean {
  return /^\d{1,20}$/.test(text);
}
