/**
 * The CRM itself: a JSON file, `{ "fields": ["donor_id"], "contacts": [{ "id": "1", "firstName": "Maria",
 * "lastName": "Lopez", "addresses": [], "employers": [], "values": {} }] }`. Replace it with your CRM's API.
 */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { z } from 'donor-sync/connector';
import { ConfigurationError } from 'donor-sync/errors';

/** Returns null for blank text, so that white space never becomes a value. */
const value = z
  .union([z.string(), z.number(), z.boolean(), z.null()])
  .transform((written) => (String(written ?? '').trim() === '' ? null : written));

const rowSchema = z.object({
  id: z.string(),
  firstName: z.string().nullable(),
  lastName: z.string().nullable(),
  addresses: z.array(z.string()),
  employers: z.array(z.string()),
  values: z.record(z.string(), value),
});

/** @typedef {z.infer<typeof rowSchema>} Row */

const fileSchema = z.object({ fields: z.array(z.string()), contacts: z.array(rowSchema) });

/**
 * Returns the fields, and the contacts by ID.
 * @param {string} path
 */
export async function load(path) {
  try {
    const { fields, contacts } = fileSchema.parse(JSON.parse(await readFile(path, 'utf8')));
    return { fields, contacts: new Map(contacts.map((row) => [row.id, row])) };
  } catch (cause) {
    const message = `${path} is not a JSON file of contacts: correct crm.path, or the file.`;
    throw new ConfigurationError(message, { code: 'crm_file_unreadable', cause });
  }
}

/**
 * @param {string} path
 * @param {{ fields: string[], contacts: Map<string, Row> }} crm
 */
export async function save(path, { fields, contacts }) {
  const file = { fields, contacts: [...contacts.values()] };
  await writeFile(`${path}.new`, JSON.stringify(file, null, 2));
  await rename(`${path}.new`, path);
}
