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

/** Sources about the sync itself: a contact's state and the time at which this state started. */
export const SYNC_SOURCES: readonly FieldSource[] = ['sync.status', 'sync.statusDate'];

/** The rules that decide when a run may write a value (design, section 4.2). */
export const WRITE_RULES = ['always', 'ifEmpty', 'unlessEdited'] as const;
export type WriteRule = (typeof WRITE_RULES)[number];

export const fieldMappingSchema = z.strictObject({
  from: z.enum(FIELD_SOURCES),
  to: z.string().trim().min(1),
  when: z.enum(WRITE_RULES).default('unlessEdited'),
});

/** A line of the field map, which maps a profile value to a CRM field. */
export type FieldMapping = z.infer<typeof fieldMappingSchema>;
