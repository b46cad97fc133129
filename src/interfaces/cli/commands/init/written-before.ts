import { resolve } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import type { FieldMapping } from '../../../../core/field-map.ts';

const settingsSchema = z.object({
  integrations: z.array(
    z
      .object({
        crm: z.object({ kind: z.literal('csv'), path: z.string() }),
        fields: z.array(z.object({ to: z.string() })).optional(),
      })
      .optional()
      .catch(undefined),
  ),
});

interface SettingsLocation {
  cwd: string;
  folder: string;
  defaults: readonly FieldMapping[];
}

/**
 * Returns the columns that donor-sync writes, whatever they contain. Empty if there are no valid settings. A pure
 * function.
 */
export function writtenBefore(
  text: string,
  csvPath: string,
  { cwd, folder, defaults }: SettingsLocation,
): Set<string> {
  const parsed = settingsSchema.safeParse(read(text));
  const file = resolve(cwd, csvPath);
  const same = (parsed.data?.integrations ?? []).filter(
    (one) => one !== undefined && resolve(folder, one.crm.path) === file,
  );
  return new Set(same.flatMap((one) => (one?.fields ?? defaults).map(({ to }) => to)));
}

function read(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return null;
  }
}
