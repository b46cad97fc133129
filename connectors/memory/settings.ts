import { z } from 'zod';

/** The `crm` part of the settings. The settings contain the name under which a `MemoryCrm` was registered. */
export const memorySettingsSchema = z.strictObject({
  kind: z.literal('memory'),
  name: z.string().min(1),
});

export type MemorySettings = z.infer<typeof memorySettingsSchema>;

/** Selects a group by the name with which it was added. */
export const memoryGroupSchema = z.strictObject({ group: z.string().min(1) });
