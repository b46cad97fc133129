/** Helpers for the tests of `forget`. They read data and search for it after the erasure. */
import { readdir, readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { CliWorld } from '../../helpers/cli.ts';

const counts = z.record(z.string(), z.int());
const crmSchema = z.object({
  cleared: z.array(z.string()),
  editedSince: z.array(z.string()),
  stillPresent: z.array(z.string()),
  verified: z.boolean(),
});

/** The output of `forget --json`. */
export const forgetSchema = z.strictObject({
  forget: z.strictObject({
    integration: z.string(),
    crmId: z.string(),
    wasKnown: z.boolean(),
    cleared: z.array(z.string()).nullable(),
    editedSince: z.array(z.string()),
    networks: z.strictObject({ left: z.array(z.string()), pending: z.array(z.string()) }),
    receipt: z.object({
      id: z.string(),
      at: z.iso.datetime(),
      complete: z.boolean(),
      erasedEarlier: z.iso.datetime().nullable(),
      integrations: z.array(z.object({ integration: z.string(), wasKnown: z.boolean() })),
      erased: counts,
      crm: crmSchema.nullable(),
      alike: z.array(z.object({ integration: z.string(), crmId: z.string() })),
      leftAlone: z.array(z.object({ integration: z.string(), crmId: z.string() })),
      pending: z.array(z.object({ integration: z.string(), what: z.string(), text: z.string() })),
    }),
  }),
});

/** Returns the bytes of the database as a string, with all files that SQLite stores next to it. */
export async function databaseText({ path }: CliWorld): Promise<string> {
  const names = (await readdir(path('.'))).filter((name) => name.startsWith('store.db'));
  return (await Promise.all(names.map((name) => readFile(path(name), 'latin1')))).join('');
}

/** Returns the ID of a contact whose profile is in the file. */
export async function enhancedId(world: CliWorld, name?: string): Promise<string> {
  const row = (await world.rows(name)).find((one) => one['Donor ID']);
  if (!row) throw new Error('No contact was enhanced');
  return row['Id'] ?? '';
}

/** Returns the columns of a contact that donor-sync alone fills. */
export async function ourColumns(world: CliWorld, id: string, name?: string): Promise<string[]> {
  const row = (await world.rows(name)).find((one) => one['Id'] === id) ?? {};
  return Object.entries(row).flatMap(([column, value]) =>
    column.startsWith('Donor ') && value !== '' ? [column] : [],
  );
}
