import { z } from 'zod';

/** Values that can be written into CRM fields. */
export const FIELD_SOURCES = [
  'donorId',
  'profileUrl',
  'name.full',
  'age',
  'netWorth.low',
  'netWorth.high',
  'netWorth.label',
  'capacity.nonprofit',
  'capacity.political',
  'capacity.highest',
  'work.primary',
  'work.all',
  'education.primary',
  'education.all',
  'bio',
  'enhancedAt',
  'warmPath.strength',
  'warmPath.introducer',
  'warmPath.network',
  'warmPath.via',
  'warmPath.sentence',
  'sync.status',
  'sync.statusDate',
] as const;

export type FieldSource = (typeof FIELD_SOURCES)[number];

export const PATH_SOURCES = FIELD_SOURCES.filter((source) => source.startsWith('warmPath.'));

/** Sources about the sync: a contact's state and its start time. */
export const SYNC_SOURCES: readonly FieldSource[] = ['sync.status', 'sync.statusDate'];

/** When a value may be written (design, section 4.2). */
export const WRITE_RULES = ['always', 'ifEmpty', 'unlessEdited'] as const;
export type WriteRule = (typeof WRITE_RULES)[number];

export const fieldMappingSchema = z.strictObject({
  from: z.enum(FIELD_SOURCES),
  to: z.string().trim().min(1),
  when: z.enum(WRITE_RULES).default('unlessEdited'),
});

/** Maps a profile value to a CRM field. */
export type FieldMapping = z.infer<typeof fieldMappingSchema>;
